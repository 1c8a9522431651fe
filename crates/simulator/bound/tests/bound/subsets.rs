//! Tests the lower bound from small subsets of jobs.

use crate::instances::jobs;
use dfrsim_bound::{
    clairvoyant_stretch, max_stretch_bound, max_stretch_bound_of_subsets, max_stretch_bound_with_penalties,
};
use dfrsim_model::{Job, Share, SimSpan};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

const TAU: SimSpan = SimSpan::ZERO;

/// Returns the bound of theorem 1, and that from subsets of at most `most` jobs.
fn bounds(jobs: &[Job], nodes: u32, most: usize) -> (f64, f64) {
    let plain = max_stretch_bound(jobs, nodes, TAU);
    let of_subsets = max_stretch_bound_of_subsets(jobs, nodes, TAU, (plain.value, &plain.critical), most);
    (plain.value, of_subsets)
}

fn with_memory(mut jobs: Vec<Job>, memory: &[u64]) -> Vec<Job> {
    jobs.iter_mut().zip(memory).for_each(|(job, part)| job.memory = Share::from_ratio(*part, 10));
    jobs
}

/// One node and three jobs of 100 s with a third of its CPU and 4/10 of its memory each. All three could
/// share the CPU, and their memory alone would allow 2.5 at once; two of them are in memory at once at
/// most, so the last one ends after 150 s.
#[test]
fn two_of_three_jobs_fit() {
    let three = with_memory(jobs(&[(0, 1, Share::from_ratio(1, 3), 100); 3]), &[4, 4, 4]);
    let (plain, of_subsets) = bounds(&three, 1, 3);
    assert_eq!(plain, 1.0);
    let counted = max_stretch_bound_with_penalties(&three, 1, SimSpan::ZERO, TAU, plain);
    assert!((counted - 1.2).abs() < 1e-5, "{counted}");
    assert!((of_subsets - 1.5).abs() < 1e-6, "{of_subsets}");
    // Any two of them fit.
    assert_eq!(bounds(&three, 1, 2).1, 1.0);
}

/// Two nodes. Job 1 has two tasks with 6/10 of the memory, and jobs 2 and 3 one each. Jobs 2 and 3 run
/// at the same time, and job 1 alone: all end after 200 s of jobs of 100 s at the latest.
#[test]
fn tasks_are_packed_on_nodes() {
    let quarter = Share::from_ratio(1, 4);
    let three = jobs(&[(0, 2, quarter, 100), (0, 1, quarter, 100), (0, 1, quarter, 100)]);
    let (plain, of_subsets) = bounds(&with_memory(three, &[6, 6, 6]), 2, 3);
    assert_eq!(plain, 1.0);
    assert!((of_subsets - 2.0).abs() < 1e-6, "{of_subsets}");
}

#[test]
fn jobs_that_fit_together_have_the_bound_of_theorem_1() {
    let two = with_memory(jobs(&[(0, 1, Share::ONE, 10), (0, 1, Share::ONE, 10)]), &[5, 5]);
    assert_eq!(bounds(&two, 1, 2), (2.0, 2.0));
    assert_eq!(bounds(&[], 1, 2), (1.0, 1.0));
    assert_eq!(bounds(&two, 0, 2), (f64::INFINITY, f64::INFINITY));
}

/// Returns whether the tasks fit on nodes by memory and CPU, both in tenths.
fn fit(tasks: &[(u64, u64)], free: &mut Vec<(u64, u64)>) -> bool {
    let Some((&(memory, cpu), others)) = tasks.split_first() else { return true };
    (0..free.len()).any(|node| {
        if free[node].0 < memory || free[node].1 < cpu {
            return false;
        }
        free[node] = (free[node].0 - memory, free[node].1 - cpu);
        let found = fit(others, free);
        free[node] = (free[node].0 + memory, free[node].1 + cpu);
        found
    })
}

/// A job of the exhaustive search: submission, tasks, memory and CPU of a task in tenths, run time.
type Row = (u64, u32, u64, u64, u64);

/// Finds the schedule with the smallest maximum stretch of all that run jobs at full speed, change only at
/// whole seconds, and pause and move jobs freely.
struct Exhaustive<'a> {
    rows: &'a [Row],
    fits: Vec<bool>,
    known: BTreeMap<(u64, Vec<u64>), f64>,
}

impl Exhaustive<'_> {
    fn best(&mut self, now: u64, left: &[u64]) -> f64 {
        if left.iter().all(|left| *left == 0) {
            return 1.0;
        }
        if let Some(&known) = self.known.get(&(now, left.to_vec())) {
            return known;
        }
        let may_run = |at: usize| left[at] > 0 && self.rows[at].0 <= now;
        let sets: Vec<usize> = (0..self.fits.len())
            .filter(|&set| self.fits[set] && (0..left.len()).all(|at| set >> at & 1 == 0 || may_run(at)))
            .collect();
        let has_arrived = (0..left.len()).any(may_run);
        let mut best = f64::INFINITY;
        for set in sets.into_iter().filter(|set| *set > 0 || !has_arrived) {
            let (mut after, mut largest) = (left.to_vec(), 1.0_f64);
            for at in (0..left.len()).filter(|at| set >> at & 1 == 1) {
                after[at] -= 1;
                if after[at] == 0 {
                    let (submit, .., run) = self.rows[at];
                    largest = largest.max((now + 1 - submit) as f64 / run as f64);
                }
            }
            best = best.min(largest.max(self.best(now + 1, &after)));
        }
        self.known.insert((now, left.to_vec()), best);
        best
    }
}

/// Returns the maximum stretch of the best schedule of an exhaustive search.
fn exhaustive(rows: &[Row], nodes: u32) -> f64 {
    let tasks = |set: usize| -> Vec<(u64, u64)> {
        let members = rows.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        members.flat_map(|(_, &(_, tasks, memory, cpu, _))| vec![(memory, cpu); tasks as usize]).collect()
    };
    let fits =
        (0..1 << rows.len()).map(|set| fit(&tasks(set), &mut vec![(10, 10); nodes as usize])).collect();
    let left: Vec<u64> = rows.iter().map(|row| row.4).collect();
    Exhaustive { rows, fits, known: BTreeMap::new() }.best(0, &left)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(1_000)))]

    /// Compares the bound with theorem 1, with an exhaustive search and with the clairvoyant schedule.
    #[test]
    fn it_is_between_theorem_1_and_the_best_schedule(
        rows in vec((0_u64..4, 1_u32..=3, 1_u64..=10, prop::sample::select(vec![1_u64, 2, 5, 10]), 1_u64..=4), 2..=4),
        nodes in 1_u32..=2, most in 2_usize..=4,
    ) {
        let alone = |row: &Row| fit(&vec![(row.2, row.3); row.1 as usize], &mut vec![(10, 10); nodes as usize]);
        let mut rows: Vec<Row> = rows.into_iter().filter(alone).collect();
        rows.sort_unstable();
        prop_assume!(!rows.is_empty());
        let list: Vec<_> = rows
            .iter()
            .map(|&(submit, tasks, _, cpu, run)| (submit, tasks, Share::from_ratio(cpu, 10), run))
            .collect();
        let memory: Vec<u64> = rows.iter().map(|row| row.2).collect();
        let all = with_memory(jobs(&list), &memory);
        let (plain, of_subsets) = bounds(&all, nodes, most);
        let best = exhaustive(&rows, nodes);
        prop_assert!(plain <= of_subsets && of_subsets <= best * (1.0 + 1e-9), "{plain}, {of_subsets}, {best}");
        let reached = clairvoyant_stretch(&all, nodes, SimSpan::ZERO, TAU, plain).unwrap();
        prop_assert!(of_subsets <= reached * (1.0 + 1e-9), "{of_subsets}, {reached}");
    }
}
