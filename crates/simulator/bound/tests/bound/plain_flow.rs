//! Slow reference implementation: bisection, and a flow by breadth-first search on the whole network
//! (Edmonds and Karp).

use crate::instances::{Case, cases};
use dfrsim_bound::max_stretch_bound;
use dfrsim_model::Share;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Returns whether the work fits, with time in microseconds and deadlines rounded up.
fn feasible(case: &Case, stretch: f64) -> bool {
    let window = |job: &dfrsim_model::Job| {
        let release = i128::from(job.submit.micros());
        let span = (stretch * job.run_time.max(case.tau).micros() as f64).ceil() as i128;
        (release, release + span)
    };
    let windows: Vec<(i128, i128)> = case.jobs.iter().map(window).collect();
    let mut cuts: Vec<i128> = windows.iter().flat_map(|&(release, deadline)| [release, deadline]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let (count, intervals) = (case.jobs.len(), cuts.len().saturating_sub(1));

    // Vertices: the source, the jobs, the intervals, the sink.
    let (size, sink) = (count + intervals + 2, count + intervals + 1);
    let mut residual = vec![vec![0_i128; size]; size];
    let mut work = 0;
    for (index, job) in case.jobs.iter().enumerate() {
        let rate = i128::from(job.tasks) * i128::from(job.cpu_need.units());
        residual[0][1 + index] = rate * i128::from(job.run_time.micros());
        work += residual[0][1 + index];
        for interval in 0..intervals {
            if windows[index].0 <= cuts[interval] && cuts[interval + 1] <= windows[index].1 {
                residual[1 + index][1 + count + interval] = rate * (cuts[interval + 1] - cuts[interval]);
            }
        }
    }
    let nodes = i128::from(case.nodes) * i128::from(Share::ONE.units());
    for interval in 0..intervals {
        residual[1 + count + interval][sink] = nodes * (cuts[interval + 1] - cuts[interval]);
    }

    let mut flow = 0;
    loop {
        let mut before = vec![usize::MAX; size];
        let mut queue = VecDeque::from([0]);
        while let Some(from) = queue.pop_front() {
            for to in 1..size {
                if before[to] == usize::MAX && residual[from][to] > 0 {
                    before[to] = from;
                    queue.push_back(to);
                }
            }
        }
        if before[sink] == usize::MAX {
            return flow == work;
        }
        let path: Vec<(usize, usize)> = std::iter::successors(Some(sink), |&vertex| Some(before[vertex]))
            .take_while(|&vertex| vertex != 0)
            .map(|vertex| (before[vertex], vertex))
            .collect();
        let more = path.iter().map(|&(from, to)| residual[from][to]).min().expect("a path has an arc");
        for (from, to) in path {
            residual[from][to] -= more;
            residual[to][from] += more;
        }
        flow += more;
    }
}

fn bisected(case: &Case) -> f64 {
    if feasible(case, 1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (1.0, 2.0);
    while !feasible(case, high) {
        high *= 2.0;
    }
    while high - low > 1e-7 * low {
        let middle = f64::midpoint(low, high);
        if feasible(case, middle) { high = middle } else { low = middle }
    }
    high
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(300)))]

    #[test]
    fn newton_on_cuts_agrees_with_bisection(case in cases(25)) {
        let bound = max_stretch_bound(&case.jobs, case.nodes, case.tau);
        let twin = bisected(&case);
        prop_assert!((bound.value - twin).abs() <= 3e-6 * twin, "{} or {twin}", bound.value);
        prop_assert!(bound.value <= bound.upper && bound.upper <= bound.value * (1.0 + 1e-8));
    }

    /// The critical jobs prove the bound: alone, they have an equal bound.
    #[test]
    fn the_critical_jobs_have_the_bound_alone(case in cases(40)) {
        let bound = max_stretch_bound(&case.jobs, case.nodes, case.tau);
        prop_assert_eq!(bound.critical.is_empty(), bound.value == 1.0);
        let critical: Vec<_> = bound.critical.iter().map(|&job| case.jobs[job].clone()).collect();
        let alone = max_stretch_bound(&critical, case.nodes, case.tau);
        prop_assert!((alone.value - bound.value).abs() <= 1e-9 * bound.value);
    }
}
