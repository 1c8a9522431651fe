//! Parser of a plan of context switches from JSON.

use dfrsim_model::{SimSpan, SimTime, counted};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Reason why a plan cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFigureError {
    /// The text is not a plan.
    #[error("not a plan: {0}")]
    Malformed(#[from] serde_json::Error),
    /// An action names a node that is not in the plan, or ends before it begins.
    #[error("the {action} of `{vm}` names an unknown node, or ends before it begins")]
    Action {
        /// Kind of the action.
        action: String,
        /// The VM, or the node that is switched on or off.
        vm: String,
    },
    /// The plan has no actions.
    #[error("the plan has no actions")]
    Empty,
}

/// A plan in the format of `dfrsim solve plan --plan-out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanDocument {
    /// Summary, such as `5 actions in 2 pools, cost 14848 MB`.
    pub(super) summary: String,
    /// Names of the nodes.
    pub(super) nodes: Vec<String>,
    /// Name of the vjob of each VM, by the VM's name.
    pub(super) vjobs: BTreeMap<String, String>,
    /// Actions pool by pool, followed by those that switch nodes on or off.
    pub(super) actions: Vec<PlanAction>,
}

/// An action on a VM or a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanAction {
    /// Index of the pool, from 0; `None` for actions on nodes.
    pub(super) pool: Option<usize>,
    /// The VM, or the node that is switched on or off.
    pub(super) name: String,
    /// The kind of action, such as `migrate` or `boot`.
    pub(super) kind: String,
    /// The node before the action.
    pub(super) from: Option<usize>,
    /// The node after the action.
    pub(super) to: Option<usize>,
    /// Cost in MB.
    pub(super) cost: u64,
    /// Start, relative to the start of the plan.
    pub(super) begin: SimTime,
    /// End, relative to the start of the plan; no earlier than `begin`.
    pub(super) end: SimTime,
}

#[derive(Deserialize)]
struct PlanJson {
    cost: u64,
    nodes: Vec<Node>,
    #[serde(default)]
    vms: Vec<Vm>,
    pools: Vec<Vec<Action>>,
    #[serde(default)]
    switches: Vec<Switch>,
}

#[derive(Deserialize)]
struct Node {
    name: String,
}

#[derive(Deserialize)]
struct Vm {
    name: String,
    vjob: Option<String>,
}

#[derive(Deserialize)]
struct Action {
    vm: String,
    action: String,
    from: Option<String>,
    to: Option<String>,
    cost: u64,
    begin_s: f64,
    end_s: f64,
}

#[derive(Deserialize)]
struct Switch {
    node: String,
    action: String,
    begin_s: f64,
    end_s: f64,
}

impl PlanDocument {
    /// Parses a plan from JSON.
    ///
    /// # Errors
    /// Returns an error if the text is not a plan or has no actions.
    pub(super) fn from_json(text: &str) -> Result<PlanDocument, PlanFigureError> {
        let PlanJson { cost, nodes, vms, pools, switches } = serde_json::from_str(text)?;
        let nodes: Vec<String> = nodes.into_iter().map(|node| node.name).collect();
        let places: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let action = |pool, Action { vm: name, action: kind, from, to, cost, begin_s, end_s }| {
            let place = |name: Option<String>| match name {
                None => Some(None),
                Some(name) => places.get(name.as_str()).map(|place| Some(*place)),
            };
            let read = || Some((place(from)?, place(to)?, span(begin_s, end_s)?));
            let Some((from, to, (begin, end))) = read() else {
                return Err(PlanFigureError::Action { action: kind, vm: name });
            };
            Ok(PlanAction { pool, name, kind, from, to, cost, begin, end })
        };
        let of_nodes = switches.into_iter().map(|Switch { node, action, begin_s, end_s }| {
            let [vm, from, to] = [0; 3].map(|_| node.clone());
            Action { vm, action, from: Some(from), to: Some(to), cost: 0, begin_s, end_s }
        });
        let counts = (pools.iter().map(Vec::len).sum(), pools.len());
        let of_vms = pools
            .into_iter()
            .enumerate()
            .flat_map(|(pool, all)| all.into_iter().map(move |one| (Some(pool), one)));
        let actions = of_vms.chain(of_nodes.map(|one| (None, one))).map(|(pool, one)| action(pool, one));
        let actions = actions.collect::<Result<Vec<PlanAction>, PlanFigureError>>()?;
        if counts.0 == 0 {
            return Err(PlanFigureError::Empty);
        }
        let vjobs = vms.into_iter().filter_map(|vm| Some((vm.name, vm.vjob?))).collect();
        let summary =
            format!("{} in {}, cost {cost} MB", counted(counts.0, "action"), counted(counts.1, "pool"));
        Ok(PlanDocument { summary, nodes, vjobs, actions })
    }

    /// Returns the ends of pools in microseconds, except for pools whose actions overlap those of
    /// the next pool.
    pub(super) fn pool_ends(&self) -> Vec<u64> {
        let of_vms = &self.actions[..self.actions.partition_point(|action| action.pool.is_some())];
        let pools: Vec<&[PlanAction]> = of_vms.chunk_by(|a, b| a.pool == b.pool).collect();
        let end = |pool: &[PlanAction]| pool.iter().map(|action| action.end).max();
        let begin = |pool: &[PlanAction]| pool.iter().map(|action| action.begin).min();
        let pairs = pools.windows(2).filter(|pair| end(pair[0]) <= begin(pair[1]));
        pairs.filter_map(|pair| Some(end(pair[0])?.micros())).collect()
    }
}

impl PlanAction {
    /// Returns the target of the action, as a sort key: VMs come before nodes, which may have the
    /// same names.
    pub(super) fn target(&self) -> (bool, &str) {
        (self.pool.is_none(), &self.name)
    }
}

fn span(begin_s: f64, end_s: f64) -> Option<(SimTime, SimTime)> {
    let [begin, end] = [begin_s, end_s].map(SimSpan::try_from_secs_f64);
    let (begin, end) = (SimTime::ZERO + begin?, SimTime::ZERO + end?);
    (begin <= end).then_some((begin, end))
}
