//! `dfrsim explain`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Answer;
use clap::Args;
use dfrsim_audit::AuditError;
use dfrsim_audit::explain::{Held, Holder, Life, Moment, explain};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Show the job with the largest stretch event by event, and which jobs held what it needed
///
/// While the job is on no node, the jobs that hold the most memory are listed, or the most nodes if the policy gives
/// whole ones; while it runs below full speed, those beside it on its node with the highest demand of CPU. The stretch is
/// bounded by the tau of the file. The file is audited first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload week.swf --nodes 128 --annotate lublin --policy GreedyPM*/per/OPT=MIN/MVT=600 \\
                  --events-out week.jsonl
  dfrsim explain week.jsonl
  dfrsim explain week.jsonl --job 17")]
pub(crate) struct Explain {
    /// The events file, as `dfrsim simulate --events-out` writes it
    #[arg(value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Another job, by its place in the order of submission, from 0
    #[arg(long, value_name = "N")]
    job: Option<u64>,
}

/// The history of a job.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Explained {
    #[serde(flatten)]
    life: Life,
    /// Its events, in order.
    moments: Vec<Happened>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Happened {
    at_s: f64,
    /// The name of the event, as in the events file.
    event: &'static str,
    /// The yield from then on; 0 on no node.
    #[serde(rename = "yield")]
    job_yield: f64,
    /// What it lacks from then on: `memory` on no node, `nodes` if the policy gives whole ones, `cpu` below full speed.
    lacks: Option<&'static str>,
    /// If CPU is lacking: its node with the highest demand of CPU.
    node: Option<u32>,
    /// The demand of CPU on that node, in nodes.
    needed: Option<f64>,
    /// The jobs that hold the most of what it lacks.
    held_by: Vec<Holder>,
}

impl Answer for Explained {
    fn text(&self) -> String {
        self.life.to_string()
    }
}

impl Happened {
    fn new(Moment { at, event, job_yield, held }: &Moment) -> Happened {
        let (lacks, node, needed, holders): (_, _, _, &[Holder]) = match held {
            Held::NotHeld => (None, None, None, &[]),
            Held::Memory(holders) => (Some("memory"), None, None, holders),
            Held::Nodes { holders, .. } => (Some("nodes"), None, None, holders),
            Held::Cpu { node, need, beside } => (Some("cpu"), Some(*node), Some(*need), beside),
        };
        Happened {
            at_s: at.as_secs_f64(),
            event,
            job_yield: job_yield.as_f64(),
            lacks,
            node,
            needed,
            held_by: holders.to_vec(),
        }
    }
}

impl Explain {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let name = self.events.display();
        let file = File::open(&self.events).map_err(|error| Failure::unreadable(&self.events, &error))?;
        match explain(BufReader::with_capacity(1 << 16, file), self.job) {
            Ok(Some(life)) => {
                let moments = life.moments.iter().map(Happened::new).collect();
                context.print(&Explained { life, moments })
            }
            Ok(None) => Err(Failure::input(match self.job {
                Some(job) => format!(
                    "{name}: no job {job} completes; jobs are counted from 0 in the order of submission"
                ),
                None => format!("{name}: no job completes"),
            })),
            Err(AuditError::Faults(faults)) => Err(Failure::Result(format!("{name}: {faults}"))),
            Err(error) => Err(Failure::input(format!("{name}: {error}"))),
        }
    }
}
