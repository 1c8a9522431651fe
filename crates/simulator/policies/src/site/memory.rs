//! Memory of a site: past usage, and the past of the jobs in the system.

use super::accounts::Accounts;
use dfrsim_model::{JobId, SimTime};
use std::collections::BTreeMap;

/// Memory of the settings of a site at a time: the usage of accounts, and what jobs have been through
/// since their submissions.
#[derive(Debug)]
pub(crate) struct SiteMemory {
    /// Accounts without running jobs.
    pub(super) accounts: Option<Accounts>,
    pub(super) jobs: BTreeMap<JobId, JobMemory>,
}

/// Past of a job in the system.
#[derive(Debug)]
pub(super) struct JobMemory {
    pub(super) waiting_since: SimTime,
    pub(super) eligible_at: SimTime,
    pub(super) waits_for_victims_until: Option<SimTime>,
    /// End of its grace period, if it is being preempted.
    pub(super) grace_end: Option<SimTime>,
    /// Job for which it was preempted, as long as that one waits.
    pub(super) preempted_for: Option<JobId>,
    pub(super) uncharged_since: Option<SimTime>,
}
