//! The linear system (5.1) to (5.5) of theorem 1, solved by a general solver.

use crate::instances::{Case, cases};
use dfrsim_bound::max_stretch_bound;
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use proptest::prelude::*;

/// Returns the largest fraction of the work that meets the deadlines. The variables beta_jt are the
/// fraction of job j that is done in interval t. The system has a solution if the result is 1. Times
/// are in seconds.
fn largest_part(case: &Case, stretch: f64) -> f64 {
    let windows: Vec<(f64, f64)> = (case.jobs.iter())
        .map(|job| {
            let release = job.submit.as_secs_f64();
            (release, release + stretch * job.run_time.max(case.tau).as_secs_f64())
        })
        .collect();
    let mut cuts: Vec<f64> = windows.iter().flat_map(|&(release, deadline)| [release, deadline]).collect();
    cuts.sort_by(f64::total_cmp);
    let all: f64 = case.jobs.iter().map(dfrsim_model::Job::work).sum();

    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut of_job = vec![Vec::new(); case.jobs.len()];
    for cut in cuts.windows(2).filter(|cut| cut[1] > cut[0]) {
        let (start, end) = (cut[0], cut[1]);
        let mut in_interval = Vec::new();
        for (index, job) in case.jobs.iter().enumerate() {
            // (5.2), (5.3): no variable outside the window.
            if windows[index].0 <= start && end <= windows[index].1 {
                // (5.4)
                let most = (end - start) / job.run_time.as_secs_f64();
                let beta = problem.add_var(job.work() / all, (0.0, most));
                of_job[index].push((beta, 1.0));
                in_interval.push((beta, job.work()));
            }
        }
        // (5.5)
        problem.add_constraint(&in_interval, ComparisonOp::Le, f64::from(case.nodes) * (end - start));
    }
    // (5.1), with the sum to be maximised.
    for betas in of_job {
        problem.add_constraint(&betas, ComparisonOp::Le, 1.0);
    }
    let solution = problem.solve().expect("a bounded program").into_solution().expect("no limits were set");
    solution.objective()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(200)))]

    #[test]
    fn the_bound_is_where_the_system_becomes_solvable(case in cases(9)) {
        prop_assume!(!case.jobs.is_empty());
        let bound = max_stretch_bound(&case.jobs, case.nodes, case.tau);
        prop_assert!(largest_part(&case, bound.upper * (1.0 + 1e-6)) > 1.0 - 1e-8);
        if bound.value > 1.0 {
            prop_assert!(largest_part(&case, bound.value * (1.0 - 1e-3)) < 1.0 - 1e-8);
        }
    }
}
