//! `dfrsim offline`: instances of the off-line study.

mod instance;

use crate::failure::Failure;
use clap::Subcommand;

/// Write instances of the off-line study to files, for `dfrsim solve pack`
#[derive(Subcommand, Debug)]
pub(crate) enum Offline {
    Instance(instance::Instance),
}

impl Offline {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Offline::Instance(command) => command.run(),
        }
    }
}
