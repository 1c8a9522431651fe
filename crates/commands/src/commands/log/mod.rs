//! `dfrsim log`: logs and workloads.

pub(super) mod anonymise;
mod convert;
mod generate;
mod info;
mod read;
mod remarks;
mod resample;
mod suggestions;
mod write;

pub(crate) use generate::Generate;
pub(super) use info::Described;

use crate::failure::Failure;
use clap::Subcommand;

/// Inspect and convert logs, and generate workloads
#[derive(Subcommand, Debug)]
pub(crate) enum Log {
    Info(info::Info),
    Convert(convert::Convert),
    Anonymise(anonymise::Anonymise),
    Resample(resample::Resample),
    Generate(Generate),
}

impl Log {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Log::Info(command) => command.run(),
            Log::Convert(command) => command.run(),
            Log::Anonymise(command) => command.run(),
            Log::Resample(command) => command.run(),
            Log::Generate(command) => command.run(),
        }
    }
}
