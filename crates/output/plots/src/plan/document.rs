//! A plan of context switches, read from its JSON text.

use dfrsim_model::{SimSpan, SimTime, counted};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Why a plan cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFigureError {
    /// The text is not a plan.
    #[error("not a plan: {0}")]
    Malformed(#[from] serde_json::Error),
    /// An action names a node that the plan does not have, or ends before it begins.
    #[error("the {action} of `{vm}` names an unknown node, or ends before it begins")]
    Action {
        /// The action.
        action: String,
        /// The VM, or the node that is switched on or off.
        vm: String,
    },
    /// The plan is empty.
    #[error("the plan has no action")]
    Empty,
}

/// A plan, as `dfrsim solve plan --plan-out` writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDocument {
    /// The cost of all actions, in MB.
    pub cost: u64,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The vjob of each VM, by the VM's name.
    pub vjobs: BTreeMap<String, String>,
    /// The actions, pool by pool.
    pub pools: Vec<Vec<PlanAction>>,
    /// Nodes that are switched on and off.
    pub switches: Vec<PlanSwitch>,
}

/// An action on a VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanAction {
    /// The name of the VM.
    pub vm: String,
    /// The kind of action, such as `migrate`.
    pub action: String,
    /// The VM's node before the action.
    pub from: Option<usize>,
    /// The VM's node after the action.
    pub to: Option<usize>,
    /// In MB.
    pub cost: u64,
    /// After the begin of the plan.
    pub begin: SimTime,
    /// No earlier than the begin.
    pub end: SimTime,
}

/// A node is switched on or off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSwitch {
    /// The node.
    pub node: usize,
    /// `boot` or `shutdown`.
    pub action: String,
    /// After the begin of the plan.
    pub begin: SimTime,
    /// No earlier than the begin.
    pub end: SimTime,
}

#[derive(Deserialize)]
struct Text {
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
    /// The plan of a JSON text.
    ///
    /// # Errors
    /// The text is not a plan, or there is no action in it.
    pub fn from_json(text: &str) -> Result<PlanDocument, PlanFigureError> {
        let Text { cost, nodes, vms, pools, switches } = serde_json::from_str(text)?;
        let nodes: Vec<String> = nodes.into_iter().map(|node| node.name).collect();
        let places: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let wrong = |action: &str, vm: &str| PlanFigureError::Action { action: action.into(), vm: vm.into() };
        let action = |Action { vm, action, from, to, cost, begin_s, end_s }| {
            let place = |name: Option<String>| match name {
                None => Some(None),
                Some(name) => places.get(name.as_str()).map(|place| Some(*place)),
            };
            let read = || Some((place(from)?, place(to)?, span(begin_s, end_s)?));
            let (from, to, (begin, end)) = read().ok_or_else(|| wrong(&action, &vm))?;
            Ok(PlanAction { vm, action, from, to, cost, begin, end })
        };
        let pools = pools
            .into_iter()
            .map(|pool| pool.into_iter().map(action).collect())
            .collect::<Result<Vec<Vec<PlanAction>>, PlanFigureError>>()?;
        let switch = |Switch { node, action, begin_s, end_s }: Switch| {
            let read = places.get(node.as_str()).copied().zip(span(begin_s, end_s));
            let (place, (begin, end)) = read.ok_or_else(|| wrong(&action, &node))?;
            Ok(PlanSwitch { node: place, action, begin, end })
        };
        let switches = switches.into_iter().map(switch).collect::<Result<_, PlanFigureError>>()?;
        if pools.iter().all(Vec::is_empty) {
            return Err(PlanFigureError::Empty);
        }
        let vjobs = vms.into_iter().filter_map(|vm| Some((vm.name, vm.vjob?))).collect();
        Ok(PlanDocument { cost, nodes, vjobs, pools, switches })
    }

    /// `5 actions in 2 pools, cost 14848 MB`
    pub fn summary(&self) -> String {
        let actions = counted(self.pools.iter().map(Vec::len).sum(), "action");
        format!("{actions} in {}, cost {} MB", counted(self.pools.len(), "pool"), self.cost)
    }
}

impl PlanAction {
    /// The nodes that it takes part of: one, or the source and the destination.
    pub fn ends(&self) -> impl Iterator<Item = usize> {
        self.from.into_iter().chain(self.to.filter(|to| self.from != Some(*to)))
    }
}

fn span(begin_s: f64, end_s: f64) -> Option<(SimTime, SimTime)> {
    let [begin, end] = [begin_s, end_s].map(SimSpan::try_from_secs_f64);
    let (begin, end) = (SimTime::ZERO + begin?, SimTime::ZERO + end?);
    (begin <= end).then_some((begin, end))
}
