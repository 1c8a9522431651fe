//! The exact solutions.

use crate::problems::{all_mappings, mapping, problems};
use dfrsim_adaptation::check::moving_cost;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob, mapping_of};
use dfrsim_optimum::{Backend, Limits, Model, Places, Relation, Status, adapted_optimum, mapping_yield};
use proptest::prelude::*;

/// The cost of going over to `after`, by the independent count.
pub(crate) fn moved(problem: &Adaptation, after: &Mapping) -> u64 {
    u64::try_from(moving_cost(&problem.current, after, &problem.cost)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

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

/// The optimum by the mixed integer program (6.1) to (6.7) (dissertation, section 6.2.2; RR-6692, section 6.1); `None` if it is
/// infeasible.
fn by_program(problem: &Adaptation, budget: u64) -> Option<Yield> {
    // Identical nodes differ in a resource that no job needs, since it matters here which of them a task is on.
    let mut named = problem.instance.clone();
    named.fixed += 1;
    let extended = |first: u32, amounts: &[u32]| [&[first], amounts].concat().into();
    named.nodes = (1..).zip(&named.nodes).map(|(number, node)| extended(number, node)).collect();
    named.jobs.iter_mut().for_each(|job| job.demand = extended(0, &job.demand));
    let mut model = Model::new(&named, Places::Whole).unwrap();
    // (6.7), in parts of all that could be moved.
    let whole = problem.total().max(1) as f64;
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
    let mapping = mapping_of(problem.instance.jobs.len(), places);
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

/// Two nodes of 10. Jobs of 8, 6 and 4 are on the first, costs 3, 2 and 1. Staying: 10/18. For 1: 10/14 (14 and 4). For 2:
/// 10/12 (12 and 6). For 3: 1, with 8 moved or with 6 and 4.
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
