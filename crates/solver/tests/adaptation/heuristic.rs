//! Tests the guarantees of the heuristic.

use crate::exact::moved;
use crate::problems::{all_mappings, problems};
use dfrsim_adaptation::{Adapter, Aim};
use dfrsim_model::offline::{Adaptation, Instance, Mapping};
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::{Limits, adapted_optimum};
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::instances::{DissertationScenario, changed};
use dfrsim_vector_packing::vector::{Options, VectorPacking, minimum_yield};
use proptest::prelude::*;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Returns the yields at these budgets; checks that each budget is respected.
fn yields(problem: &Adaptation, budgets: impl IntoIterator<Item = u64>) -> Vec<Option<Yield>> {
    let at = |adapter: &mut Adapter, budget| {
        let found = adapter.adapt(problem, budget)?;
        assert_eq!(moved(problem, &found.mapping), found.moving);
        assert!(found.moving <= budget);
        assert_eq!(check_minimum_yield(&problem.instance, &found.mapping, found.minimum_yield), []);
        Some(found.minimum_yield)
    };
    budgets.into_iter().collect::<Vec<u64>>().into_par_iter().map_init(Adapter::new, at).collect()
}

fn packed(problem: &Adaptation) -> Option<Yield> {
    let mut packing = VectorPacking::new("VP_CPSUM".parse().unwrap(), Options::default());
    packing.solve(&problem.instance).unwrap().map(|solution| solution.minimum_yield)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]

    #[test]
    fn budgets_are_kept_and_larger_ones_are_never_worse(problem in problems()) {
        let found = yields(&problem, (0..=12).chain([problem.total_migration_cost(), u64::MAX]));
        prop_assert!(found.is_sorted(), "{found:?}");
        let optimum = |budget| adapted_optimum(&problem, budget, &Limits::default()).best;
        let optima: Vec<_> = (0..=12_u64).into_par_iter().map(optimum).collect();
        for (&found, optimum) in found.iter().zip(optima) {
            prop_assert!(found <= optimum.map(|best| best.minimum_yield));
        }
        prop_assert!(found.last().copied().flatten() >= packed(&problem));
    }

    /// No task is new, so all tasks stay without a budget.
    #[test]
    fn without_a_budget_all_stay(mut problem in problems()) {
        problem.cost.iter_mut().for_each(|cost| *cost = (*cost).max(1));
        for (job, current) in problem.instance.jobs.iter_mut().zip(&mut problem.current) {
            if current.is_empty() {
                current.push(dfrsim_model::NodeTasks { node: dfrsim_model::NodeId(0), tasks: job.tasks });
            }
            job.tasks = current.iter().map(|part| part.tasks).sum();
        }
        let stay = minimum_yield(&problem.instance, &problem.current);
        prop_assert_eq!(yields(&problem, [0])[0], stay);
    }
}

/// Adapts problems of the sizes of the studies, with all resources and QOS.
#[test]
fn large_problems_keep_their_budgets_too() {
    let mut better = 0;
    for (number, dimensions) in (0..).zip([2, 4, 6, 2]) {
        let scenario =
            DissertationScenario { nodes: 64, jobs: 200, dimensions, sigma: 0.5, rho: 0.25, slack: 0.5 };
        let seed = Seed::new(3).numbered(number);
        let sample = |sample| scenario.instance(seed.numbered(sample));
        let problem = changed(&sample(0), &sample(1), seed).unwrap();
        let budgets = (0..=10)
            .map(|tenths| problem.total_migration_cost() / 10 * tenths)
            .chain([problem.total_migration_cost()]);
        let found = yields(&problem, budgets);
        assert!(found.is_sorted(), "{found:?}");
        assert!(found.last() >= Some(&packed(&problem)));
        better += usize::from(found[1] > found[0]);
    }
    assert!(better >= 3, "a tenth of the bytes is worth something: {better}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Compares the cost with the cheapest of all mappings.
    #[test]
    fn annealing_finds_the_cheapest_moves(problem in problems(), wanted in 0u64..=4) {
        let wanted = Yield::from_ratio(wanted, 4);
        let found = Adapter::new().annealing(Adapter::MOVES).cheapest_for(&problem, wanted);
        let reaches = |mapping: &Mapping| minimum_yield(&problem.instance, mapping) >= Some(wanted);
        let mappings = all_mappings(&problem.instance).into_iter().filter(reaches);
        let least = mappings.map(|mapping| moved(&problem, &mapping)).min();
        prop_assert_eq!(found.as_ref().map(|found| found.moving), least);
        if let Some(found) = found {
            prop_assert_eq!(moved(&problem, &found.mapping), found.moving);
            prop_assert!(found.minimum_yield >= wanted);
            prop_assert_eq!(check_minimum_yield(&problem.instance, &found.mapping, found.minimum_yield), []);
        }
    }
}

#[test]
fn overloads_beyond_all_measure_are_repaired() {
    use dfrsim_model::offline::OfflineJob;
    use dfrsim_model::{NodeId, NodeTasks};
    // 1,000 tasks on one node, each of which needs all CPU of 4.5 nodes.
    let job = OfflineJob { tasks: 1_000, demand: [u32::MAX].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[943_718_400].into(); 2], jobs: vec![job] };
    let current = vec![vec![NodeTasks { node: NodeId(0), tasks: 1_000 }]];
    let found = yields(&Adaptation { instance, current, cost: vec![1] }, [0, 1_000]);
    assert!(found[0] < found[1], "{found:?}");
}

/// Terminates the climb when yields of a few units leave no smaller step.
#[test]
fn needs_of_which_nodes_give_hardly_a_part_are_adapted() {
    use dfrsim_model::offline::OfflineJob;
    use dfrsim_model::{NodeId, NodeTasks};
    // Each task of one job needs 100,000 times the CPU of a node.
    let job = |demand: u32, tasks| OfflineJob { tasks, demand: [1, demand].into(), least_yield: Yield::ZERO };
    let nodes = vec![[100, 40_000].into(); 4];
    let jobs = vec![job(4_000_000_000, 3), job(20_000, 2), job(10_000, 4)];
    let instance = Instance { fixed: 1, fluid: 1, nodes, jobs };
    let at = |node, tasks| NodeTasks { node: NodeId(node), tasks };
    let current = vec![vec![at(0, 1), at(1, 2)], vec![at(2, 2)], vec![at(3, 4)]];
    let found = yields(&Adaptation { instance, current, cost: vec![1; 3] }, [0, 9]);
    assert!(found[0].is_some() && found[0] <= found[1], "{found:?}");
}

/// Returns the largest fraction of a node's capacity that a mapping uses at a yield.
fn peak(problem: &Adaptation, mapping: &Mapping, scaled: Yield) -> f64 {
    let Instance { fixed, nodes, jobs, .. } = &problem.instance;
    let mut taken = vec![vec![0.0; problem.instance.dimensions()]; nodes.len()];
    for (job, part) in
        jobs.iter().zip(mapping).flat_map(|(job, parts)| parts.iter().map(move |part| (job, part)))
    {
        for (taken, size) in taken[part.node.index()].iter_mut().zip(job.sizes_at(*fixed, scaled)) {
            *taken += size as f64 * f64::from(part.tasks) / f64::from(Yield::ONE.units());
        }
    }
    let parts = taken.iter().zip(nodes).flat_map(|(taken, node)| taken.iter().zip(node));
    parts.filter(|(taken, _)| **taken > 0.0).map(|(taken, &has)| taken / f64::from(has)).fold(0.0, f64::max)
}

/// Returns whether the tasks of a failing node fit on the others if all other tasks stay.
fn may_fail(problem: &Adaptation, before: &Mapping, scaled: Yield, node: usize) -> bool {
    let on = |mapping: &Mapping, job: usize, node: usize| -> u32 {
        mapping[job].iter().filter(|part| part.node.index() == node).map(|part| part.tasks).sum()
    };
    all_mappings(&problem.instance).iter().any(|after| {
        let stay = |at| (0..before.len()).all(|job| on(after, job, at) >= on(before, job, at));
        let is_left = (0..before.len()).all(|job| on(after, job, node) == 0);
        let others = (0..problem.instance.nodes.len()).filter(|&at| at != node);
        is_left && others.clone().all(stay) && minimum_yield(&problem.instance, after) >= Some(scaled)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(200)))]

    /// Compares each aim with all mappings: none moves less or has a lower peak. Also checks the
    /// reported number of tolerated failures.
    #[test]
    fn aims_are_met(mut problem in problems(), wanted in 0u64..=4, budget in 0u64..=12) {
        // Tasks without any size are not moved.
        prop_assume!(problem.instance.fixed > 0);
        problem.instance.jobs.iter_mut().for_each(|job| job.demand[0] = job.demand[0].max(1));
        let (wanted, counts) = (Yield::from_ratio(wanted, 4), vec![true; problem.instance.dimensions()]);
        let mut adapter = Adapter::new().annealing(Adapter::MOVES);
        let reaches = |mapping: &Mapping| {
            moved(&problem, mapping) <= budget && minimum_yield(&problem.instance, mapping) >= Some(wanted)
        };
        let mappings: Vec<Mapping> = all_mappings(&problem.instance).into_iter().filter(reaches).collect();
        let prices: Vec<u64> = (1..=problem.instance.nodes.len() as u64).collect();
        let price = |mapping: &Mapping| {
            let used: BTreeSet<usize> = mapping.iter().flatten().map(|part| part.node.index()).collect();
            used.into_iter().map(|node| prices[node]).sum::<u64>()
        };
        for aim in [Aim::Moves, Aim::Nodes(prices.clone()), Aim::Peak, Aim::Failure] {
            let found = adapter.aim_at(&problem, wanted, budget, &aim, &counts);
            let Some(found) = found else {
                prop_assert!(matches!(aim, Aim::Failure) || mappings.is_empty(), "{aim:?}");
                continue;
            };
            prop_assert!(reaches(&found.mapping), "{aim:?}");
            let room = adapter.headroom(&problem, &found, wanted, &counts);
            let nodes = problem.instance.nodes.len();
            let able = (0..nodes).filter(|&node| may_fail(&problem, &found.mapping, wanted, node)).count();
            prop_assert_eq!(room.tolerated_failures, able);
            let least = |of: &dyn Fn(&Mapping) -> f64| mappings.iter().map(of).fold(f64::INFINITY, f64::min);
            match aim {
                Aim::Moves => prop_assert_eq!(found.moving as f64, least(&|one| moved(&problem, one) as f64)),
                Aim::Nodes(_) => prop_assert!(price(&found.mapping) <= 2 * least(&|one| price(one) as f64) as u64),
                Aim::Peak => {
                    let peak_of = |one: &Mapping| peak(&problem, one, wanted);
                    prop_assert!((room.peak - peak_of(&found.mapping)).abs() < 1e-9);
                    prop_assert!(room.peak <= least(&peak_of) + 0.01, "{} {}", room.peak, least(&peak_of));
                }
                Aim::Failure => prop_assert_eq!(able, nodes),
            }
        }
    }
}
