//! `dfrsim offline`: packing jobs once and for all, one instance at a time.

mod answer;
mod fewest;
mod instance;
mod pack;
mod replayed;

pub(super) use answer::Answered;

use crate::failure::Failure;
use clap::Subcommand;

/// Pack single instances of the off-line study, or write them to files
#[derive(Subcommand, Debug)]
pub(crate) enum Offline {
    Pack(pack::Pack),
    Instance(instance::Instance),
}

impl Offline {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Offline::Pack(command) => command.run(),
            Offline::Instance(command) => command.run(),
        }
    }
}
