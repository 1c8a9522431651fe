//! The actions on one VM.

use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::durations::{Durations, span};
use crate::vjob::VmId;
use dfrsim_model::{NodeId, SimSpan};

/// A VM context switch: an action that takes one VM from a place to another (section 2.2, figure 2).
///
/// Only legal ones exist: [`Action::between`] is the only way to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    vm: VmId,
    kind: Kind,
}

/// The effect of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A waiting VM is booted.
    Run {
        /// Where.
        on: NodeId,
    },
    /// A VM that runs is shut down for good.
    Stop {
        /// Where it runs.
        on: NodeId,
    },
    /// A VM goes on running elsewhere.
    Migrate {
        /// Where it runs.
        from: NodeId,
        /// Where it will run.
        to: NodeId,
    },
    /// The memory of a VM is written to the disk of its node.
    Suspend {
        /// Where it runs or dozes.
        on: NodeId,
        /// Whether it dozes there.
        dozing: bool,
    },
    /// A VM that runs is held in the memory of its node (section 7).
    Doze {
        /// Where.
        on: NodeId,
    },
    /// A VM that was suspended to a disk runs again.
    Resume {
        /// Where its image is.
        from: NodeId,
        /// Where it will run: the resume is local if that is the same node, else remote.
        to: NodeId,
    },
    /// The image of a VM goes to another disk.
    Transfer {
        /// Where it is.
        from: NodeId,
        /// Where it will be.
        to: NodeId,
    },
    /// A VM that dozed runs again.
    Wake {
        /// Where it dozes.
        from: NodeId,
        /// Where it will run; if that is another node, its memory is sent there.
        to: NodeId,
    },
}

/// A change of state that the life cycle of a VM does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("VM `{vm}` cannot go from {from} to {to}")]
pub struct IllegalTransition {
    /// The VM.
    pub vm: String,
    /// Its state and node, as in "sleeping on node `N1`".
    pub from: String,
    /// Those that it cannot go to.
    pub to: String,
}

fn describe(cluster: &Cluster, place: Place) -> String {
    let node = place.node().map(|node| {
        let off = if cluster.stays_off(node) { ", which is off," } else { "" };
        format!(" on node `{}`{off}", cluster.node(node).name)
    });
    format!("{}{}", place.state().name(), node.unwrap_or_default())
}

impl Action {
    /// The action that takes a VM from one place to another; `None` if they are the same.
    ///
    /// # Errors
    /// The life cycle has no such transition, as of a waiting VM that sleeps; or the VM is on the disk of a node that is off and
    /// stays so, or its image would be.
    pub fn between(
        cluster: &Cluster,
        vm: VmId,
        from: Place,
        to: Place,
    ) -> Result<Option<Action>, IllegalTransition> {
        let illegal = || {
            let vm = cluster.vm(vm).name.clone();
            let [from, to] = [from, to].map(|place| describe(cluster, place));
            IllegalTransition { vm, from, to }
        };
        let kind = match (from, to) {
            _ if from == to => return Ok(None),
            _ if from.node().is_some_and(|node| cluster.stays_off(node)) => return Err(illegal()),
            (Place::Waiting, Place::Running(on)) => Kind::Run { on },
            (Place::Running(on), Place::Terminated) => Kind::Stop { on },
            (Place::Running(from), Place::Running(to)) => Kind::Migrate { from, to },
            (Place::Running(on), Place::Sleeping(disk)) if on == disk => Kind::Suspend { on, dozing: false },
            (Place::Dozing(on), Place::Sleeping(disk)) if on == disk => Kind::Suspend { on, dozing: true },
            (Place::Running(on), Place::Dozing(there)) if on == there => Kind::Doze { on },
            (Place::Sleeping(from), Place::Running(to)) => Kind::Resume { from, to },
            (Place::Sleeping(from), Place::Sleeping(to)) if !cluster.stays_off(to) => {
                Kind::Transfer { from, to }
            }
            (Place::Dozing(from), Place::Running(to)) => Kind::Wake { from, to },
            _ => return Err(illegal()),
        };
        Ok(Some(Action { vm, kind }))
    }

    /// The actions that take a VM from one place to another: one, or, to the disk of another node, a suspend and a transfer.
    ///
    /// # Errors
    /// As of [`Action::between`].
    pub(crate) fn all_between(
        cluster: &Cluster,
        vm: VmId,
        from: Place,
        to: Place,
    ) -> Result<[Option<Action>; 2], IllegalTransition> {
        match (from.host(), to) {
            (Some(on), Place::Sleeping(disk)) if on != disk => Ok([
                Action::between(cluster, vm, from, Place::Sleeping(on))?,
                Action::between(cluster, vm, Place::Sleeping(on), to)?,
            ]),
            _ => Ok([Action::between(cluster, vm, from, to)?, None]),
        }
    }

    /// The action by which a VM comes to run on a node, unless it does or has ended.
    pub(crate) fn to_run(vm: VmId, from: Place, to: NodeId) -> Option<Action> {
        let kind = match from {
            Place::Waiting => Kind::Run { on: to },
            Place::Running(from) if from != to => Kind::Migrate { from, to },
            Place::Sleeping(from) => Kind::Resume { from, to },
            Place::Dozing(from) => Kind::Wake { from, to },
            Place::Running(_) | Place::Terminated => return None,
        };
        Some(Action { vm, kind })
    }
    /// The migration of a VM that runs.
    pub(crate) const fn migration(vm: VmId, from: NodeId, to: NodeId) -> Action {
        Action { vm, kind: Kind::Migrate { from, to } }
    }
    /// The suspend of a VM that runs or dozes.
    pub(crate) const fn suspend(vm: VmId, on: NodeId, dozing: bool) -> Action {
        Action { vm, kind: Kind::Suspend { on, dozing } }
    }
    /// The resume of a VM that sleeps.
    pub(crate) const fn resume(vm: VmId, from: NodeId, to: NodeId) -> Action {
        Action { vm, kind: Kind::Resume { from, to } }
    }

    /// The VM.
    #[must_use]
    pub const fn vm(self) -> VmId {
        self.vm
    }
    /// The action.
    #[must_use]
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// Where the VM must be for it.
    #[must_use]
    pub const fn from(self) -> Place {
        match self.kind {
            Kind::Run { .. } => Place::Waiting,
            Kind::Stop { on } | Kind::Doze { on } | Kind::Suspend { on, dozing: false } => Place::Running(on),
            Kind::Migrate { from, .. } => Place::Running(from),
            Kind::Resume { from, .. } | Kind::Transfer { from, .. } => Place::Sleeping(from),
            Kind::Wake { from, .. } | Kind::Suspend { on: from, dozing: true } => Place::Dozing(from),
        }
    }

    /// Where the VM is after it.
    #[must_use]
    pub const fn to(self) -> Place {
        match self.kind {
            Kind::Run { on } => Place::Running(on),
            Kind::Stop { .. } => Place::Terminated,
            Kind::Migrate { to, .. } | Kind::Resume { to, .. } | Kind::Wake { to, .. } => Place::Running(to),
            Kind::Suspend { on, .. } | Kind::Transfer { to: on, .. } => Place::Sleeping(on),
            Kind::Doze { on } => Place::Dozing(on),
        }
    }

    /// The cost of the action by itself (table 1), in MB: the memory of the VM for a migration, a suspend and a local
    /// resume, as for the transfer of an image, twice that for a remote resume, 0 for a run and a stop. To doze, and to
    /// wake on the same node, costs nothing; to wake elsewhere costs as much as a migration. Other [aims](crate::Aim) have other
    /// costs: where moves are counted a move costs more than any memory, and where times are, an action costs the time that
    /// it takes.
    #[must_use]
    pub fn cost(self, cluster: &Cluster) -> u64 {
        if cluster.is_timed() {
            return cluster.durations().of(cluster, self).micros();
        }
        let price = cluster.price(self.vm);
        match self.kind {
            Kind::Run { .. } | Kind::Stop { .. } | Kind::Doze { .. } => 0,
            Kind::Migrate { .. } | Kind::Suspend { .. } | Kind::Transfer { .. } => price,
            Kind::Resume { from, to } => price * (1 + u64::from(from != to)),
            Kind::Wake { from, to } => price * u64::from(from != to),
        }
    }
}

impl Kind {
    /// The name, as in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Run { .. } => "run",
            Kind::Stop { .. } => "stop",
            Kind::Migrate { .. } => "migrate",
            Kind::Suspend { .. } => "suspend",
            Kind::Doze { .. } => "doze",
            Kind::Resume { .. } => "resume",
            Kind::Transfer { .. } => "transfer",
            Kind::Wake { .. } => "wake",
        }
    }
    /// Whether it goes between two nodes.
    #[must_use]
    pub fn is_remote(self) -> bool {
        match self {
            Kind::Run { .. } | Kind::Stop { .. } | Kind::Suspend { .. } | Kind::Doze { .. } => false,
            Kind::Migrate { from, to }
            | Kind::Resume { from, to }
            | Kind::Transfer { from, to }
            | Kind::Wake { from, to } => from != to,
        }
    }
}

impl Durations {
    /// How long an action takes by itself, on otherwise idle nodes.
    pub fn of(&self, cluster: &Cluster, action: Action) -> SimSpan {
        let memory = cluster.vm(action.vm()).demand.memory as f64;
        let seconds = match action.kind() {
            Kind::Run { .. } => self.run_s,
            Kind::Stop { .. } => self.stop_s,
            Kind::Migrate { .. } | Kind::Transfer { .. } => self.migrate.seconds(memory),
            Kind::Suspend { .. } => self.suspend.seconds(memory),
            Kind::Resume { from, to } if from == to => self.local_resume.seconds(memory),
            Kind::Resume { .. } => self.remote_resume.seconds(memory),
            Kind::Wake { from, to } if from != to => self.migrate.seconds(memory),
            Kind::Doze { .. } | Kind::Wake { .. } => self.doze_s,
        };
        span(seconds)
    }

    /// How many times longer computations take beside an action: 1 for runs, stops, and what happens in memory.
    pub fn slowdown(&self, action: Action) -> f64 {
        match action.kind() {
            Kind::Run { .. } | Kind::Stop { .. } | Kind::Doze { .. } => 1.0,
            kind if kind.is_remote() => self.remote_slowdown,
            Kind::Wake { .. } => 1.0,
            _ => self.local_slowdown,
        }
    }
}
