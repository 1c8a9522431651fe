//! The actions on one VM.

use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::durations::{Durations, span};
use crate::vjob::VmId;
use dfrsim_model::{NodeId, SimSpan, named};

/// A VM context switch: an action that takes one VM from a place to another (section 2.2, figure 2).
///
/// Only legal ones exist: [`Action::between`] is the only way to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    vm: VmId,
    kind: Kind,
    from: Place,
    to: Place,
}

named! {
    /// The effect of an action.
    pub enum Kind as "action" {
        /// A waiting VM is booted.
        Run = "run",
        /// A VM that runs is shut down for good.
        Stop = "stop",
        /// A VM goes on running elsewhere.
        Migrate = "migrate",
        /// The memory of a VM that runs or dozes is written to the disk of its node.
        Suspend = "suspend",
        /// A VM that runs is held in the memory of its node (section 7).
        Doze = "doze",
        /// A VM that was suspended to a disk runs again: a local resume on the node of its image, else a remote one.
        Resume = "resume",
        /// The image of a VM goes to another disk.
        Transfer = "transfer",
        /// A VM that dozed runs again; if on another node, its memory is sent there.
        Wake = "wake",
    }
}

impl Kind {
    /// What goes together of a vjob: its suspends, 0, and its resumes, 1.
    pub(crate) const fn group(self) -> Option<usize> {
        match self {
            Kind::Suspend => Some(0),
            Kind::Resume => Some(1),
            _ => None,
        }
    }
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
        match Action::of(vm, from, to) {
            _ if from == to => Ok(None),
            None => Err(illegal()),
            _ if from.node().is_some_and(|node| cluster.stays_off(node)) => Err(illegal()),
            Some(Action { kind: Kind::Transfer, .. })
                if to.node().is_some_and(|to| cluster.stays_off(to)) =>
            {
                Err(illegal())
            }
            action => Ok(action),
        }
    }

    /// The action that takes a VM from one place to another, if the life cycle has it and they differ.
    pub(crate) const fn of(vm: VmId, from: Place, to: Place) -> Option<Action> {
        let kind = match (from, to) {
            (Place::Waiting, Place::Running(_)) => Kind::Run,
            (Place::Running(_), Place::Terminated) => Kind::Stop,
            (Place::Running(from), Place::Running(to)) if from.0 != to.0 => Kind::Migrate,
            (Place::Running(on) | Place::Dozing(on), Place::Sleeping(disk)) if on.0 == disk.0 => {
                Kind::Suspend
            }
            (Place::Running(on), Place::Dozing(there)) if on.0 == there.0 => Kind::Doze,
            (Place::Sleeping(_), Place::Running(_)) => Kind::Resume,
            (Place::Sleeping(from), Place::Sleeping(to)) if from.0 != to.0 => Kind::Transfer,
            (Place::Dozing(_), Place::Running(_)) => Kind::Wake,
            _ => return None,
        };
        Some(Action { vm, kind, from, to })
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
    pub(crate) const fn to_run(vm: VmId, from: Place, to: NodeId) -> Option<Action> {
        Action::of(vm, from, Place::Running(to))
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
        self.from
    }
    /// Where the VM is after it.
    #[must_use]
    pub const fn to(self) -> Place {
        self.to
    }
    /// Whether it goes between two nodes.
    #[must_use]
    pub fn is_remote(self) -> bool {
        let [from, to] = [self.from, self.to].map(Place::node);
        from.is_some() && to.is_some() && from != to
    }

    /// Whether an image is written to a disk or read from it.
    pub(crate) fn has_image(self) -> bool {
        self.kind.group().is_some()
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
            Kind::Run | Kind::Stop | Kind::Doze => 0,
            Kind::Migrate | Kind::Suspend | Kind::Transfer => price,
            Kind::Resume => price * (1 + u64::from(self.is_remote())),
            Kind::Wake => price * u64::from(self.is_remote()),
        }
    }
}

impl Durations {
    /// How long an action takes by itself, on otherwise idle nodes.
    pub fn of(&self, cluster: &Cluster, action: Action) -> SimSpan {
        let memory = cluster.vm(action.vm()).demand.memory as f64;
        let seconds = match action.kind() {
            Kind::Run => self.run_s,
            Kind::Stop => self.stop_s,
            Kind::Migrate | Kind::Transfer => self.migrate.seconds(memory),
            Kind::Suspend => self.suspend.seconds(memory),
            Kind::Resume if action.is_remote() => self.remote_resume.seconds(memory),
            Kind::Resume => self.local_resume.seconds(memory),
            Kind::Wake if action.is_remote() => self.migrate.seconds(memory),
            Kind::Doze | Kind::Wake => self.doze_s,
        };
        span(seconds)
    }

    /// How many times longer computations take beside an action: 1 for runs, stops, and what happens in memory.
    pub fn slowdown(&self, action: Action) -> f64 {
        match action.kind() {
            Kind::Run | Kind::Stop | Kind::Doze => 1.0,
            _ if action.is_remote() => self.remote_slowdown,
            Kind::Wake => 1.0,
            _ => self.local_slowdown,
        }
    }
}
