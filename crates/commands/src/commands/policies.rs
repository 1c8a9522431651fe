//! `dfrsim policies`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Answer;
use clap::Args;
use dfrsim_lab::Registry;
use dfrsim_policies as policies;
use schemars::JsonSchema;
use serde::Serialize;

/// List all policies with a description of each
#[derive(Args, Debug)]
#[command(after_help = "\
{endpoint} in the command of a Batsim scheduler is replaced by the address to bind (ipc://FILE on Unix);
tcp://HOST:PORT is the address of a scheduler that runs already. The library's page `external` describes the protocols.

Suffixes of any batch policy, after all others:
  /PLACE=CONTIGUOUS   a job gets the lowest run of free nodes that is long enough, instead of the lowest free nodes
  /PLACE=BEST         the shortest run that is long enough, or the fewest runs; where nodes differ, nodes with no more than it requests

Suffixes of FCFS and EASY on a platform with cores, after /ORDER and without /PLACE:
  /NODES=SHARED       tasks of any jobs on a node, as many as its cores, memory and other resources allow
  /NODES=EXCLUSIVE    several tasks on a node, but of one job only; without either suffix, each task has a node of its own

Further suffixes of any fractional policy with MCB:
  /per/BUDGET=GB   a tick migrates at most this much memory, as in GreedyPM*/per/BUDGET=100/OPT=MIN
  /RELABEL         the nodes of a new mapping are renamed so that the least memory moves; written before /OPT

Queue orders of a batch policy (FCFS, EASY, CONS, CONS/REPLAN, SLURM), of which a few are
listed; the job with the smallest value is first:
  /ORDER=NAME      SJF, LJF, SAF, WFP3, SEXP, UNICEF, F1, F2, F3 or F4
  /ORDER='...'     a formula: wait, estimate and submit in seconds, width in tasks, numbers, + - * / ^, parentheses, and the
                   functions log10 log2 ln exp sqrt abs min max

Backfill order of EASY, if it differs from the queue order:
  /FILL=ORDER      an order or a formula as above, or ARRIVAL: EASY/FILL=SJF backfills the shortest job first

Suffixes that can follow all others in the name of a fractional policy, in this order:
  /PERIOD=S        a tick every S seconds, instead of --period
  /BELOW=P         a tick maps all jobs again only if a job is on no node or a yield is below P percent
  /PAY=N           a job is preempted only while its penalties take at most N times its work,
                   and if waiting is not cheaper (GreedyP, GreedyPM)
  /SPREAD          an arriving job gets enough nodes for its tasks to run at full speed, if preemption can free them
  /RETRY=S         jobs that never ran are tried again at every event and every S seconds, as if they had just arrived
  /SWAP=N          preempted jobs are tried too, but preempt only jobs with less than an Nth of their priority
  /LAS=S           yields of OPT=MIN in proportion to S / (virtual time + S): least attained service first
  /AHEAD=S         age bonus: priority (flow time + S) / virtual time

Examples:
  dfrsim policies
  dfrsim policies --names | grep EASY
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY/ORDER=SJF/PLACE=BEST
  dfrsim simulate --workload week.swf --nodes 128 --policy \"EASY/ORDER='estimate * width - 10 * wait'\"
  dfrsim simulate --workload week.swf --nodes 128 --annotate lublin --policy GreedyPM*/per/BUDGET=100/OPT=MIN
  dfrsim simulate --workload week.swf --nodes 128 --policy 'pipe:python3 easy.py'")]
pub(crate) struct Policies {
    /// Print the names only
    #[arg(long)]
    names: bool,
}

/// All policies, or only their names.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Catalogue {
    policies: Vec<Known>,
    /// Policies that run outside of the program, by the pattern of their names; empty with
    /// `--names`.
    families: Vec<Known>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Known {
    /// The name, as `--policy` accepts it.
    name: String,
    /// A description, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Answer for Catalogue {
    fn text(&self) -> String {
        let width =
            self.policies.iter().chain(&self.families).map(|policy| policy.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for Known { name, description } in self.policies.iter().chain(&self.families) {
            text += &match description {
                Some(description) => format!("{name:width$}  {description}\n"),
                None => format!("{name}\n"),
            };
        }
        text
    }
}

impl Policies {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let all = known(context.registry);
        let one = |name, description| Known { name, description: (!self.names).then_some(description) };
        let policies = all.catalogue().into_iter().map(|info| one(info.name, info.description));
        let families = all.families().iter().filter(|_| !self.names);
        let families = families.map(|it| one(it.form.to_owned(), it.description.to_owned())).collect();
        context.print(&Catalogue { policies: policies.collect(), families })
    }
}

/// Returns the policies that the registry provides.
pub(crate) fn known(registry: &Registry) -> policies::Policies {
    registry.environment().get::<policies::Policies>().cloned().unwrap_or_default()
}
