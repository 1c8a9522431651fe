//! What is to be run.

use std::path::PathBuf;

/// A scenario cut into shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// `dfrsim`, as all machines see it.
    pub program: PathBuf,
    /// The scenario file, as all machines see it.
    pub scenario: PathBuf,
    /// `key=value`, as `dfrsim run --set` takes them.
    pub overrides: Vec<String>,
    /// The result folder, as all machines see it.
    pub out: PathBuf,
    /// How many shards there are.
    pub shards: u32,
    /// The numbers of those that are to be run, from 1, rising.
    pub missing: Vec<u32>,
    /// The cores of a shard.
    pub cpus: u32,
    /// Where the batch system is to run it; its default if nothing is said.
    pub partition: Option<String>,
    /// How long a shard may take, as the batch system writes times; its default if nothing is said.
    pub time: Option<String>,
    /// Whether an independent checker follows every run, in studies where it does not always do so.
    pub audit: bool,
}

impl Sweep {
    /// The folder of scripts and of what jobs print.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.out.join("jobs")
    }
}
