//! Tests every solver of this build on programs solved by hand, and the published program against
//! the search.

use crate::arbitrary::instances;
use crate::exact::assert_complete;
use crate::instances::{Scenario, dissertation};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{
    Attempt, Backend, Integrality, Limits, Model, Program, Relation, Relaxation, Solver, Status, is_feasible,
    lp_bound, optimum, optimum_by_program, relaxed,
};
use proptest::prelude::*;
use std::time::Duration;

pub(crate) fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    Backend::ALL.iter().map(|backend| backend.solver())
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-6)
}

#[test]
fn solvers_go_by_their_names() {
    assert!(Backend::ALL.iter().all(|backend| backend.to_string().parse() == Ok(*backend)));
    let unknown = "abacus".parse::<Backend>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown solver `abacus`; expected microlp"), "{unknown}");
}

/// max 3x + 2y, x + y <= 4, x + 3y <= 6, x <= 3: it is 11 at x = 3, y = 1; the other vertices have
/// 9, 4 and 0 (y = 2: 4).
#[test]
fn a_linear_program() {
    for solver in solvers() {
        let mut program = Program::new();
        let (x, y) = (program.real(3.0, 0.0..=3.0), program.real(2.0, 0.0..=f64::INFINITY));
        program.constrain([(x, 1.0), (y, 1.0)], Relation::AtMost, 4.0);
        program.constrain([(x, 1.0), (y, 3.0)], Relation::AtMost, 6.0);
        let answer = solver.solve(&program, &Limits::default()).unwrap();
        assert_eq!((answer.status, answer.gap), (Status::Optimal, Some(0.0)));
        assert!(close(answer.objective, 11.0) && close(answer.bound, 11.0));
        assert!(close(Some(answer.value(x)), 3.0) && close(Some(answer.value(y)), 1.0));

        // If x is fixed at 1, y can be 5/3. If y is also fixed at 2, there is no solution: 1 + 6 >
        // 6.
        let mut dive = solver.dive(&program, &Limits::default()).unwrap();
        assert_eq!(dive.status(), Status::Optimal);
        dive.fix(&[(x, 1.0)]).unwrap();
        assert!(close(Some(dive.values()[1]), 5.0 / 3.0));
        dive.fix(&[(y, 2.0)]).unwrap();
        assert_eq!((dive.status(), dive.values()), (Status::Infeasible, [].as_slice()));
        dive.fix(&[(y, 0.0)]).unwrap();
        assert_eq!(dive.status(), Status::Infeasible);
    }
}

/// max 5x + 4y with 6x + 5y <= 14 in integers: 5 + 4 = 9 at (1, 1), 8 at (0, 2), 10 at (2, 0), while
/// the relaxed maximum is 35/3.
#[test]
fn a_program_in_integers() {
    for solver in solvers() {
        let mut program = Program::new();
        let (x, y) = (program.integer(5.0, 0..=9), program.integer(4.0, 0..=9));
        program.constrain([(x, 6.0), (y, 5.0)], Relation::AtMost, 14.0);
        let answer = solver.solve(&program, &Limits::default()).unwrap();
        assert_eq!(answer.status, Status::Optimal);
        assert!(close(answer.objective, 10.0) && answer.value(x).round() == 2.0);
    }
}

#[test]
fn programs_without_an_optimum() {
    for solver in solvers() {
        let mut program = Program::new();
        let (x, whole) = (program.real(1.0, 0.0..=f64::INFINITY), program.integer(0.0, 0..=1));
        assert_eq!(solver.solve(&program, &Limits::default()).unwrap().status, Status::Unbounded);
        program.constrain([(x, 1.0), (whole, 1.0)], Relation::AtMost, 1.0);
        program.constrain([(x, 1.0)], Relation::AtLeast, 2.0);
        let answer = solver.solve(&program, &Limits::default()).unwrap();
        assert_eq!((answer.status, answer.objective, answer.values.len()), (Status::Infeasible, None, 0));
        let mut odd = Program::new();
        let x = odd.real(f64::NAN, 0.0..=1.0);
        odd.constrain([(x, 1.0)], Relation::Equal, 1.0);
        assert!(solver.solve(&odd, &Limits::default()).is_err());
    }
}

#[test]
fn limits_and_gaps_are_outcomes() {
    let scenario = Scenario { nodes: 4, jobs: 10, dimensions: 4, sigma: 0.5, rho: 0.25, slack: 0.3 };
    let instance = dissertation(scenario, 1);
    let exact = optimum(&instance, &Limits::default()).best.unwrap().minimum_yield;
    for solver in solvers() {
        let late = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let outcome = optimum_by_program(&instance, solver, &late).unwrap();
        assert_eq!((outcome.status, outcome.best), (Status::TimedOut, None));
        assert!(outcome.bound >= Some(exact));
        let loose = Limits { gap: 0.5, ..Limits::default() };
        let outcome = optimum_by_program(&instance, solver, &loose).unwrap();
        let found = outcome.best.unwrap().minimum_yield;
        assert!(outcome.bound.unwrap() >= exact && found <= exact && found.as_f64() > exact.as_f64() / 1.6);
    }
}

/// The search does not start with four billion tasks, and does not fail.
#[test]
fn what_is_far_too_large_is_given_up_at_once() {
    let job = OfflineJob { tasks: u32::MAX, demand: [0, 0].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[1, 1].into(); 4], jobs: vec![job] };
    let limits = Limits::default();
    let outcome = optimum(&instance, &limits);
    assert_eq!((outcome.status, outcome.bound, outcome.nodes), (Status::TimedOut, Some(Yield::ONE), Some(0)));
    assert_eq!(is_feasible(&instance, Yield::ONE, &limits), Attempt::TimedOut);
    for solver in solvers() {
        let outcome = optimum_by_program(&instance, solver, &limits).unwrap();
        assert_eq!((outcome.status, outcome.bound), (Status::TimedOut, Some(Yield::ONE)));
        for relaxation in [Relaxation::Published, Relaxation::AtBound] {
            assert_eq!(relaxed(&instance, relaxation, solver, &limits), Ok(Attempt::TimedOut));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]

    /// Compares the optima; the solver has tolerances of 1e-7, and the search has none.
    #[test]
    fn the_printed_program_has_the_optimum_of_the_search(instance in instances()) {
        let exact = optimum(&instance, &Limits::default());
        for solver in solvers() {
            let outcome = optimum_by_program(&instance, solver, &Limits::default()).unwrap();
            prop_assert_eq!(outcome.status, exact.status);
            let value = |outcome: &dfrsim_optimum::Outcome| outcome.best.as_ref().map(|best| best.minimum_yield.units());
            match (value(&outcome), value(&exact)) {
                (Some(found), Some(exact)) => prop_assert!(found <= exact && exact <= found + 4, "{found} {exact}"),
                (found, exact) => prop_assert_eq!(found, exact),
            }
            if let Some(placed) = outcome.best {
                assert_complete(&instance, &placed.mapping);
            }
        }
    }

    /// The optimum of the relaxed program is LPBOUND on identical nodes, and at most LPBOUND on
    /// others.
    #[test]
    fn the_relaxed_program_has_the_closed_form(instance in instances()) {
        let model = Model::new(&instance, Integrality::Relaxed).unwrap();
        for solver in solvers() {
            let answer = solver.solve(&model.program, &Limits::default()).unwrap();
            let bound = lp_bound(&instance).map(Yield::as_f64);
            let Some(found) = answer.objective else {
                prop_assert_eq!(answer.status, Status::Infeasible);
                prop_assert!(bound.is_none() || !instance.is_homogeneous() || instance.nodes.is_empty());
                continue;
            };
            prop_assert!(found <= bound.unwrap() + 1e-5);
            prop_assert!(!instance.is_homogeneous() || found >= bound.unwrap() - 1e-5);
        }
    }
}
