//! `dfrsim log convert`

use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::{OutputFile, Places, notice};
use clap::Args;
use dfrsim_workload::cut;
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Header, Record, Source as _};
use dfrsim_workload::prepare::{self, JobStream, Options};
use dfrsim_workload::{load, traces};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Cut, sort, scale and rewrite a log, or make one of a workload of Batsim
///
/// The lines stay as they are, but for the submit times that --load changes; rules for anomalous jobs apply to the load
/// only. A name that ends in .gz is written as gzip.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --first 1000 --out head.swf
  dfrsim log convert CTC-SP2-1996-3.1-cln.swf.gz --load 0.9 --nodes 338 --out busy.swf.gz
  dfrsim log convert HPC2N-2002-2.1-cln.swf.gz --week 17 --out week-17.swf
  dfrsim log convert workload.json --flops 1e9 --out workload.swf")]
pub(crate) struct Convert {
    /// The log: SWF, or a workload of Batsim (.json)
    input: String,
    #[command(flatten)]
    log: LogArguments,
    /// Take only this week of the log, from 0
    #[arg(long, value_name = "K")]
    week: Option<u64>,
    /// Multiply the inter-arrival times so that processors * run time / (machine * span) is this
    #[arg(long, value_name = "X", requires = "nodes")]
    load: Option<f64>,
    /// The processors of the machine, for --load
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// The file to write
    #[arg(long, value_name = "FILE.swf[.gz]")]
    out: PathBuf,
}

impl Convert {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let path = traces::locate(&self.input).map_err(Failure::input)?;
        Places::default().reads("the input", &path).writes("--out", self.out.as_path())?;
        let whole = prepare::read_whole(&path, &self.log.options()).map_err(Failure::input)?;
        let mut header = whole.header().clone();
        let file = whole.file().to_owned();
        let selected = self.log.selection().of(whole).map(|line| line.record);
        let in_week = |record: &Record| {
            self.week.is_none_or(|week| record.submit.micros() / 1_000_000 / cut::WEEK == week)
        };
        let mut records: Vec<Record> = selected.filter(in_week).collect();
        header.push(
            "Note",
            &format!("{} of the jobs of {}, written by dfrsim", records.len(), base_name(&file)),
        );
        if let (Some(target), Some(nodes)) = (self.load, self.nodes) {
            let factor = self.factor(&header, &records, nodes, target)?;
            load::stretch_arrivals(&mut records, factor);
            header.push(
                "Note",
                &format!("inter-arrival times multiplied by {factor} for an offered load of {target}"),
            );
        }
        self.write(&header, &records)?;
        notice!("{}: {} jobs", self.out.display(), records.len());
        Ok(())
    }

    /// By what the inter-arrival times must be multiplied.
    fn factor(&self, header: &Header, records: &[Record], nodes: u32, target: f64) -> Result<f64, Failure> {
        let mut text = Vec::new();
        swf::write(&mut text, header, records).map_err(Failure::input)?;
        let options = Options { units: Some(nodes), ..self.log.options() };
        let selected = Options { select: cut::Selection::default(), ..options };
        let reader = swf::read(text.as_slice(), &self.input, options.lines).map_err(Failure::input)?;
        let mut stream = JobStream::new(reader, &selected);
        let mut jobs: Vec<_> = stream.by_ref().collect();
        stream.finish().map_err(Failure::input)?;
        load::scale_to_load(&mut jobs, nodes, target).map_err(Failure::input)
    }

    fn write(&self, header: &Header, records: &[Record]) -> Result<(), Failure> {
        let mut out = OutputFile::create(&self.out)?;
        let written = if self.out.extension().is_some_and(|extension| extension == "gz") {
            let mut gzip = GzEncoder::new(&mut out, Compression::default());
            swf::write(&mut gzip, header, records).and_then(|()| gzip.finish().map(drop))
        } else {
            swf::write(&mut out, header, records)
        };
        written.and_then(|()| out.flush()).map_err(|error| out.failure(&error))?;
        out.finish()
    }
}

fn base_name(file: &str) -> String {
    Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
}
