//! Conditions of a cluster beyond equal nodes that are always up.

use crate::{Options, records};
use dfrsim_model::SimSpan;
use dfrsim_model::event::Record;
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::site::SiteSettings;
use std::sync::Arc;

/// Conditions of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Node outages and their effect on jobs; `None` if every node is always up.
    pub outages: Option<Arc<Outages>>,
    /// Node classes, and the jobs' requirements on them; `None` if all nodes are equal.
    pub unequal: Option<Arc<UnequalNodes>>,
    /// Priorities, limits, preemption and backfilling; `None` if only the order of the policy
    /// matters.
    pub site: Option<Arc<SiteSettings>>,
}

impl Conditions {
    /// Returns whether there are no special conditions.
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }

    /// Returns the options of a simulation under these conditions.
    #[must_use]
    pub fn options(&self, others: Options) -> Options {
        Options {
            outages: self.outages.clone(),
            unequal: self.unequal.clone(),
            epilog: SimSpan::from_secs(self.site.as_ref().map_or(0, |site| site.epilog_s)),
            ..others
        }
    }

    /// Returns whether jobs can lose their nodes, by failures or preemption.
    pub fn has_interruptions(&self) -> bool {
        self.outages.is_some() || self.site.as_ref().is_some_and(|site| site.preempting_classes().is_some())
    }

    /// Returns the records of the conditions in an events file.
    pub fn records(&self) -> Vec<Record<'static>> {
        records::conditions(self.outages.as_deref(), self.unequal.as_deref(), self.site.as_deref())
    }
}
