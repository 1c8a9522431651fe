//! `dfrsim log`: logs and workloads.

pub(super) mod anonymise;
mod convert;
mod generate;
pub(super) mod info;
mod read;
mod remarks;
mod resample;
mod suggestions;
mod write;

use crate::context::commands;

commands! {
    /// Inspect and convert logs, and generate workloads
    pub(crate) enum Log {
        Info(info::Info),
        Convert(convert::Convert),
        Anonymise(anonymise::Anonymise),
        Resample(resample::Resample),
        Generate(generate::Generate),
    }
}
