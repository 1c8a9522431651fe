//! `dfrsim log anonymise`

use super::{read, write};
use crate::arguments::LogArguments;
use crate::failure::Failure;
use crate::output::{Printing, Written, counted, notice};
use clap::Args;
use dfrsim_workload::anonymise::{Replaced, anonymise};
use std::path::PathBuf;

/// Write a log in which no user can be recognised, with the same simulations
///
/// Users, groups, accounts, queues, partitions, names of jobs and numbers of jobs become numbers by their first appearance;
/// paths, hosts and comments are left out, but for the size of the machine. The output is SWF for every input. A
/// simulation of it has the same figures.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim log anonymise march.sacct --shift --out march.swf.gz
  dfrsim log anonymise march.pbs --out march.swf")]
pub(crate) struct Anonymise {
    /// The log: SWF, GWF (.gwf), what sacct --parsable2 prints (.sacct), accounting of PBS (.pbs), or a workload of Batsim (.json)
    input: PathBuf,
    #[command(flatten)]
    log: LogArguments,
    /// Let times begin with the first job, and do not say when that was
    #[arg(long)]
    shift: bool,
    /// The file to write
    #[arg(long, value_name = "FILE.swf[.gz]")]
    out: PathBuf,
    #[command(flatten)]
    printing: Printing,
}

impl Anonymise {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (_, header, mut records) = read::selected(&self.input, &self.out, &self.log)?;
        let (header, replaced) = anonymise(&header, &mut records, self.shift);
        write::log(&self.out, &header, &records)?;
        let Replaced { jobs, users, groups, executables, queues, partitions } = replaced;
        let replaced = [
            (jobs, "job"),
            (users, "user"),
            (groups, "group"),
            (executables, "executable"),
            (queues, "queue"),
            (partitions, "partition"),
        ];
        notice!("{}: {}", self.out.display(), replaced.map(|(count, of)| counted(count, of)).join(", "));
        self.printing.print(&Written::new([&self.out]))
    }
}
