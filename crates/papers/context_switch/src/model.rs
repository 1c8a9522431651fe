//! Table 1 and figure 3: the cost of an action on a VM of 1,024 MB, by the model and as published,
//! and its duration.

use dfrsim_context_switch::{Action, Amount, Cluster, Durations, Node, Place, Vjob, VjobId, Vm, VmId};
use dfrsim_lab::Reference;
use dfrsim_model::NodeId;

const MEMORY_MB: i64 = 1_024;

/// Published cost of an action and ours, in MB.
pub(crate) struct Cost {
    pub(crate) action: &'static str,
    pub(crate) published_mb: u64,
    pub(crate) cost_mb: u64,
}

/// Computes the costs of table 1.
pub(crate) fn costs() -> Vec<Cost> {
    let cluster = two_nodes(MEMORY_MB);
    let table = Reference(include_str!("../reference/table_1.csv"));
    let cost = |([action], [factor]): ([&'static str; 1], [f64; 1])| {
        let (from, to) = places_of_action(action)?;
        let cost_mb = Action::between(&cluster, VmId(0), from, to).ok()??.cost(&cluster);
        Some(Cost { action, published_mb: factor as u64 * MEMORY_MB as u64, cost_mb })
    };
    table.lines().filter_map(cost).collect()
}

/// Memory sizes of figure 3.
pub(crate) const MEMORIES_MB: [u32; 4] = [512, 1_024, 1_536, 2_048];

/// Computes the duration in seconds of each action, without contention, on a VM of this memory size.
pub(crate) fn times(durations: &Durations, memory_mb: u32) -> Vec<(&'static str, f64)> {
    let cluster = two_nodes(memory_mb.into());
    let actions = [
        ("run_s", "run"),
        ("stop_s", "stop"),
        ("migrate_s", "migrate"),
        ("suspend_s", "suspend"),
        ("local_resume_s", "resume local"),
        ("remote_resume_s", "resume remote"),
    ];
    let time = |(column, action)| {
        let (from, to) = places_of_action(action)?;
        let action = Action::between(&cluster, VmId(0), from, to).ok()??;
        Some((column, durations.of(&cluster, action).as_secs_f64()))
    };
    actions.into_iter().filter_map(time).collect()
}

/// Creates two nodes and a VM of this memory size.
fn two_nodes(memory: i64) -> Cluster {
    let node = |name: &str| Node { name: name.to_owned(), capacity: Amount::new(1, memory) };
    let vm = Vm { name: "VM".to_owned(), vjob: VjobId(0), demand: Amount::new(1, memory) };
    let vjob = Vjob { name: "vjob".to_owned(), priority: 0 };
    Cluster::new(vec![node("N1"), node("N2")], vec![vjob], vec![vm])
        .expect("two nodes and a VM are a cluster")
}

/// Returns the places of a VM before and after an action.
fn places_of_action(action: &str) -> Option<(Place, Place)> {
    let (here, there) = (NodeId(0), NodeId(1));
    Some(match action {
        "migrate" => (Place::Running(here), Place::Running(there)),
        "run" => (Place::Waiting, Place::Running(here)),
        "stop" => (Place::Running(here), Place::Terminated),
        "suspend" => (Place::Running(here), Place::Sleeping(here)),
        "resume local" => (Place::Sleeping(here), Place::Running(here)),
        "resume remote" => (Place::Sleeping(here), Place::Running(there)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::costs;

    #[test]
    fn costs_are_as_published() {
        let costs: Vec<(u64, u64)> = costs().iter().map(|cost| (cost.published_mb, cost.cost_mb)).collect();
        let expected = [1_024, 0, 0, 1_024, 1_024, 2_048];
        assert_eq!(costs, expected.map(|cost| (cost, cost)));
    }
}
