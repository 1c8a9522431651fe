//! The schedule in the proof of theorem 1, made of a flow on a whole instance and checked from scratch: so the bound is tight.

#[path = "../../tests/bound/instances.rs"]
mod instances;
#[path = "../../tests/bound/weeks.rs"]
mod weeks;

use super::Flow;
use crate::amount::Amount;
use crate::core::{Core, CoreJob, Interval};
use crate::instance::{Instance, Windows};
use crate::max_stretch_bound;
use dfrsim_model::{Job, Share, SimSpan};
use instances::{Case, cases, jobs};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// How all jobs can meet the deadlines that a stretch gives them.
struct Solution {
    /// A microsecond is this many ticks.
    ticks_per_us: u64,
    intervals: Vec<Work>,
}

/// What all jobs do in one interval of time.
struct Work {
    /// In ticks.
    start: u128,
    end: u128,
    /// Jobs with their work in share units * ticks.
    work: Vec<(usize, u128)>,
}

/// A stretch of time in which a node runs one task at full speed.
#[derive(Debug)]
struct Piece {
    node: u32,
    job: usize,
    task: u32,
    /// In sub-ticks, of which a tick has 943,718,400, so that any work is a whole number.
    start: u128,
    end: u128,
}

/// A solution for a stretch; `None` if it is too small.
fn solution(case: &Case, stretch: f64) -> Option<Solution> {
    let instance = Instance::new(&case.jobs, case.nodes, case.tau);
    let unit = instance.unit(stretch);
    let bits = u32::try_from(unit.bits).expect("the unit of time is short");
    let intervals = if unit.wide {
        spelled(case, &instance, &instance.at::<i128>(stretch, unit.bits), bits)?
    } else {
        spelled(case, &instance, &instance.at::<i64>(stretch, unit.bits), bits)?
    };
    Some(Solution { ticks_per_us: 1 << bits, intervals })
}

fn spelled<T: Amount + Into<i128>>(
    case: &Case,
    instance: &Instance,
    windows: &Windows<T>,
    bits: u32,
) -> Option<Vec<Work>> {
    let core = whole(windows);
    let mut flow = Flow::new(&core);
    flow.fill_by_deadline();
    flow.complete().ok()?;
    let first = instance.items.first();
    let origin = first.map_or(0, |item| case.jobs[item.job].submit.micros() - item.release);
    let size = |amount: T| -> u128 { amount.into().unsigned_abs() };
    let absolute = |time: T| (u128::from(origin) << bits) + size(time);
    let of_interval = |(place, interval): (usize, &Interval<T>)| {
        let inside = core.jobs.iter().enumerate().filter(|(_, job)| (job.first..job.end).contains(&place));
        let work = inside.filter_map(|(index, job)| {
            let work = size(flow.amount(index, place));
            let item = instance.items[job.item].job;
            (work > 0).then_some((item, work * u128::from(instance.rate_unit)))
        });
        Work { start: absolute(interval.start), end: absolute(interval.end), work: work.collect() }
    };
    Some(core.intervals.iter().enumerate().map(of_interval).collect())
}

/// All of an instance, without what is surely easy taken away.
fn whole<T: Amount>(windows: &Windows<T>) -> Core<T> {
    let mut cuts: Vec<T> = windows.jobs.iter().flat_map(|job| [job.release, job.deadline]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let place = |time: T| cuts.partition_point(|&cut| cut < time);
    let mut order: Vec<usize> = (0..windows.jobs.len()).collect();
    order.sort_unstable_by_key(|&item| windows.jobs[item].deadline);
    let job = |item: usize| {
        let window = windows.jobs[item];
        let (first, end) = (place(window.release), place(window.deadline));
        CoreJob { item, first, end, rate: window.rate, work: window.work }
    };
    Core {
        jobs: order.into_iter().map(job).collect(),
        intervals: cuts.windows(2).map(|pair| Interval { start: pair[0], end: pair[1] }).collect(),
        capacity: windows.capacity,
    }
}

/// The schedule in the proof, after McNaughton: within each interval the tasks are laid end to end along the first node, then the
/// next, and a task that meets the end of a node goes on at the beginning of the following one. It never runs on two nodes at once,
/// for it needs no more than the length of the interval.
///
/// The tasks of a job get equal parts of its work, to within one unit in every interval and exactly at the end.
fn wrap_around(case: &Case, solution: &Solution) -> Vec<Piece> {
    let tick = u128::from(Share::ONE.units());
    let mut done = vec![0_u128; case.jobs.len()];
    let mut pieces = Vec::new();
    for interval in &solution.intervals {
        let (start, length) = (interval.start * tick, (interval.end - interval.start) * tick);
        let (mut node, mut position) = (0, 0);
        for &(job, work) in &interval.work {
            let (tasks, before) = (u128::from(case.jobs[job].tasks), done[job]);
            done[job] += work;
            for task in 0..case.jobs[job].tasks {
                // Summed over the tasks, floor((work + task) / tasks) is the work (Hermite's identity).
                let share = |work: u128| (work + u128::from(task)) / tasks;
                let mut rest = share(done[job]) - share(before);
                while rest > 0 {
                    let run = rest.min(length - position);
                    let begin = start + position;
                    pieces.push(Piece { node, job, task, start: begin, end: begin + run });
                    rest -= run;
                    position += run;
                    if position == length {
                        node += 1;
                        position = 0;
                    }
                }
            }
        }
    }
    pieces
}

/// No two of these overlap.
fn apart(mut pieces: Vec<&Piece>) -> bool {
    pieces.sort_unstable_by_key(|piece| piece.start);
    pieces.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

/// Builds the schedule for a stretch and checks it.
fn check(case: &Case, stretch: f64) -> Result<(), String> {
    let solution = solution(case, stretch).ok_or("there is no solution")?;
    let pieces = wrap_around(case, &solution);
    let subticks_per_us = u128::from(solution.ticks_per_us) * u128::from(Share::ONE.units());
    let subticks = |micros: u64| u128::from(micros) * subticks_per_us;
    let mut on_node = BTreeMap::<u32, Vec<&Piece>>::new();
    let mut of_task = BTreeMap::<(usize, u32), Vec<&Piece>>::new();
    for piece in &pieces {
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

fn case(jobs: Vec<Job>, nodes: u32) -> Case {
    Case { jobs, nodes, tau: SimSpan::ZERO }
}

/// Three jobs of two thirds of two nodes, each of 6 s: 3 * 2/3 * 6 = 12 node-seconds take 6 s on two nodes. Laid end to end,
/// 4 s each: the first on node 0, the second on both, the third on node 1.
#[test]
fn a_task_wraps_to_the_next_node() {
    let third = Share::from_ratio(2, 3);
    let case = case(jobs(&[(0, 1, third, 6); 3]), 2);
    let solution = solution(&case, 1.0).unwrap();
    let subticks_per_us = (solution.ticks_per_us * u64::from(Share::ONE.units())) as f64;
    let seconds = |subticks: u128| subticks as f64 / subticks_per_us / 1e6;
    let pieces: Vec<_> = (wrap_around(&case, &solution).iter())
        .map(|piece| (piece.node, piece.job, seconds(piece.start), seconds(piece.end)))
        .collect();
    assert_eq!(pieces, [(0, 0, 0.0, 4.0), (0, 1, 4.0, 6.0), (1, 1, 0.0, 2.0), (1, 2, 2.0, 6.0)]);
}

#[test]
fn jobs_without_work_have_no_schedule() {
    let list = jobs(&[(0, 9, Share::ZERO, 5), (0, 9, Share::ONE, 0), (0, 0, Share::ONE, 5)]);
    assert!(solution(&case(list, 1), 1.0).unwrap().intervals.is_empty());
}

/// A solution a billion times looser than needed still spells out.
#[test]
fn a_loose_stretch_has_a_schedule_and_one_below_1_has_none() {
    let loose = case(jobs(&[(0, 1, Share::ONE, 1), (0, 1, Share::ONE, 1)]), 1);
    assert!(!wrap_around(&loose, &solution(&loose, 1e9).unwrap()).is_empty());
    assert!(solution(&loose, 0.5).is_none());
}

/// The largest week, at its bound.
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
            prop_assert!(solution(&case, less).is_none());
        }
    }
}
