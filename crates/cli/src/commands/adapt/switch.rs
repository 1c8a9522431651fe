//! From one placement to another: the moves, and a plan for them.

use crate::failure::Failure;
use dfrsim_adaptation::Adapted;
use dfrsim_audit::plan::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::{
    Amount, Cluster, Configuration, Durations, Node, Place, Timetable, Vjob, VjobId, Vm, plan as order,
    timetable,
};
use dfrsim_model::offline::Mapping;
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_offline::file::NamedCluster;
use dfrsim_offline::minimum_yield;

/// A task that changes its node, or gets its first one.
pub(super) struct Move {
    /// The number of its job.
    pub(super) job: usize,
    /// Its name: that of the job, with a number if the job has several tasks.
    pub(super) task: String,
    pub(super) from: Option<usize>,
    pub(super) to: usize,
}

/// A plan as a document, and when everything happens.
pub(super) struct Switch {
    pub(super) document: String,
    pub(super) timetable: Timetable,
}

/// A task with the nodes on which it is before and after.
struct Task {
    job: usize,
    name: String,
    before: Option<usize>,
    after: usize,
}

/// The tasks that go elsewhere, and the new ones.
pub(super) fn moves(cluster: &NamedCluster, after: &Mapping) -> Vec<Move> {
    let moved = tasks(cluster, after).into_iter().filter(|task| task.before != Some(task.after));
    moved.map(|Task { job, name, before, after }| Move { job, task: name, from: before, to: after }).collect()
}

/// All tasks; those of a job that can stay do.
fn tasks(cluster: &NamedCluster, after: &Mapping) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (job, (before, after)) in cluster.problem.current.iter().zip(after).enumerate() {
        let (mut before, mut after) = (nodes_of(before), nodes_of(after));
        let mut places: Vec<(Option<usize>, usize)> = Vec::new();
        before.retain(|node| match after.iter().position(|other| other == node) {
            Some(at) => {
                places.push((Some(*node), after.remove(at)));
                false
            }
            None => true,
        });
        let mut leaving = before.into_iter();
        places.extend(after.into_iter().map(|to| (leaving.next(), to)));
        let own = &cluster.jobs[job];
        let is_alone = places.len() == 1;
        tasks.extend(places.into_iter().zip(1..).map(|((before, after), number)| {
            let name = if is_alone { own.clone() } else { format!("{own}.{number}") };
            Task { job, name, before, after }
        }));
    }
    tasks
}

fn nodes_of(parts: &[NodeTasks]) -> Vec<usize> {
    parts.iter().flat_map(|part| std::iter::repeat_n(part.node.index(), part.tasks as usize)).collect()
}

/// The moves in an order in which no node is overloaded. Meanwhile every task has the smaller one of its yields before and after.
pub(super) fn plan(cluster: &NamedCluster, adapted: &Adapted) -> Result<Switch, Failure> {
    let problem = &cluster.problem;
    let before = minimum_yield(&problem.instance, &problem.current).unwrap_or(Yield::ZERO);
    let scaled = before.min(adapted.minimum_yield);
    let amount = |memory: u32, cpu: u32| Amount::new(i64::from(cpu), i64::from(memory));
    let nodes = cluster.nodes.iter().zip(&problem.instance.nodes);
    let nodes = nodes.map(|(name, has)| Node { name: name.clone(), capacity: amount(has[0], has[1]) });
    let vjobs = cluster.jobs.iter().map(|name| Vjob { name: name.clone(), priority: 0 });
    let tasks = tasks(cluster, &adapted.mapping);
    let vms = tasks.iter().map(|task| {
        let job = &problem.instance.jobs[task.job];
        let part = u64::from(job.unscaled(scaled).units());
        let cpu = (u64::from(job.demand[1]) * part) >> Yield::BITS;
        let demand = amount(job.demand[0], u32::try_from(cpu).expect("a part of a need"));
        Vm { name: task.name.clone(), vjob: VjobId(task.job as u32), demand }
    });
    let vms = Cluster::new(nodes.collect(), vjobs.collect(), vms.collect()).map_err(Failure::input)?;
    let running = |node: usize| Place::Running(NodeId(node as u32));
    let before = tasks.iter().map(|task| task.before.map_or(Place::Waiting, running)).collect();
    let after = tasks.iter().map(|task| running(task.after)).collect();
    let (before, after) = (Configuration::new(before), Configuration::new(after));
    let plan = order(&vms, &before, &after)
        .map_err(|error| Failure::Result(format!("there is no plan for these moves: {error}")))?;
    let timetable = timetable(&vms, &plan, &Durations::default());
    let figures = PlanFigures { cost: plan.cost(&vms), bound: None, proven: false };
    let document = plan_to_json(&vms, &before, &after, &timetable, &figures);
    check_plan(&document).map_err(|faults| Failure::Result(format!("the plan is wrong: {faults}")))?;
    Ok(Switch { document, timetable })
}
