//! Arguments that several commands share.

use crate::failure::Failure;
use crate::output::notice;
use clap::{Args, ValueEnum};
use dfrsim_model::SimSpan;
use dfrsim_workload::cut::Selection;
use dfrsim_workload::formats::batsim::MOST_FLOPS;
use dfrsim_workload::log::Strictness;
use dfrsim_workload::lublin::{CpuNeeds, MemoryModel};
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, Options, Rule, Rules, SizeField, StatusRule};
use dfrsim_workload::traces;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

/// A log and how its lines become jobs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct WorkloadArguments {
    /// The log: an SWF file, or a workload of Batsim (.json), plain or gzip; looked for as given, then in traces/,
    /// $DFRSIM_TRACES and ../shared/traces
    #[arg(long, value_name = "FILE")]
    pub(crate) workload: String,
    /// The nodes of the cluster; with `--unit processor`, its processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) nodes: u32,
    /// What is given to a task as a whole: a node (the study) or a processor (plain SWF work)
    #[arg(long, value_enum, default_value_t = Unit::Node)]
    pub(crate) unit: Unit,
    /// Where tasks, CPU needs and memory come from
    #[arg(long, value_enum, default_value_t = Annotate::None)]
    pub(crate) annotate: Annotate,
    /// The cores of a node, for `--annotate`: 2 for hpc2n, 4 for lublin unless given
    #[arg(long, value_name = "N")]
    pub(crate) cores: Option<NonZeroU32>,
    /// The seed of all that is random: the memory of `--annotate lublin`, random estimates
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) log: LogArguments,
}

/// Which lines of a log are taken, and what is done with anomalous ones.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct LogArguments {
    /// Where a job's size stands: requested = field 8, else 5; allocated = field 5, else 8
    #[arg(long, value_name = "requested|allocated", default_value = "requested")]
    size: SizeField,
    /// Leave out the first N lines
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Take only N lines, counted after those skipped
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    /// Take only jobs submitted at this second of the log or later
    #[arg(long, value_name = "SECOND")]
    from: Option<u64>,
    /// Take only jobs submitted before this second of the log
    #[arg(long, value_name = "SECOND")]
    to: Option<u64>,
    /// Run time zero or unknown: left out, or 1 s
    #[arg(long, value_name = "drop|clamp|error", default_value = "drop")]
    zero_run: Rule,
    /// Size zero or unknown: left out, or 1
    #[arg(long, value_name = "drop|clamp|error", default_value = "drop")]
    zero_size: Rule,
    /// Wider than the machine: an error, left out, or as wide as the machine
    #[arg(long, value_name = "drop|clamp|error", default_value = "error")]
    too_wide: Rule,
    /// Failed jobs (status 0)
    #[arg(long, value_name = "keep|drop|error", default_value = "keep")]
    failed: StatusRule,
    /// Cancelled jobs (status 5)
    #[arg(long, value_name = "keep|drop|error", default_value = "keep")]
    cancelled: StatusRule,
    /// Parts of checkpointed jobs (status 2, 3 and 4), which another line sums up
    #[arg(long, value_name = "keep|drop|error", default_value = "drop")]
    partial: StatusRule,
    /// Leave out broken lines and count them, instead of refusing the file
    #[arg(long)]
    lenient: bool,
    /// The speed of a node in flop/s, for workloads of Batsim whose profiles compute: 1e9
    #[arg(long, value_name = "FLOP/S", value_parser = flops)]
    flops: Option<NonZeroU64>,
}

/// What is given to a task as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// A task takes a node.
    Node,
    /// A processor of the log takes a processor.
    Processor,
}

/// Where tasks, CPU needs and memory come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotate {
    /// A task a processor, need 1, no memory
    None,
    /// From the log's memory fields, on dual-core nodes of 2 GiB
    Hpc2n,
    /// As for the Lublin model: memory drawn at random, size 1 needs a core of four
    Lublin,
}

impl WorkloadArguments {
    /// The place of the log.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        traces::locate(&self.workload).map_err(Failure::input)
    }

    /// How its lines become jobs.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        if self.unit == Unit::Processor && self.annotate != Annotate::None {
            return Err(Failure::input(
                "--unit processor takes processors as they stand in the log; use --unit node with --annotate",
            ));
        }
        let annotation = match self.annotate {
            Annotate::None if self.cores.is_some() => {
                return Err(Failure::input("--cores says what --annotate hpc2n or lublin is to assume"));
            }
            Annotate::None => Annotation::None,
            Annotate::Hpc2n => {
                let study = ClusterAssumptions::default();
                let cores = self.cores.map_or(study.cores, NonZeroU32::get);
                Annotation::Hpc2n(ClusterAssumptions { cores, ..study })
            }
            Annotate::Lublin => Annotation::Lublin {
                seed: self.seed,
                cpu: match self.cores {
                    Some(cores) => CpuNeeds::new(cores, None, None).map_err(Failure::input)?,
                    None => CpuNeeds::default(),
                },
                memory: MemoryModel::default(),
            },
        };
        Ok(Options { units: Some(self.nodes), annotation, ..self.log.options() })
    }
}

impl LogArguments {
    /// How the lines become jobs of an unlimited machine, without annotation.
    pub(crate) fn options(&self) -> Options {
        Options {
            lines: if self.lenient { Strictness::Lenient } else { Strictness::Strict },
            flops: self.flops,
            size: self.size,
            select: self.selection(),
            rules: Rules {
                failed: self.failed,
                cancelled: self.cancelled,
                partial: self.partial,
                zero_size: self.zero_size,
                too_wide: self.too_wide,
                zero_run: self.zero_run,
            },
            ..Options::default()
        }
    }
    pub(crate) fn selection(&self) -> Selection {
        Selection { skip: self.skip, first: self.first, from: self.from, to: self.to }
    }
}

/// A speed on the command line: a number that may have an exponent, to the nearest flop/s.
fn flops(text: &str) -> Result<NonZeroU64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=MOST_FLOPS).contains(number));
    let whole = number.and_then(|number| NonZeroU64::new(number.round() as u64));
    whole.ok_or_else(|| format!("expected flop/s from 1 to {MOST_FLOPS:e}, found `{text}`"))
}

/// An amount of memory on the command line: GB above 0, with decimals if need be.
pub(crate) fn gigabytes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("expected GB above 0, found {text:?}"))
}

/// A span on the command line: seconds, with decimals if need be.
pub(crate) fn seconds(text: &str) -> Result<SimSpan, String> {
    text.parse().map_err(|error: dfrsim_model::ParseTimeError| error.to_string())
}

/// The threads that are used of those asked for: no more than four a core, since more are no faster and may be more than the
/// machine has.
pub(crate) fn threads_at_most(threads: usize) -> usize {
    const A_CORE: usize = 4;
    let most = A_CORE * std::thread::available_parallelism().map_or(1, usize::from);
    if threads > most {
        notice!("notice: --threads {threads}: {most} are used, {A_CORE} for each core");
    }
    threads.min(most)
}
