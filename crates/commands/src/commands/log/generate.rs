//! `dfrsim log generate`

use super::write;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, Written};
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_workload::formats::swf;
use dfrsim_workload::load::{OfferedWork, Stretch};
use dfrsim_workload::log::Record;
use dfrsim_workload::lublin::{self, CpuNeeds, LublinParameters, MemoryModel, Mode};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Generate a workload from the model of Lublin and Feitelson, as SWF
///
/// Sizes are in nodes; requested memory (field 10) is what the fractional study gives each task, in
/// KB of a node of 8 GiB. `dfrsim simulate --annotate lublin` with the same seed gives the jobs the
/// same memory; scenarios can assume other CPU needs and memory.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log generate --jobs 1000 --nodes 128 --seed 1 --out week.swf
  dfrsim log generate --jobs 5000 --nodes 256 --seed 7 --typeless --load 0.7 --out busy.swf")]
pub(crate) struct Generate {
    /// Number of jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    jobs: u32,
    /// Number of nodes of the machine
    #[arg(long, value_name = "N")]
    nodes: NonZeroU32,
    /// Seed of the generator
    #[arg(long, value_name = "S")]
    seed: u64,
    /// Generate one stream of jobs instead of a batch and an interactive one
    #[arg(long)]
    typeless: bool,
    /// Cores per node; a job of size 1 uses one of them, which counts in the load
    #[arg(long, value_name = "N", default_value = "4")]
    cores: NonZeroU32,
    /// Scale the inter-arrival times so that the offered load is X (CPU needs as in the fractional
    /// study)
    #[arg(long, value_name = "X")]
    load: Option<f64>,
    /// Log file to write
    #[arg(long, value_name = "FILE.swf", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

impl Generate {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let parameters = LublinParameters {
            nodes: self.nodes,
            jobs: self.jobs as usize,
            mode: if self.typeless { Mode::Typeless } else { Mode::Typed },
            cpu: CpuNeeds::new(self.cores, None, None).map_err(Failure::input)?,
            memory: MemoryModel::default(),
        };
        let seed = Seed::new(self.seed);
        let (mut header, records) = lublin::to_log(&parameters, seed);
        let stretch = self.load.map(|target| self.stretch(&parameters, seed, target)).transpose()?;
        if let (Some(target), Some(stretch)) = (self.load, stretch) {
            write::note_load(&mut header, stretch.factor(), target);
        }
        let records = records.map(|record| match stretch {
            Some(stretch) => Record { submit: stretch.submit(record.submit), ..record },
            None => record,
        });
        let mut out = OutputFile::create(&self.out)?;
        swf::write(&mut out, &header, records).map_err(|error| out.failure(&error))?;
        out.finish()?;
        context.print(&Written::new([&self.out]))
    }

    /// Computes the factor for the target load from a first generation of the jobs, so that they
    /// need not be kept in memory.
    fn stretch(&self, parameters: &LublinParameters, seed: Seed, target: f64) -> Result<Stretch, Failure> {
        let mut offered = OfferedWork::default();
        lublin::jobs(parameters, seed).for_each(|job| offered.add(&job));
        offered.stretch_to(self.nodes.get(), target).map_err(Failure::input)
    }
}
