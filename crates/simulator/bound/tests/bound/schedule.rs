//! Checks the schedule in the proof of theorem 1 independently.

use crate::instances::{Case, cases, jobs};
use crate::weeks;
use dfrsim_bound::{Piece, flow_solution, max_stretch_bound, wrap_around};
use dfrsim_model::{Share, SimSpan};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Returns whether no two of these pieces overlap.
fn apart(mut pieces: Vec<&Piece>) -> bool {
    pieces.sort_unstable_by_key(|piece| piece.start);
    pieces.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

/// Builds the schedule for a stretch and checks it.
fn check(case: &Case, stretch: f64) -> Result<(), String> {
    let solution = flow_solution(&case.jobs, case.nodes, case.tau, stretch).ok_or("there is no solution")?;
    let schedule = wrap_around(&solution);
    let subticks = |micros: u64| u128::from(micros) * u128::from(schedule.subticks_per_us);
    let mut on_node = BTreeMap::<u32, Vec<&Piece>>::new();
    let mut of_task = BTreeMap::<(usize, u32), Vec<&Piece>>::new();
    for piece in &schedule.pieces {
        let job = &case.jobs[piece.job];
        let ticks = job.run_time.max(case.tau).micros() as f64 * stretch * solution.ticks_per_us as f64;
        let deadline = subticks(job.submit.micros()) + ticks.ceil() as u128 * u128::from(Share::ONE.units());
        if piece.start < subticks(job.submit.micros()) || piece.end > deadline {
            return Err(format!("{piece:?} is outside of the window of its job"));
        }
        if piece.start >= piece.end || piece.node >= case.nodes || piece.task >= job.tasks {
            return Err(format!("{piece:?} is malformed"));
        }
        on_node.entry(piece.node).or_default().push(piece);
        of_task.entry((piece.job, piece.task)).or_default().push(piece);
    }
    for (index, job) in case.jobs.iter().enumerate() {
        for task in 0..job.tasks {
            let pieces = of_task.get(&(index, task)).map_or(&[][..], Vec::as_slice);
            let run: u128 = pieces.iter().map(|piece| piece.end - piece.start).sum();
            // A sub-tick of a node is a share unit * tick of work.
            let ticks = u128::from(job.run_time.micros()) * u128::from(solution.ticks_per_us);
            if run != ticks * u128::from(job.cpu_need.units()) {
                return Err(format!("task {task} of job {index} does {run} subticks of work"));
            }
        }
    }
    if let Some((node, _)) = on_node.into_iter().find(|(_, pieces)| !apart(pieces.clone())) {
        return Err(format!("node {node} runs two tasks at once"));
    }
    if let Some((task, _)) = of_task.into_iter().find(|(_, pieces)| !apart(pieces.clone())) {
        return Err(format!("task {task:?} runs on two nodes at once"));
    }
    Ok(())
}

/// Three jobs of two thirds of a node, each of 6 s, on two nodes: 3 * 2/3 * 6 = 12 node-seconds take
/// 6 s. Placed end to end, 4 s each: the first on node 0, the second on both, the third on node 1.
#[test]
fn a_task_wraps_to_the_next_node() {
    let third = Share::from_ratio(2, 3);
    let list = jobs(&[(0, 1, third, 6); 3]);
    let schedule = wrap_around(&flow_solution(&list, 2, SimSpan::ZERO, 1.0).unwrap());
    let seconds = |subticks: u128| subticks as f64 / schedule.subticks_per_us as f64 / 1e6;
    let pieces: Vec<_> = (schedule.pieces.iter())
        .map(|piece| (piece.node, piece.job, seconds(piece.start), seconds(piece.end)))
        .collect();
    assert_eq!(pieces, [(0, 0, 0.0, 4.0), (0, 1, 4.0, 6.0), (1, 1, 0.0, 2.0), (1, 2, 2.0, 6.0)]);
}

/// Builds the schedule of the largest week at its bound.
#[test]
#[ignore = "needs logs: HPC2N"]
fn a_week_of_hpc2n_has_its_schedule() {
    let jobs = weeks::weeks().unwrap().into_iter().max_by_key(Vec::len).expect("no empty log");
    let case = Case { jobs, nodes: weeks::NODES, tau: SimSpan::from_secs(10) };
    let bound = max_stretch_bound(&case.jobs, case.nodes, case.tau);
    assert_eq!(check(&case, bound.upper), Ok(()));
}

proptest! {
    #[test]
    fn every_feasible_stretch_has_a_schedule(case in cases(40), slack in prop_oneof![Just(0.0), 0.0..3.0]) {
        let bound = max_stretch_bound(&case.jobs, case.nodes, case.tau);
        prop_assert_eq!(check(&case, bound.upper + slack), Ok(()));
        if bound.value > 1.0 {
            let less = bound.value * (1.0 - 1e-6);
            prop_assert_eq!(flow_solution(&case.jobs, case.nodes, case.tau, less), None);
        }
    }
}
