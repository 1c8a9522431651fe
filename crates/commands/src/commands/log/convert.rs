//! `dfrsim log convert`

use super::write;
use crate::arguments::{LogArguments, processors};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Written, counted, notice};
use clap::Args;
use dfrsim_model::SimTime;
use dfrsim_workload::cut;
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Header, Line, MAX_SECONDS, Record, Source as _};
use dfrsim_workload::prepare::{self, JobStream, Options, Rule};
use dfrsim_workload::{load, traces};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Cut, sort, scale and rewrite a log, or make one from accounting of Slurm or PBS, or from or for Batsim
///
/// The lines stay as they are, but for the submit times that --load changes; rules for anomalous jobs apply to the load
/// only. A name that ends in .gz is written as gzip.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --first 1000 --out head.swf
  dfrsim log convert CTC-SP2-1996-3.1-cln.swf.gz --load 0.9 --nodes 338 --out busy.swf.gz
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --week 17 --out week-17.swf
  dfrsim log convert workload.json --flops 1e9 --out workload.swf
  dfrsim log convert KTH-SP2-1996-2.1-cln.swf.gz --first 1000 --out kth.json     (for Batsim, with delay profiles)
  dfrsim log convert march.sacct --out march.swf.gz     (sacct --allusers --duplicates --parsable2 ... > march.sacct)")]
pub(crate) struct Convert {
    /// The log: SWF, GWF (.gwf), what sacct --parsable2 prints (.sacct), accounting of PBS (.pbs), or a workload of Batsim (.json)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    input: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Take only this week of the log, from 0
    #[arg(long, value_name = "K")]
    week: Option<u64>,
    /// Multiply the inter-arrival times so that processors * run time / (machine * span) is this
    #[arg(long, value_name = "X")]
    load: Option<f64>,
    /// The processors of the machine, for --load; by default those of the log's header
    #[arg(long, value_name = "N", requires = "load")]
    nodes: Option<NonZeroU32>,
    /// The file to write: a log, or a workload of Batsim
    #[arg(long, value_name = "FILE.swf[.gz]|FILE.json", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

impl Convert {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let path = traces::locate(&self.input).map_err(Failure::input)?;
        let options = self.log.options();
        let mut whole = prepare::read_whole(&path, &options).map_err(|error| self.log.failure(&error))?;
        let mut header = whole.header().clone();
        let (mut records, without_submit) = self.select(whole.by_ref(), &options);
        let report = whole.finish().map_err(|error| self.log.failure(&error))?;
        let mut notices = report.notices();
        let with_nodes = records.iter().filter(|record| record.nodes.is_some()).count();
        if with_nodes > 0 {
            let gpus = report.accounting.with_gpus;
            notices.push(format!(
                "SWF does not hold the nodes of {}, GPUs ({gpus} jobs), features, and names of users and accounts; simulate the listing \
                 itself to keep them",
                counted(with_nodes, "job")
            ));
        }
        if without_submit > 0 {
            notices.push(format!("lines without submit time left out: {without_submit}"));
        }
        for notice in notices {
            notice!("{}: {notice}", path.display());
        }
        if records.is_empty() {
            return Err(LogArguments::no_jobs(&path));
        }
        for name in ["MaxJobs", "MaxRecords"] {
            header.replace(name, &records.len().to_string());
        }
        let name = path.file_name().map_or_else(|| path.display().to_string(), |it| it.display().to_string());
        header.push("Note", &format!("{} of the jobs of {name}, written by dfrsim", records.len()));
        if let Some(target) = self.load {
            let nodes = match self.nodes {
                Some(nodes) => nodes.get(),
                None => u32::try_from(processors(&path, &header)?).unwrap_or(u32::MAX),
            };
            let factor = self.factor(&header, &records, nodes, target)?;
            load::stretch_arrivals(&mut records, factor);
            if records.iter().any(|record| record.submit > SimTime::from_secs(MAX_SECONDS)) {
                return Err(Failure::input(format!(
                    "load {target} would need lines to be submitted after second {MAX_SECONDS}, the last one that a log holds"
                )));
            }
            header.push(
                "Note",
                &format!("inter-arrival times multiplied by {factor} for an offered load of {target}"),
            );
        }
        write::log(&self.out, &header, &records)?;
        notice!("{}: {}", self.out.display(), counted(records.len(), "job"));
        context.print(&Written::new([&self.out]))
    }

    /// The records of the selected part, and how many of its lines have no place in it since they say no submit time.
    fn select(&self, lines: impl Iterator<Item = Line>, options: &Options) -> (Vec<Record>, u64) {
        let (mut records, mut without_submit) = (Vec::new(), 0);
        for Line { place, has_submit, record, .. } in lines {
            let week = record.submit.micros() / 1_000_000 / cut::WEEK;
            if !options.select.contains(place, record.submit) || self.week.is_some_and(|it| it != week) {
                continue;
            }
            if has_submit || options.rules.no_submit == Rule::Clamp {
                records.push(record);
            } else {
                without_submit += 1;
            }
        }
        (records, without_submit)
    }

    /// By what the inter-arrival times must be multiplied.
    fn factor(&self, header: &Header, records: &[Record], nodes: u32, target: f64) -> Result<f64, Failure> {
        let mut text = Vec::new();
        swf::write(&mut text, header, records).map_err(Failure::input)?;
        let options = Options { units: Some(nodes), ..self.log.options() };
        let selected = Options { select: cut::Selection::default(), ..options };
        let name = self.input.display().to_string();
        let reader = swf::read(text.as_slice(), &name, options.lines).map_err(Failure::input)?;
        let mut stream = JobStream::new(reader, &selected);
        let mut jobs: Vec<_> = stream.by_ref().collect();
        stream.finish().map_err(Failure::input)?;
        load::scale_to_load(&mut jobs, nodes, target).map_err(Failure::input)
    }
}
