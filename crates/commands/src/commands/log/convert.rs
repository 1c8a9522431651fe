//! `dfrsim log convert`

use super::read::SelectedLog;
use super::write;
use crate::arguments::{LogArguments, LogOption, processors};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Written, counted, notice};
use clap::Args;
use dfrsim_model::SimTime;
use dfrsim_workload::cut;
use dfrsim_workload::formats::swf;
use dfrsim_workload::load;
use dfrsim_workload::log::{Header, MAX_SECONDS, Reason, Record};
use dfrsim_workload::prepare::{JobStream, Options};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Cut, sort, scale and rewrite a log, or make one from accounting of Slurm or PBS, from a table, or
/// from or for Batsim
///
/// The lines are unchanged, except for the submit times that --load changes, and for lines that a
/// given --rule drops or clamps; without --rule, only lines without a submit time are dropped. A
/// name that ends in .gz is written as gzip.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --first 1000 --out head.swf
  dfrsim log convert CTC-SP2-1996-3.1-cln.swf.gz --load 0.9 --nodes 338 --out busy.swf.gz
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --week 17 --out week-17.swf
  dfrsim log convert workload.json --flops 1e9 --out workload.swf
  dfrsim log convert KTH-SP2-1996-2.1-cln.swf.gz --first 1000 --out kth.json     (for Batsim, with delay profiles)
  dfrsim log convert cluster_log.csv --columns helios --out helios.swf     (or a map of your own: --columns jobs.toml)
  dfrsim log convert march.sacct --out march.swf.gz     (sacct --allusers --duplicates --parsable2 ... > march.sacct)")]
pub(crate) struct Convert {
    /// Log to convert: SWF, GWF, the output of sacct, accounting of PBS, a workload of Batsim, or with
    /// --columns a table; recognised by its content
    #[arg(value_hint = clap::ValueHint::FilePath)]
    input: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Take only this week of the log, from 0
    #[arg(long, value_name = "K")]
    week: Option<u64>,
    /// Scale the inter-arrival times so that processors * run time / (machine * span) is X
    #[arg(long, value_name = "X")]
    load: Option<f64>,
    /// Number of processors of the machine, for --load; by default that of the log's header
    #[arg(long, value_name = "N", requires = "load")]
    nodes: Option<NonZeroU32>,
    /// File to write: a log, or a workload of Batsim
    #[arg(long, value_name = "FILE.swf[.gz]|FILE.json", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

impl Convert {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        if self.load.is_none() {
            self.log.refuse(&[LogOption::Size], "requires --load: the lines themselves keep both sizes")?;
        }
        let mut log = SelectedLog::read(&self.input, &self.log, |record| {
            self.week.is_none_or(|week| week == cut::week(record.submit))
        })?;
        let note = format!("{} of the jobs of {}, written by dfrsim", log.records.len(), log.name());
        let SelectedLog { path, header, records, report } = &mut log;
        let with_nodes = records.iter().filter(|record| record.nodes.is_some()).count();
        if with_nodes > 0 {
            let gpus = report.account.of(Reason::WITH_GPUS);
            notice!(
                "{}: SWF cannot represent the nodes of {}, GPUs ({gpus} jobs), features, and names of users and accounts; simulate the \
                 {} itself to keep them",
                path.display(),
                counted(with_nodes, "job"),
                if self.log.has_columns() { "table" } else { "listing" }
            );
        }
        if records.is_empty() {
            return Err(self.log.no_jobs(path));
        }
        header.push("Note", &note);
        if let Some(target) = self.load {
            let nodes = match self.nodes {
                Some(nodes) => nodes.get(),
                None => u32::try_from(processors(path, header)?).unwrap_or(u32::MAX),
            };
            let factor = self.arrival_factor(header, records, nodes, target)?;
            load::stretch_arrivals(records, factor);
            if records.iter().any(|record| record.submit > SimTime::from_secs(MAX_SECONDS)) {
                return Err(Failure::input(format!(
                    "--load {target}: jobs would be submitted after second {MAX_SECONDS}, the last one of a log; expected a higher load"
                )));
            }
            write::note_load(header, factor, target);
        }
        write::write_log(&self.out, header, records)?;
        notice!("{}: {}", self.out.display(), counted(records.len(), "job"));
        context.print(&Written::new([&self.out]))
    }

    /// Computes the factor by which inter-arrival times must be multiplied for the target load.
    fn arrival_factor(
        &self,
        header: &Header,
        records: &[Record],
        nodes: u32,
        target: f64,
    ) -> Result<f64, Failure> {
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
