//! Plan as described in its file.

use dfrsim_model::named;
pub(super) use dfrsim_state::{Constraint, ConstraintKind as Kind, VmState as State};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// Time in microseconds, which represents the seconds of the file exactly.
pub(super) type Micros = i64;

pub(super) fn micros(seconds: f64) -> Micros {
    (seconds * 1e6).round() as Micros
}

#[derive(Debug, Deserialize)]
pub(super) struct Document {
    pub(super) cost: u64,
    #[serde(default)]
    pub(super) bound: Option<u64>,
    #[serde(default)]
    pub(super) proven: bool,
    #[serde(default)]
    pub(super) actions: StartTimes,
    /// Largest number of simultaneous moves with one node as source or destination.
    #[serde(default)]
    pub(super) moves_per_node: Option<usize>,
    /// Largest number of simultaneous moves.
    #[serde(default)]
    pub(super) moves: Option<usize>,
    pub(super) nodes: Vec<NodeRecord>,
    pub(super) vms: Vec<VmRecord>,
    /// Constraints that must hold, and at first those with a weight too.
    pub(super) constraints: Vec<Constraint>,
    /// Constraints with a weight.
    #[serde(skip)]
    pub(super) soft: Vec<Constraint>,
    /// Sum of the weights of the violations of soft constraints at the end.
    #[serde(default)]
    pub(super) penalty: u64,
    pub(super) pools: Vec<Vec<ActionRecord>>,
    #[serde(default)]
    pub(super) switches: Vec<SwitchRecord>,
}

/// Start times of actions: pool by pool, or at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum StartTimes {
    #[default]
    Pools,
    Asap,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeRecord {
    pub(super) name: String,
    #[serde(deserialize_with = "thousandths")]
    pub(super) cpu: u64,
    pub(super) memory: u32,
    #[serde(default)]
    pub(super) resources: BTreeMap<String, u32>,
    #[serde(default)]
    pub(super) state: Power,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Power {
    #[default]
    Online,
    Offline,
}

/// Reads a decimal number as thousandths, which is exact.
fn thousandths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok((f64::deserialize(deserializer)? * 1e3).round() as u64)
}

#[derive(Debug, Deserialize)]
pub(super) struct VmRecord {
    pub(super) name: String,
    pub(super) vjob: String,
    #[serde(deserialize_with = "thousandths")]
    pub(super) cpu: u64,
    pub(super) memory: u32,
    #[serde(default)]
    pub(super) resources: BTreeMap<String, u32>,
    pub(super) before: PlaceRecord,
    pub(super) after: PlaceRecord,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct PlaceRecord {
    pub(super) state: State,
    #[serde(default)]
    pub(super) node: Option<String>,
}

/// Returns the amount of a constraint in thousandths.
pub(super) fn in_thousandths(constraint: &Constraint) -> u64 {
    constraint.amount.in_parts(1_000).unsigned_abs()
}

/// Returns the amount of a constraint in the units of amounts: CPU in thousandths of a unit, other
/// resources in units.
pub(super) fn in_units(constraint: &Constraint) -> u64 {
    in_thousandths(constraint) / if constraint.resource == "cpu" { 1 } else { 1_000 }
}

/// Switching of a node on or off.
#[derive(Debug, Deserialize)]
pub(super) struct SwitchRecord {
    pub(super) node: String,
    pub(super) action: Turn,
    pub(super) begin_s: f64,
    pub(super) end_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Turn {
    Boot,
    Shutdown,
}

#[derive(Debug, Deserialize)]
pub(super) struct ActionRecord {
    pub(super) vm: String,
    pub(super) action: Verb,
    #[serde(default)]
    pub(super) from: Option<String>,
    #[serde(default)]
    pub(super) to: Option<String>,
    pub(super) cost: u64,
    pub(super) begin_s: f64,
    pub(super) end_s: f64,
}

named! {
    /// Action on a VM.
    pub(super) enum Verb as "action" {
        Run = "run",
        Stop = "stop",
        Migrate = "migrate",
        Suspend = "suspend",
        Doze = "doze",
        Resume = "resume",
        Transfer = "transfer",
        Wake = "wake",
    }
}

impl Document {
    /// Returns all actions, each with its pool.
    pub(super) fn all_actions(&self) -> Vec<(usize, &ActionRecord)> {
        let pools = self.pools.iter().enumerate();
        pools.flat_map(|(pool, actions)| actions.iter().map(move |action| (pool, action))).collect()
    }
}

impl VmRecord {
    /// Returns the amount of a resource that the VM takes in a place; CPU in thousandths of a unit.
    pub(super) fn takes(&self, resource: &str, place: &PlaceRecord) -> u64 {
        let is_running = place.state == State::Running;
        match resource {
            "cpu" => self.cpu * u64::from(is_running),
            "memory" => u64::from(self.memory) * u64::from(place.host().is_some()),
            other => self.resources.get(other).map_or(0, |&amount| amount.into()) * u64::from(is_running),
        }
    }
}

impl NodeRecord {
    /// Returns the capacity of the node for a resource; CPU in thousandths of a unit.
    pub(super) fn has(&self, resource: &str) -> u64 {
        match resource {
            "cpu" => self.cpu,
            "memory" => self.memory.into(),
            other => self.resources.get(other).map_or(0, |&amount| amount.into()),
        }
    }
}

impl Verb {
    /// Returns whether a VM is hosted after the action.
    pub(super) const fn is_hosted(self) -> bool {
        !matches!(self, Verb::Stop | Verb::Suspend | Verb::Transfer)
    }
}

impl PlaceRecord {
    /// Returns the node that hosts the VM.
    pub(super) fn host(&self) -> Option<&str> {
        matches!(self.state, State::Running | State::Dozing).then_some(self.node.as_deref()).flatten()
    }
}

impl fmt::Display for PlaceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)?;
        self.node.as_ref().map_or(Ok(()), |node| write!(f, " on `{node}`"))
    }
}

impl ActionRecord {
    /// Returns the place of the VM after the action; `None` if the action is illegal in `from`.
    pub(super) fn result_from(&self, from: &PlaceRecord) -> Option<PlaceRecord> {
        let (has_end, stays) = (self.to.is_some(), self.from == self.to);
        let (state, is_right) = match (self.action, from.state) {
            (Verb::Stop, State::Running) => (State::Terminated, !has_end),
            (Verb::Migrate, State::Running) => (State::Running, has_end && !stays),
            (Verb::Suspend, State::Running | State::Dozing) => (State::Sleeping, stays),
            (Verb::Transfer, State::Sleeping) => (State::Sleeping, has_end && !stays),
            (Verb::Doze, State::Running) => (State::Dozing, stays),
            (Verb::Run, State::Waiting) | (Verb::Resume, State::Sleeping) | (Verb::Wake, State::Dozing) => {
                (State::Running, has_end)
            }
            _ => return None,
        };
        // For a waiting VM both nodes are absent.
        (is_right && from.node == self.from).then(|| PlaceRecord { state, node: self.to.clone() })
    }

    /// Computes the cost of the action for a VM with this memory in MB.
    pub(super) fn expected_cost(&self, memory: u64) -> u64 {
        let remote = u64::from(self.from != self.to);
        match self.action {
            Verb::Run | Verb::Stop | Verb::Doze => 0,
            Verb::Migrate | Verb::Suspend | Verb::Transfer => memory,
            Verb::Resume => memory + remote * memory,
            Verb::Wake => remote * memory,
        }
    }
}
