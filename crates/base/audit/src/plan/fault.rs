//! The faults of a plan.

use dfrsim_input::state::ConstraintKind;
use std::fmt;

/// One thing that is wrong with a plan. Pools are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFault {
    /// The text is not a plan.
    #[error("not a plan: {0}")]
    Malformed(String),
    /// No node or VM has this name, or two have it.
    #[error("expected one of the {kind} to have the name `{name}`, found {count}")]
    Name {
        /// The name.
        name: String,
        /// How many there are.
        count: usize,
        /// The kind of name: `nodes`, `VMs`.
        kind: &'static str,
    },
    /// An action begins in another state or on another node than it needs, or there is no such action.
    #[error("pool {pool}: `{vm}` is {found}, where {action} cannot begin")]
    State {
        /// The pool.
        pool: usize,
        /// The VM.
        vm: String,
        /// Where it is.
        found: String,
        /// The action and its nodes.
        action: String,
    },
    /// A VM has two actions in one pool.
    #[error("pool {pool}: `{vm}` has two actions")]
    TwoActions {
        /// The pool.
        pool: usize,
        /// The VM.
        vm: String,
    },
    /// Actions of a pool enter a node that has not the room for them.
    #[error("pool {pool}: node `{node}` has {has} {unit}, but VMs take {taken}")]
    Overload {
        /// The pool; one beyond the last for the end of the plan.
        pool: usize,
        /// The node.
        node: String,
        /// `units of CPU`, `MB`, or `of` another resource.
        unit: String,
        /// The capacity of the node, as constraints allow it.
        has: String,
        /// The amount that VMs take if all actions of the pool are under way.
        taken: String,
    },
    /// Actions of a pool enter nodes that may not take so much together.
    #[error("pool {pool}: a {constraint} of {limit} is exceeded: {taken}")]
    Capacity {
        /// The pool; one beyond the last for the end of the plan.
        pool: usize,
        /// Which kind.
        constraint: ConstraintKind,
        /// What nodes may take together.
        limit: String,
        /// The amount that VMs take.
        taken: String,
    },
    /// Two VMs act in an order, or at one time, that a constraint forbids.
    #[error("pool {pool}: the {action} of `{vm}` breaks a {constraint} with `{other}`")]
    Order {
        /// The pool.
        pool: usize,
        /// The VM.
        vm: String,
        /// The action.
        action: &'static str,
        /// Which kind.
        constraint: ConstraintKind,
        /// The other VM.
        other: String,
    },
    /// A node is off when it is needed, or is not switched as it should be.
    #[error("node `{node}` {what}")]
    Switch {
        /// The node.
        node: String,
        /// The fault.
        what: String,
    },
    /// A VM arrives where a constraint forbids it.
    #[error("pool {pool}: `{vm}` on `{node}` breaks a {constraint}")]
    Constraint {
        /// The pool; one beyond the last for the end of the plan.
        pool: usize,
        /// The VM.
        vm: String,
        /// The node.
        node: String,
        /// Which kind.
        constraint: ConstraintKind,
    },
    /// A VM is not where it should be at the end.
    #[error("at the end `{vm}` is {found}, but should be {wanted}")]
    End {
        /// The VM.
        vm: String,
        /// Where it is.
        found: String,
        /// Where it should be.
        wanted: String,
    },
    /// The suspends or the resumes of a vjob are in two pools.
    #[error("`{vjob}` is {verb} in the pools {first} and {second}")]
    Apart {
        /// The vjob.
        vjob: String,
        /// `suspended` or `resumed`.
        verb: &'static str,
        /// A pool.
        first: usize,
        /// Another one.
        second: usize,
    },
    /// A VM that runs again at the end is suspended, and another one of its vjob is not.
    #[error("pool {pool}: `{vm}` is suspended during the switch, but `{other}` of the same vjob is not")]
    Alone {
        /// The pool.
        pool: usize,
        /// The VM.
        vm: String,
        /// The other one.
        other: String,
    },
    /// The plan costs less than its bound, or is called proven and costs something else.
    #[error("`proven` is {proven}, but the plan costs {cost} and the bound is {bound}")]
    Bound {
        /// Its cost.
        cost: u64,
        /// The bound.
        bound: u64,
        /// Whether it is called the cheapest plan.
        proven: bool,
    },
    /// An action does not begin when it should: after the pool before, and a second after the one of its vjob before it.
    #[error("pool {pool}: the {action} of `{vm}` begins or ends at the wrong time")]
    Time {
        /// The pool.
        pool: usize,
        /// The VM.
        vm: String,
        /// The action.
        action: &'static str,
    },
    /// A cost is not what it should be.
    #[error("{what} costs {right}, not {found}")]
    Cost {
        /// The plan, or an action.
        what: String,
        /// The value in the file.
        found: u64,
        /// Its cost.
        right: u64,
    },
}

/// All that is wrong with a plan; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanFaults(pub Vec<PlanFault>);

impl fmt::Display for PlanFaults {
    /// A line for each fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
