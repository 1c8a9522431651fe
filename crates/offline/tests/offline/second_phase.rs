//! The second phase against the linear program, solved by an ordinary solver.

use crate::strategy::instance;
use dfrsim_audit::packing::{check_minimum_yield, check_yields};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Seed, Yield};
use dfrsim_offline::second_phase::{
    AverageYieldProgram, ProgramError, SecondPhaseError, average, by_highest_increase, by_increasing_need,
    by_linear_program, unscaled, utilisation,
};
use dfrsim_offline::{Algorithm, Outcome, Settings};
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use proptest::prelude::*;

fn simplex(program: &AverageYieldProgram) -> Result<Vec<f64>, microlp::Error> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<_> =
        (0..program.variables).map(|_| problem.add_var(1.0, (0.0, program.limit))).collect();
    for row in &program.rows {
        let terms: Vec<_> = row.terms.iter().map(|&(job, amount)| (variables[job], amount)).collect();
        problem.add_constraint(&terms[..], ComparisonOp::Le, row.room);
    }
    let solution = problem.solve()?.into_solution().expect("no limits were set");
    Ok(variables.into_iter().map(|variable| solution.var_value(variable)).collect())
}

/// Units that rounding may lose for each job.
const ROUNDING: f64 = 3.0 / 1_048_576.0;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_beats_the_linear_program_and_increasing_need_equals_it(
        instance in prop_oneof![instance(1), instance(3)],
        algorithm in prop::sample::select(vec!["GREEDY_S5_P4", "GREEDY_S3_P2", "GR"]),
        part in 1..=4_u64,
    ) {
        let algorithm: Algorithm = algorithm.parse().unwrap();
        let Outcome::Solved(solved) = algorithm.solve(&instance, &Settings::new(Seed::new(1))) else {
            return Ok(());
        };
        // Some of what the mapping allows, so that there is room.
        let units = u64::from(solved.minimum_yield.units());
        let minimum = Yield::from_ratio(units * part, u64::from(Yield::ONE.units()) * 4);
        let holds = |yields: &[Yield]| {
            yields.iter().all(|each| *each >= minimum)
                && check_yields(&instance, &solved.mapping, &unscaled(&instance, yields)).is_empty()
        };
        let best = by_linear_program(&instance, &solved.mapping, minimum, simplex).unwrap();
        prop_assert!(holds(&best));
        let before = utilisation(&instance, &solved.mapping, &vec![minimum; instance.jobs.len()]).unwrap();
        let after = utilisation(&instance, &solved.mapping, &best).unwrap();
        prop_assert!(before <= after && after <= 1.0);

        let parallel = instance.jobs.iter().any(|job| job.tasks > 1);
        match by_highest_increase(&instance, &solved.mapping, minimum) {
            Ok(literal) => {
                prop_assert!(!parallel && holds(&literal));
                prop_assert!(average(&literal) <= average(&best) + ROUNDING);
            }
            Err(error) => prop_assert!(parallel && error == SecondPhaseError::ParallelJobs),
        }
        match by_increasing_need(&instance, &solved.mapping, minimum) {
            Ok(exact) => {
                prop_assert!(!parallel && instance.fluid == 1 && holds(&exact));
                prop_assert!((average(&exact) - average(&best)).abs() <= ROUNDING);
            }
            Err(_) => prop_assert!(parallel || instance.fluid > 1),
        }
    }

    /// Whatever a solver says, capacities hold.
    #[test]
    fn a_wrong_solver_does_no_harm(
        instance in instance(3), raises in prop::collection::vec(prop_oneof![-1.0..2.0, Just(f64::NAN)], 0..16),
    ) {
        let gr: Algorithm = "GR".parse().unwrap();
        if let Outcome::Solved(solved) = gr.solve(&instance, &Settings::new(Seed::new(1))) {
            let minimum = solved.minimum_yield;
            let yields = by_linear_program(&instance, &solved.mapping, minimum, |_| Ok::<_, ()>(raises)).unwrap();
            prop_assert!(yields.iter().all(|each| *each >= minimum));
            prop_assert_eq!(check_yields(&instance, &solved.mapping, &unscaled(&instance, &yields)), []);
            prop_assert_eq!(check_minimum_yield(&instance, &solved.mapping, minimum), []);
        }
    }
}

/// Two nodes with a CPU of 10. Job 0 has a task on each (need 10), job 1 two on node 0 (need 5), job 2 one on node 1
/// (need 5). At a minimum of 1/4: node 0 takes 2.5 + 2.5 and leaves 5, node 1 takes 2.5 + 1.25 and leaves 6.25. A
/// unit of job 0 costs 10 on both nodes, of job 1 10, and of job 2 5. Job 2 to 1 takes 3.75 and leaves 2.5 on node 1;
/// jobs 0 and 1 share the 5 of node 0, half a yield together: the sum of raises is 0.75 + 0.5, the average 1/4 +
/// 1.25/3 = 2/3. The cluster uses 8.75 of 20 before; after, 10 of node 0, and of node 1 at least 2.5 + 5.
#[test]
fn parallel_jobs_by_hand() {
    let job = |tasks, need: u32| OfflineJob { tasks, demand: [need].into(), least_yield: Yield::ZERO };
    let jobs = vec![job(2, 10), job(2, 5), job(1, 5)];
    let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[10].into(), [10].into()], jobs };
    let at = |node, tasks| NodeTasks { node: NodeId(node), tasks };
    let mapping = vec![vec![at(0, 1), at(1, 1)], vec![at(0, 2)], vec![at(1, 1)]];
    let quarter = Yield::from_ratio(1, 4);
    let yields = by_linear_program(&instance, &mapping, quarter, simplex).unwrap();
    assert!((average(&yields) - 2.0 / 3.0).abs() < 1e-5);
    assert_eq!(yields[2], Yield::ONE);
    let before = utilisation(&instance, &mapping, &[quarter; 3]).unwrap();
    assert!((before - 8.75 / 20.0).abs() < 1e-9, "{before}");
    assert!(utilisation(&instance, &mapping, &yields).unwrap() > 17.4 / 20.0);

    let half = Yield::from_ratio(1, 2);
    let above = Yield::try_from_units(half.units() + 1).unwrap();
    assert_eq!(
        by_linear_program(&instance, &mapping, above, |_| Ok::<_, ()>(vec![])),
        Err(ProgramError::Minimum)
    );
    assert_eq!(utilisation(&instance, &mapping, &[above; 3]), Err(SecondPhaseError::Minimum));
    assert_eq!(by_increasing_need(&instance, &mapping, half), Err(SecondPhaseError::ParallelJobs));
}
