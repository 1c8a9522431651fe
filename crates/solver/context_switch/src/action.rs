//! Actions on single VMs.

use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::durations::{Durations, span};
use crate::vjob::VmId;
use dfrsim_model::{NodeId, SimSpan, named};

/// A VM context switch: an action that takes one VM from one place to another (section 2.2, figure
/// 2).
///
/// Only legal actions exist: [`Action::between`] is the only constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    vm: VmId,
    kind: Kind,
    from: Place,
    to: Place,
}

named! {
    /// Kinds of actions.
    pub enum Kind as "action" {
        /// Boot of a waiting VM.
        Run = "run",
        /// Final shutdown of a running VM.
        Stop = "stop",
        /// Live migration of a running VM to another node.
        Migrate = "migrate",
        /// Suspend to disk: the memory of a running or dozing VM is written to the disk of its node.
        Suspend = "suspend",
        /// Suspend to RAM: a running VM pauses and stays in the memory of its node (section 7).
        Doze = "doze",
        /// Resume of a VM that was suspended to a disk: local on the node of its image, remote on
        /// any other node.
        Resume = "resume",
        /// Copy of the image of a suspended VM to another disk.
        Transfer = "transfer",
        /// Resume of a dozing VM; on another node, its memory is sent there first.
        Wake = "wake",
    }
}

impl Kind {
    /// Returns the group whose actions of one vjob are staggered: 0 for suspends, 1 for resumes.
    pub(crate) const fn stagger_group(self) -> Option<usize> {
        match self {
            Kind::Suspend => Some(0),
            Kind::Resume => Some(1),
            _ => None,
        }
    }
}

/// A state transition that the life cycle of a VM does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("VM `{vm}` cannot go from {from} to {to}")]
pub struct IllegalTransition {
    /// Name of the VM.
    pub vm: String,
    /// Current state and node of the VM, as in "sleeping on node `N1`".
    pub from: String,
    /// State and node that the VM cannot reach.
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
    /// Returns the action that takes a VM from one place to another; `None` if the two places are
    /// equal.
    ///
    /// # Errors
    /// The life cycle has no such transition (such as from waiting to sleeping), or the VM or its
    /// image is on the disk, or would be on the disk, of a node that stays off.
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

    /// Returns the action between two places, if the places differ and the life cycle has such an
    /// action.
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

    /// Returns the actions that take a VM from one place to another: one, or a suspend and a
    /// transfer if the image goes to the disk of another node.
    ///
    /// # Errors
    /// Those of [`Action::between`].
    pub(crate) fn sequence_between(
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

    /// Returns the action that makes a VM run on a node; `None` if the VM already runs there or has
    /// terminated.
    pub(crate) const fn to_run(vm: VmId, from: Place, to: NodeId) -> Option<Action> {
        Action::of(vm, from, Place::Running(to))
    }

    /// Returns the VM.
    #[must_use]
    pub const fn vm(self) -> VmId {
        self.vm
    }
    /// Returns the kind of the action.
    #[must_use]
    pub const fn kind(self) -> Kind {
        self.kind
    }
    /// Returns the place of the VM before the action.
    #[must_use]
    pub const fn from(self) -> Place {
        self.from
    }
    /// Returns the place of the VM after the action.
    #[must_use]
    pub const fn to(self) -> Place {
        self.to
    }
    /// Returns true if the action involves two different nodes.
    #[must_use]
    pub fn is_remote(self) -> bool {
        let [from, to] = [self.from, self.to].map(Place::node);
        from.is_some() && to.is_some() && from != to
    }

    /// Returns true if the action writes an image to a disk or reads one (suspend or resume).
    pub(crate) fn accesses_image(self) -> bool {
        self.kind.stagger_group().is_some()
    }

    /// Returns the local cost of the action (table 1), in MB: the memory of the VM for a migration,
    /// a suspend, a local resume and the transfer of an image; twice that for a remote resume; 0 for
    /// a run and a stop. Dozing and waking on the same node cost nothing. Waking on another node
    /// costs as much as a migration. Other [aims](crate::Aim) have other costs: if moves are
    /// counted, a move costs more than any amount of memory; if times are minimised, an action costs
    /// its duration.
    #[must_use]
    pub fn cost(self, cluster: &Cluster) -> u64 {
        if cluster.is_timed() {
            return cluster.durations().of(cluster, self).micros();
        }
        let price = cluster.move_cost(self.vm);
        match self.kind {
            Kind::Run | Kind::Stop | Kind::Doze => 0,
            Kind::Migrate | Kind::Suspend | Kind::Transfer => price,
            Kind::Resume => price * (1 + u64::from(self.is_remote())),
            Kind::Wake => price * u64::from(self.is_remote()),
        }
    }
}

impl Durations {
    /// Returns the duration of an action on otherwise idle nodes.
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

    /// Returns the factor by which computations on the nodes of an action slow down while it lasts:
    /// 1 for runs, stops and actions within memory.
    pub fn slowdown(&self, action: Action) -> f64 {
        match action.kind() {
            Kind::Run | Kind::Stop | Kind::Doze => 1.0,
            _ if action.is_remote() => self.remote_slowdown,
            Kind::Wake => 1.0,
            _ => self.local_slowdown,
        }
    }
}
