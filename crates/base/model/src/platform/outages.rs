//! All times at which nodes are down.

use crate::SimTime;
use crate::platform::{Interruption, NodeSpan};

/// Nodes that are down from one moment to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// When they go down.
    pub from: SimTime,
    /// When they are up again; later than that.
    pub until: SimTime,
    /// The nodes.
    pub nodes: NodeSpan,
}

/// An outage that is announced: a maintenance window, or nodes that are reserved for other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// Since when policies know of it; no later than its begin.
    pub announced: SimTime,
    /// The outage.
    pub outage: Outage,
}

/// The most windows: policies plan around all that they know of.
pub const MOST_WINDOWS: usize = 10_000;

/// All times at which nodes of a cluster are down, and what happens to the jobs there. A node is up when no outage has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outages {
    /// What happens to jobs on nodes that go down.
    pub interruption: Interruption,
    /// Outages without notice.
    pub failures: Vec<Outage>,
    /// Outages with notice.
    pub windows: Vec<Window>,
}

/// Why outages cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutageError {
    /// It does not last.
    #[error("an outage from {from} s to {until} s does not last")]
    Empty {
        /// Its begin.
        from: SimTime,
        /// Its end.
        until: SimTime,
    },
    /// It is of nodes that are not there.
    #[error("an outage at {from} s is of node {node}, and there are {nodes}")]
    NoSuchNode {
        /// Its begin.
        from: SimTime,
        /// The last of its nodes.
        node: u64,
        /// The nodes of the cluster.
        nodes: u32,
    },
    /// There are more windows than policies can plan around.
    #[error("more than {MOST_WINDOWS} windows, which is the most that can be simulated")]
    TooManyWindows,
    /// It is announced when it has begun.
    #[error("a window from {from} s on is announced later, at {announced} s")]
    LateNotice {
        /// Its begin.
        from: SimTime,
        /// Its announcement.
        announced: SimTime,
    },
}

impl Outages {
    /// All outages, announced or not.
    pub fn all(&self) -> impl Iterator<Item = &Outage> {
        self.failures.iter().chain(self.windows.iter().map(|window| &window.outage))
    }
    /// Whether nodes are always up.
    pub fn is_empty(&self) -> bool {
        self.failures.is_empty() && self.windows.is_empty()
    }
    /// Whether they can be those of a cluster of this many nodes.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, nodes: u32) -> Result<(), OutageError> {
        if self.windows.len() > MOST_WINDOWS {
            return Err(OutageError::TooManyWindows);
        }
        for &Outage { from, until, nodes: span } in self.all() {
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
