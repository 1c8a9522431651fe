//! Outages of the nodes of a cluster.

use crate::platform::{Interruption, NodeSpan};
use crate::{SimSpan, SimTime};

/// Nodes that are down for an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// Start of the outage.
    pub from: SimTime,
    /// End of the outage; after the start.
    pub until: SimTime,
    /// Affected nodes.
    pub nodes: NodeSpan,
}

/// Announced outage: a maintenance window, or nodes that are reserved for other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// Time from which on policies know of the window; no later than its start.
    pub announced: SimTime,
    /// Outage of the window.
    pub outage: Outage,
}

/// Maximum number of windows; policies plan around all announced ones.
pub const MAX_WINDOWS: usize = 10_000;

/// Outages of a cluster, and the handling of jobs on the affected nodes. A node is up if no outage
/// includes it, and takes jobs if it is up and not drained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outages {
    /// Rule for jobs on nodes that fail.
    pub interruption: Interruption,
    /// Outages without notice.
    pub failures: Vec<Outage>,
    /// Outages with notice.
    pub windows: Vec<Window>,
    /// Times in which nodes are drained: they take no jobs, but the jobs that run there end as they
    /// would otherwise. Policies do not know these times in advance.
    pub drains: Vec<Outage>,
}

/// Error: outages that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutageError {
    /// Outage that ends before or at its start.
    #[error("outage from {from} s to {until} s: expected an end after the start")]
    Empty {
        /// Start of the outage.
        from: SimTime,
        /// End of the outage.
        until: SimTime,
    },
    /// Outage of nodes that do not exist.
    #[error("outage at {from} s includes node {node}, but the cluster has {nodes} nodes")]
    NoSuchNode {
        /// Start of the outage.
        from: SimTime,
        /// Highest node of the outage.
        node: u64,
        /// Number of nodes of the cluster.
        nodes: u32,
    },
    /// More windows than policies can plan around.
    #[error("more than {MAX_WINDOWS} windows cannot be simulated")]
    TooManyWindows,
    /// Window that is announced after its start.
    #[error(
        "window at {from} s is announced at {announced} s; expected an announcement no later than its start"
    )]
    LateNotice {
        /// Start of the outage.
        from: SimTime,
        /// Time of the announcement.
        announced: SimTime,
    },
}

impl Outages {
    /// Iterates over all outages in which nodes go down, announced or not.
    pub fn all(&self) -> impl Iterator<Item = &Outage> {
        self.failures.iter().chain(self.windows.iter().map(|window| &window.outage))
    }
    /// Returns whether nodes always take jobs.
    pub fn is_empty(&self) -> bool {
        self.failures.is_empty() && self.windows.is_empty() && self.drains.is_empty()
    }
    /// Turns drains into failures, for policies whose jobs cannot stay on nodes that take no jobs.
    #[must_use]
    pub fn without_drains(mut self) -> Outages {
        self.failures.append(&mut self.drains);
        self
    }
    /// Moves all outages to later times.
    #[must_use]
    pub fn moved(mut self, by: SimSpan) -> Outages {
        let outages = self.failures.iter_mut().chain(&mut self.drains);
        let outages = outages.chain(self.windows.iter_mut().map(|window| &mut window.outage));
        for outage in outages {
            outage.from = outage.from.saturating_add(by);
            outage.until = outage.until.saturating_add(by);
        }
        for window in &mut self.windows {
            window.announced = window.announced.saturating_add(by);
        }
        self
    }
    /// Checks the outages for a cluster with this number of nodes.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn check(&self, nodes: u32) -> Result<(), OutageError> {
        if self.windows.len() > MAX_WINDOWS {
            return Err(OutageError::TooManyWindows);
        }
        for &Outage { from, until, nodes: span } in self.all().chain(&self.drains) {
            if from >= until {
                return Err(OutageError::Empty { from, until });
            }
            if span.end() > u64::from(nodes) || span.nodes == 0 {
                return Err(OutageError::NoSuchNode { from, node: span.end().saturating_sub(1), nodes });
            }
        }
        let late = self.windows.iter().find(|window| window.announced > window.outage.from);
        late.map_or(Ok(()), |&Window { announced, outage }| {
            Err(OutageError::LateNotice { from: outage.from, announced })
        })
    }
}
