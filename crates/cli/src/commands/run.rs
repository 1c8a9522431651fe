//! `dfrsim run`

use crate::failure::Failure;
use clap::Args;
use std::path::PathBuf;

/// Run a scenario: policies x workloads, in parallel, to tables
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The scenario
    scenario: Option<PathBuf>,
}

impl Run {
    pub(crate) fn run(self) -> Result<(), Failure> {
        Err(Failure::Input(format!("{:?}", self.scenario)))
    }
}
