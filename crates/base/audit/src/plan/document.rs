//! A plan as its file has it.

use serde::Deserialize;
use std::fmt;

#[derive(Debug, Deserialize)]
pub(super) struct Document {
    pub(super) cost: u64,
    #[serde(default)]
    pub(super) bound: Option<u64>,
    #[serde(default)]
    pub(super) proven: bool,
    pub(super) nodes: Vec<Node>,
    pub(super) vms: Vec<Vm>,
    pub(super) relations: Vec<Relation>,
    pub(super) pools: Vec<Vec<Action>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) cpu: u32,
    pub(super) memory: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Vm {
    pub(super) name: String,
    pub(super) vjob: String,
    pub(super) cpu: u32,
    pub(super) memory: u32,
    pub(super) before: Place,
    pub(super) after: Place,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Place {
    pub(super) state: State,
    #[serde(default)]
    pub(super) node: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Waiting,
    Running,
    Sleeping,
    Dozing,
    Terminated,
}

#[derive(Debug, Deserialize)]
pub(super) struct Relation {
    pub(super) kind: RelationKind,
    pub(super) vms: Vec<String>,
    #[serde(default)]
    pub(super) nodes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RelationKind {
    Spread,
    Gather,
    Fence,
    Ban,
}

#[derive(Debug, Deserialize)]
pub(super) struct Action {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    Run,
    Stop,
    Migrate,
    Suspend,
    Doze,
    Resume,
    Wake,
}

impl Verb {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Verb::Run => "run",
            Verb::Stop => "stop",
            Verb::Migrate => "migrate",
            Verb::Suspend => "suspend",
            Verb::Doze => "doze",
            Verb::Resume => "resume",
            Verb::Wake => "wake",
        }
    }
}

impl Place {
    /// The node that hosts the VM.
    pub(super) fn host(&self) -> Option<&str> {
        matches!(self.state, State::Running | State::Dozing).then_some(self.node.as_deref()).flatten()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = format!("{:?}", self.state).to_lowercase();
        match &self.node {
            Some(node) => write!(f, "{state} on `{node}`"),
            None => f.write_str(&state),
        }
    }
}

impl Action {
    /// Where the VM is after the action, if it is legal from this place.
    pub(super) fn leads(&self, from: &Place) -> Option<Place> {
        let place = |state, node: &Option<String>| Some(Place { state, node: node.clone() });
        // A VM that waits has no node, and the action comes from none.
        if from.node != self.from {
            return None;
        }
        let there = self.from == self.to;
        match (self.action, from.state) {
            (Verb::Run, State::Waiting) => place(State::Running, &self.to).filter(|_| self.to.is_some()),
            (Verb::Stop, State::Running) => place(State::Terminated, &None).filter(|_| self.to.is_none()),
            (Verb::Migrate, State::Running) => {
                place(State::Running, &self.to).filter(|_| self.to.is_some() && !there)
            }
            (Verb::Suspend, State::Running | State::Dozing) => {
                place(State::Sleeping, &self.to).filter(|_| there)
            }
            (Verb::Doze, State::Running) => place(State::Dozing, &self.to).filter(|_| there),
            (Verb::Resume, State::Sleeping) | (Verb::Wake, State::Dozing) => {
                place(State::Running, &self.to).filter(|_| self.to.is_some())
            }
            _ => None,
        }
    }

    /// What the action costs for a VM of so many MB.
    pub(super) fn right_cost(&self, memory: u64) -> u64 {
        let remote = u64::from(self.from != self.to);
        match self.action {
            Verb::Run | Verb::Stop | Verb::Doze => 0,
            Verb::Migrate | Verb::Suspend => memory,
            Verb::Resume => memory + remote * memory,
            Verb::Wake => remote * memory,
        }
    }
}
