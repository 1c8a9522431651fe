//! Scenarios of the discovery study, checked and with all defaults filled in.

use super::published::Published;
use crate::key::Digest;
use dfrsim_discovery::recorded::Unit;
use dfrsim_discovery::{Approach, Settings, Testbed, Workload};
use dfrsim_model::{Share, SimSpan};

/// A scenario of the discovery study.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) title: String,
    /// The seed of all that is random in it.
    pub(super) seed: u64,
    /// How many seeds of each testbed; at least one.
    pub(super) samples: u32,
    /// Each once; at least one.
    pub(super) approaches: Vec<Approach>,
    /// At least one; the first one is what statements are checked on.
    pub(super) variants: Vec<Variant>,
    /// At least one.
    pub(super) workloads: Vec<WorkloadGroup>,
}

/// Settings, and what they are called.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) settings: Settings,
}

/// Workloads of one source.
#[derive(Debug)]
pub(super) struct WorkloadGroup {
    pub(super) name: String,
    /// The table that stands beside our own figures.
    pub(super) published: Option<Published>,
    pub(super) source: Source,
}

/// Where workloads come from.
#[derive(Debug)]
pub(super) enum Source {
    /// One for each seed.
    Testbed(Testbed),
    /// A single one.
    Recorded(Box<RecordedSource>),
}

/// CPU traces of files.
#[derive(Debug)]
pub(super) struct RecordedSource {
    /// The names of the files as the scenario gives them, and the digests of what stands in them.
    pub(super) files: Vec<(String, Digest)>,
    pub(super) nodes: u32,
    pub(super) memory: Share,
    pub(super) interval: SimSpan,
    pub(super) unit: Unit,
    /// How much of the traces is used.
    pub(super) span: SimSpan,
    pub(super) workload: Workload,
}

impl Source {
    /// How many workloads of this source there are.
    pub(super) fn samples(&self, of_testbeds: u32) -> u32 {
        match self {
            Source::Testbed(_) => of_testbeds,
            Source::Recorded(_) => 1,
        }
    }
}
