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

use crate::context::commands;

commands! {
    /// Inspect and convert logs, and generate workloads
    pub(crate) enum Log {
        Info(info::Info),
        Convert(convert::Convert),
        Anonymise(anonymise::Anonymise),
        Resample(resample::Resample),
        Generate(Generate),
    }
}
