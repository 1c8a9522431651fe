//! The commands of `dfrsim`.

mod audit;
mod bound;
mod check;
mod coallocate;
mod compare;
mod completions;
mod convert;
mod draw;
mod export;
mod figures;
mod info;
mod instance;
mod lublin;
mod merge;
mod pack;
mod plan;
mod policies;
mod report;
mod run;
mod simulate;
mod status;
mod submit;

use crate::failure::Failure;
use clap::{Parser, Subcommand};

/// Simulates cluster scheduling: fractional (DFRS) and batch policies, on real logs and on the Lublin model.
#[derive(Parser, Debug)]
#[command(version, about, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dfrsim run                                  the quick start: a degradation table in under a minute
  dfrsim run scenarios/hpc2n.toml             FCFS and EASY on 182 weeks of a real log
  dfrsim compare results/quickstart --policy EASY --with CONS
  dfrsim check results/quickstart --baseline baseline.toml --tolerance 2%
  dfrsim figures results/quickstart           pictures of what a run left there
  dfrsim simulate --workload CTC-SP2-1996-3.1-cln.swf.gz --nodes 338 --unit processor --policy EASY
  dfrsim lublin --jobs 1000 --nodes 128 --seed 1 --out week.swf
  dfrsim run scenarios/offline_quick.toml     packing jobs once and for all: the off-line study
  dfrsim pack cluster.json --optimum          one packing, beside the best there is
  dfrsim run scenarios/coallocation_quick.toml  collective requests beside simple ones
  dfrsim plan --from current.json --states states.json    moving VMs: the cheapest context switch
  dfrsim policies                             all policies, a line on each";

#[derive(Subcommand, Debug)]
enum Command {
    Run(run::Run),
    Merge(merge::Merge),
    Status(status::Status),
    Submit(submit::Submit),
    Simulate(Box<simulate::Simulate>),
    Export(export::Export),
    Bound(bound::Bound),
    Lublin(lublin::Lublin),
    Pack(pack::Pack),
    Plan(plan::Plan),
    Instance(instance::Instance),
    Coallocate(coallocate::Coallocate),
    #[command(subcommand)]
    Workload(Workload),
    Policies(policies::Policies),
    Check(check::Check),
    Compare(compare::Compare),
    Report(report::Report),
    Audit(audit::Audit),
    Figures(figures::Figures),
    #[command(subcommand)]
    Draw(draw::Draw),
    Completions(completions::Completions),
}

/// Look at logs and convert them
#[derive(Subcommand, Debug)]
enum Workload {
    Info(info::Info),
    Convert(convert::Convert),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Run(command) => command.run(),
            Command::Merge(command) => command.run(),
            Command::Status(command) => command.run(),
            Command::Submit(command) => command.run(),
            Command::Simulate(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Bound(command) => command.run(),
            Command::Lublin(command) => command.run(),
            Command::Pack(command) => command.run(),
            Command::Plan(command) => command.run(),
            Command::Instance(command) => command.run(),
            Command::Coallocate(command) => command.run(),
            Command::Workload(Workload::Info(command)) => command.run(),
            Command::Workload(Workload::Convert(command)) => command.run(),
            Command::Policies(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Audit(command) => command.run(),
            Command::Figures(command) => command.run(),
            Command::Draw(command) => command.run(),
            Command::Completions(command) => command.run(),
        }
    }
}
