//! Tests the exact solutions.

use crate::problems::{all_mappings, mapping, problems};
use dfrsim_adaptation::check::moving_cost;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob, collect_mapping};
use dfrsim_optimum::{Backend, Integrality, Limits, Model, Relation, Status, adapted_optimum, mapping_yield};
use proptest::prelude::*;

/// Returns the cost of changing to `after`, computed by an independent count.
pub(crate) fn moved(problem: &Adaptation, after: &Mapping) -> u64 {
    u64::try_from(moving_cost(&problem.current, after, &problem.cost)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(1_000)))]

    #[test]
    fn the_search_finds_the_best_of_all_mappings_within_the_budget(problem in problems(), budget in 0u64..=12) {
        let outcome = adapted_optimum(&problem, budget, &Limits::default());
        let affordable = all_mappings(&problem.instance).into_iter().filter(|to| moved(&problem, to) <= budget);
        let best = affordable.filter_map(|mapping| mapping_yield(&problem.instance, &mapping)).max();
        prop_assert_eq!(outcome.best.as_ref().map(|best| best.minimum_yield), best);
        if let Some(placed) = outcome.best {
            prop_assert!(moved(&problem, &placed.mapping) <= budget);
            prop_assert_eq!(mapping_yield(&problem.instance, &placed.mapping), Some(placed.minimum_yield));
        }
    }
}

/// Returns the optimum of the mixed integer program (6.1) to (6.7) (dissertation, section 6.2.2;
/// RR-6692, section 6.1); `None` if it is infeasible.
fn by_program(problem: &Adaptation, budget: u64) -> Option<Yield> {
    // Identical nodes get different amounts of a resource that no job needs, as the node of each
    // task matters here.
    let mut named = problem.instance.clone();
    named.fixed += 1;
    let extended = |first: u32, amounts: &[u32]| [&[first], amounts].concat().into();
    named.nodes = (1..).zip(&named.nodes).map(|(number, node)| extended(number, node)).collect();
    named.jobs.iter_mut().for_each(|job| job.demand = extended(0, &job.demand));
    let mut model = Model::new(&named, Integrality::Integral).unwrap();
    // (6.7), as fractions of the total migration cost.
    let whole = problem.total_migration_cost().max(1) as f64;
    let mut terms = Vec::new();
    let mut rows = model.tasks.iter().zip(&model.assigned).peekable();
    for (job, current) in problem.current.iter().enumerate() {
        let mut homes =
            current.iter().flat_map(|part| std::iter::repeat_n(part.node.index(), part.tasks as usize));
        while let Some((_, row)) = rows.next_if(|(of, _)| **of == job) {
            let Some(home) = homes.next() else { continue };
            let elsewhere = row.iter().enumerate().filter(|&(node, _)| node != home);
            terms.extend(elsewhere.map(|(_, on)| (on.unwrap(), problem.cost[job] as f64 / whole)));
        }
    }
    model.program.constrain(terms, Relation::AtMost, budget as f64 / whole);
    let answer = Backend::Microlp.solver().solve(&model.program, &Limits::default()).unwrap();
    if answer.status != Status::Optimal {
        assert_eq!(answer.status, Status::Infeasible);
        return None;
    }
    let places = model.tasks.iter().zip(&model.assigned).map(|(&job, row)| {
        (job, row.iter().position(|on| answer.value(on.unwrap()) > 0.5).unwrap() as u32, 1)
    });
    let mapping = collect_mapping(problem.instance.jobs.len(), places);
    assert!(moved(problem, &mapping) <= budget);
    mapping_yield(&problem.instance, &mapping)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_program_agrees(problem in problems(), budget in 0u64..=12) {
        let search = adapted_optimum(&problem, budget, &Limits::default());
        if let Some(program) = by_program(&problem, budget) {
            prop_assert_eq!(search.status, Status::Optimal);
            let search = search.best.unwrap().minimum_yield;
            prop_assert!(program <= search && program.units() + 2 >= search.units(), "{program} {search}");
        } else {
            prop_assert_eq!(search.status, Status::Infeasible);
        }
    }
}

/// Two nodes of 10. Jobs of 8, 6 and 4 are on the first, with migration costs 3, 2 and 1. The
/// optimum for budget 0 is 10/18, for 1 it is 10/14 (14 and 4), for 2 it is 10/12 (12 and 6), and
/// for 3 it is 1, with 8 moved or with 6 and 4 moved.
#[test]
fn a_budget_by_hand() {
    let job = |need| OfflineJob { tasks: 1, demand: [need].into(), least_yield: Yield::ZERO };
    let instance =
        Instance { fixed: 0, fluid: 1, nodes: vec![[10].into(); 2], jobs: vec![job(8), job(6), job(4)] };
    let current = mapping(&vec![vec![1, 0]; 3]);
    let problem = Adaptation { instance, current, cost: vec![3, 2, 1] };
    let expected = [(10, 18), (10, 14), (10, 12), (1, 1)].map(|(part, whole)| Yield::from_ratio(part, whole));
    for (budget, expected) in (0..).zip(expected) {
        let search = adapted_optimum(&problem, budget, &Limits::default());
        let heuristic = dfrsim_adaptation::Adapter::new().adapt(&problem, budget).unwrap();
        assert_eq!(search.best.unwrap().minimum_yield, expected);
        assert_eq!(by_program(&problem, budget), Some(expected));
        assert_eq!(heuristic.minimum_yield, expected);
    }
}
