//! Tests consolidation with many rules, each of which is a resource.

use dfrsim_adaptation::{Adapter, Aim, RepairPacker, Rules, check};
use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Seed, Yield};
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::{Outcome, Packer, Settings};
use rand::RngExt as _;
use std::collections::BTreeSet;

const NODES: u32 = 24;
const VMS: usize = 200;
const RULES: usize = 40;
const CAPACITY: u32 = 64;

/// Returns VMs on nodes without an overload; each rule keeps three VMs apart. The resources are
/// memory, one for each rule, and CPU.
fn problem(seed: u64) -> Adaptation {
    let mut rng = Seed::new(seed).fork("rules").rng();
    let (mut jobs, mut current, mut cost) = (Vec::new(), Vec::new(), Vec::new());
    for vm in 0..VMS {
        let mut demand = vec![0; RULES + 2];
        demand[0] = rng.random_range(1..7);
        demand[RULES + 1] = rng.random_range(1..4);
        if vm < 3 * RULES {
            demand[1 + vm / 3] = 1;
        }
        cost.push(u64::from(demand[0]));
        current.push(vec![NodeTasks { node: NodeId(vm as u32 % NODES), tasks: 1 }]);
        jobs.push(OfflineJob { tasks: 1, demand: demand.into(), least_yield: Yield::ZERO });
    }
    let mut offers = vec![1; RULES + 2];
    (offers[0], offers[RULES + 1]) = (CAPACITY, CAPACITY);
    let nodes = vec![offers.into(); NODES as usize];
    Adaptation { instance: Instance { fixed: RULES + 1, fluid: 1, nodes, jobs }, current, cost }
}

/// Counts the nodes of best fit decreasing, by memory.
fn best_fit_decreasing(instance: &Instance) -> usize {
    let mut order: Vec<&OfflineJob> = instance.jobs.iter().collect();
    order.sort_by_key(|job| std::cmp::Reverse(job.demand[0]));
    let mut open: Vec<Vec<u32>> = Vec::new();
    for job in order {
        let fits = |free: &Vec<u32>| free.iter().zip(job.demand.iter()).all(|(free, takes)| takes <= free);
        let at = (0..open.len()).filter(|&at| fits(&open[at])).min_by_key(|&at| open[at][0]);
        let at = at.unwrap_or_else(|| {
            open.push(instance.nodes[0].to_vec());
            open.len() - 1
        });
        open[at].iter_mut().zip(job.demand.iter()).for_each(|(free, takes)| *free -= takes);
    }
    open.len()
}

/// The cheapest moves come first: a placement on as few nodes is not allowed to move everything.
#[test]
fn rules_do_not_cost_nodes() {
    for seed in 0..8 {
        let problem = problem(seed);
        let counts: Vec<bool> = (0..RULES + 2).map(|at| at == 0 || at == RULES + 1).collect();
        let aim = Aim::Nodes(vec![1; NODES as usize]);
        let found = Adapter::new().aim_at(&problem, Yield::ONE, u64::MAX - 1, &aim, &counts).unwrap();
        assert!(check_minimum_yield(&problem.instance, &found.mapping, Yield::ONE).is_empty());
        let moving = check::moving_cost(&problem.current, &found.mapping, &problem.cost);
        assert_eq!(moving, u128::from(found.moving));
        let used: BTreeSet<NodeId> = found.mapping.iter().flatten().map(|part| part.node).collect();
        let memory: u32 = problem.instance.jobs.iter().map(|job| job.demand[0]).sum();
        let (bound, simple) = (memory.div_ceil(CAPACITY) as usize, best_fit_decreasing(&problem.instance));
        assert!(used.len() <= simple && used.len() <= bound + 1, "{}: {simple}, {bound}", used.len());
    }
}

#[test]
fn a_budget_limits_what_is_gathered() {
    let problem = problem(1);
    let aim = Aim::Nodes(vec![1; NODES as usize]);
    let counts = vec![true; RULES + 2];
    let nodes = |budget| {
        let found = Adapter::new().aim_at(&problem, Yield::ONE, budget, &aim, &counts).unwrap();
        assert!(found.moving <= budget);
        found.mapping.iter().flatten().map(|part| part.node).collect::<BTreeSet<NodeId>>().len()
    };
    let all = problem.total_migration_cost();
    assert!(nodes(all) < nodes(all / 4));
    assert!(nodes(all / 4) < nodes(0));
}

/// A rule: tasks with an even number are on nodes with an even number.
#[derive(Clone, Debug)]
struct EvenOnEven;

impl Rules for EvenOnEven {
    fn boxed(&self) -> Box<dyn Rules> {
        Box::new(self.clone())
    }
    fn admits(&self, task: u32, node: u32, _: &[u32]) -> bool {
        task % 2 == node % 2
    }
    fn blockers(&self, task: u32, node: u32) -> Option<Vec<u32>> {
        self.admits(task, node, &[]).then(Vec::new)
    }
    fn add(&mut self, task: u32, node: u32) {
        assert!(self.admits(task, node, &[]));
    }
    fn remove(&mut self, _: u32, _: u32) {}
}

/// All searches keep a rule that is not a resource: repairs, exchanges, annealing, and each aim.
#[test]
fn rules_are_filters_of_all_searches() {
    let counts: Vec<bool> = (0..RULES + 2).map(|at| at == 0 || at == RULES + 1).collect();
    for seed in 0..4 {
        let problem = problem(seed);
        for aim in [Aim::Moves, Aim::Nodes(vec![1; NODES as usize]), Aim::Peak] {
            for moves in [0, 20] {
                let mut adapter = Adapter::new().annealing(moves).ruled_by(Some(Box::new(EvenOnEven)));
                let found = adapter.aim_at(&problem, Yield::ONE, u64::MAX - 1, &aim, &counts).unwrap();
                assert!(check_minimum_yield(&problem.instance, &found.mapping, Yield::ONE).is_empty());
                for (task, on) in found.mapping.iter().enumerate() {
                    assert_eq!(task as u32 % 2, on[0].node.0 % 2, "{aim:?}");
                }
            }
        }
    }
}

/// The first node is full, so that the VM of 4 has to leave. The second costs it 1 and the third 4.
#[test]
fn a_further_home_is_cheaper_than_another_node() {
    let job = |memory: u32| OfflineJob { tasks: 1, demand: [memory, 1].into(), least_yield: Yield::ZERO };
    let on = |node| vec![NodeTasks { node: NodeId(node), tasks: 1 }];
    let problem = Adaptation {
        instance: Instance { fixed: 1, fluid: 1, nodes: vec![[8, 8].into(); 3], jobs: vec![job(6), job(4)] },
        current: vec![on(0), on(0)],
        cost: vec![6, 4],
    };
    for node in [1, 2] {
        let mut adapter = Adapter::new().annealing(20).with_further_homes(vec![(1, node, 3)]);
        let found = adapter.cheapest_for(&problem, Yield::ONE).unwrap();
        assert_eq!(found.mapping[1], on(node));
        assert_eq!(found.moving, 4, "the whole cost");
        let counts = [true, true];
        assert_eq!(adapter.headroom(&problem, &found, Yield::ONE, &counts).tolerated_failures, 3);
        let aim = Aim::Nodes(vec![1; 3]);
        let found = adapter.aim_at(&problem, Yield::ONE, u64::MAX - 1, &aim, &counts).unwrap();
        assert_eq!(found.mapping[1], on(node));
    }
}

/// Vector packing supports 32 resources.
#[test]
fn repairs_pack_more_resources_than_vector_packing() {
    let instance = problem(2).instance;
    let Outcome::Solved(solved) = RepairPacker::default().solve(&instance, &Settings::new(Seed::new(1)))
    else {
        panic!("there is a packing")
    };
    assert_eq!(solved.minimum_yield, Yield::ONE);
    assert!(check_minimum_yield(&instance, &solved.mapping, Yield::ONE).is_empty());
}
