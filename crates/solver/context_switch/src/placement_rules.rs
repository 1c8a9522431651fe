//! Constraints as rules of the search kernel.

use crate::amount::Amount;
use crate::assignment::{Assignment, Unit};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::constraints::Constraint;
use crate::vjob::VmId;
use dfrsim_adaptation::Rules;
use dfrsim_model::NodeId;
use std::sync::Arc;

/// Placement constraints of a cluster as rules of [`dfrsim_adaptation`], which is the search kernel
/// of packing, adaptation and planning. A task is a VM, or several VMs that share a node.
#[derive(Clone, Debug)]
pub struct PlacementRules {
    assignment: Assignment<Arc<Cluster>>,
    tasks: Arc<Vec<Unit>>,
    /// Task of each VM.
    task_of: Arc<Vec<Option<u32>>>,
    /// Number of budgets that constraints define; those of resources follow them.
    budgets: usize,
}

impl PlacementRules {
    /// Creates the rules of constraints for tasks, of which none is placed. Other VMs that doze in
    /// `current` stay on their nodes.
    pub fn new(
        cluster: &Cluster,
        current: &Configuration,
        constraints: Vec<Constraint>,
        tasks: Vec<Vec<VmId>>,
    ) -> PlacementRules {
        let cluster = cluster.clone().with_constraints(constraints, current);
        let of_resources = cluster.resources().len() * cluster.nodes().len();
        let budgets = cluster.constraints().budgets.len() - of_resources;
        PlacementRules::of_cluster(cluster, current, budgets, tasks)
    }

    /// Creates the rules of all constraints of a cluster and of its resources other than CPU and
    /// memory. Other VMs that doze in `wanted` stay on their nodes.
    pub(crate) fn complete(
        cluster: &Cluster,
        wanted: &Configuration,
        tasks: Vec<Vec<VmId>>,
    ) -> PlacementRules {
        PlacementRules::of_cluster(cluster.clone(), wanted, usize::MAX, tasks)
    }

    fn of_cluster(
        cluster: Cluster,
        current: &Configuration,
        budgets: usize,
        tasks: Vec<Vec<VmId>>,
    ) -> PlacementRules {
        let cluster = Arc::new(cluster);
        let mut task_of = vec![None; cluster.vms().len()];
        for (task, vms) in (0..).zip(&tasks) {
            vms.iter().for_each(|vm| task_of[vm.index()] = Some(task));
        }
        let mut assignment = Assignment::empty(Arc::clone(&cluster));
        for (vm, &place) in (0..).map(VmId).zip(current.places()) {
            if matches!(place, Place::Dozing(_)) && task_of[vm.index()].is_none() {
                assignment.assign_in(&Unit { vms: vec![vm], demand: Amount::NONE }, place);
            }
        }
        let tasks = tasks.into_iter().map(|vms| Unit { vms, demand: Amount::NONE }).collect();
        PlacementRules { assignment, tasks: Arc::new(tasks), task_of: Arc::new(task_of), budgets }
    }

    fn task(&self, task: u32) -> &Unit {
        &self.tasks[task as usize]
    }
}

impl Rules for PlacementRules {
    fn boxed(&self) -> Box<dyn Rules> {
        Box::new(self.clone())
    }

    fn admits(&self, task: u32, node: u32, leaving: &[u32]) -> bool {
        let (unit, node) = (self.task(task), NodeId(node));
        let leaves = |vm: &VmId| self.task_of[vm.index()].is_some_and(|task| leaving.contains(&task));
        self.assignment.blockers(unit, node).is_some_and(|vms| vms.iter().all(leaves))
            && self.assignment.may_use(node)
            && {
                let vms = leaving.iter().flat_map(|&task| &self.task(task).vms).copied();
                self.assignment.is_within_budgets(unit, node, self.budgets, &vms)
            }
    }

    fn blockers(&self, task: u32, node: u32) -> Option<Vec<u32>> {
        let blockers = self.assignment.blockers(self.task(task), NodeId(node))?;
        let mut tasks: Vec<u32> =
            blockers.into_iter().map(|vm| self.task_of[vm.index()]).collect::<Option<_>>()?;
        tasks.sort_unstable();
        tasks.dedup();
        Some(tasks)
    }

    fn add(&mut self, task: u32, node: u32) {
        let tasks = Arc::clone(&self.tasks);
        self.assignment.assign(&tasks[task as usize], NodeId(node));
    }

    fn remove(&mut self, task: u32, node: u32) {
        debug_assert_eq!(self.assignment.host(self.task(task).vms[0]), Some(NodeId(node)));
        let tasks = Arc::clone(&self.tasks);
        self.assignment.unassign(&tasks[task as usize]);
    }
}
