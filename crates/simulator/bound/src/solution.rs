//! Explicit solution for a feasible stretch: the work of each job in each interval.

use crate::amount::Amount;
use crate::core::Core;
use crate::flow::Flow;
use crate::instance::{Instance, Windows};
use dfrsim_model::{Job, SimSpan};

/// Work of all jobs in one interval of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInterval {
    /// Start, in ticks after the origin of the workload.
    pub start: u128,
    /// End, in ticks; later than `start`.
    pub end: u128,
    /// Jobs, as indices into the caller's list, and their work in share units * ticks; positive, at
    /// most tasks * need * length each, and at most nodes * 943,718,400 * length together.
    pub work: Vec<(usize, u128)>,
}

/// A solution of the linear system of theorem 1, in exact integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSolution {
    /// Unit of time: the number of ticks in a microsecond, a power of two.
    pub ticks_per_us: u64,
    /// Disjoint intervals in order of time. A job has work only where its window is open.
    pub intervals: Vec<FlowInterval>,
    /// Number of tasks of each job.
    pub(crate) tasks: Vec<u32>,
    pub(crate) nodes: u32,
}

/// Computes a solution in which all jobs meet the deadlines of this stretch (rounded up to the next
/// tick); `None` if there is none. There is none below [`Bound::value`](crate::Bound::value), and
/// there is one at [`Bound::upper`](crate::Bound::upper).
///
/// Also returns `None` for a stretch that is not a positive number, and where nodes * time exceeds
/// the range of 128-bit integers in share units (millions of years).
pub fn flow_solution(jobs: &[Job], nodes: u32, tau: SimSpan, stretch: f64) -> Option<FlowSolution> {
    let instance = Instance::new(jobs, nodes, tau);
    if !stretch.is_finite() || stretch <= 0.0 || instance.capacity == 0 && !instance.items.is_empty() {
        return None;
    }
    let unit = instance.unit(stretch);
    let bits = u32::try_from(unit.bits).ok()?;
    let intervals = if unit.wide {
        solve_windows(&instance, &instance.at::<i128>(stretch, unit.bits), bits)?
    } else {
        solve_windows(&instance, &instance.at::<i64>(stretch, unit.bits), bits)?
    };
    let tasks = jobs.iter().map(|job| job.tasks).collect();
    Some(FlowSolution { ticks_per_us: 1 << bits, intervals, tasks, nodes })
}

fn solve_windows<T: Amount>(
    instance: &Instance,
    windows: &Windows<T>,
    bits: u32,
) -> Option<Vec<FlowInterval>> {
    let core = Core::of(windows);
    let mut flow = Flow::new(&core);
    flow.fill_by_deadline();
    flow.complete().ok()?;

    let origin = u128::from(instance.origin) << bits;
    let absolute = |time: T| origin + time.widen().unsigned_abs();
    let interval = |start, end| FlowInterval { start: absolute(start), end: absolute(end), work: Vec::new() };
    let mut contested: Vec<FlowInterval> =
        core.intervals.iter().map(|piece| interval(piece.start, piece.end)).collect();
    let mut uncontested: Vec<FlowInterval> =
        core.uncontested.iter().map(|(piece, _)| interval(piece.start, piece.end)).collect();
    let spelled = |item: usize, work: T| {
        (instance.items[item].job, work.widen().unsigned_abs() * u128::from(instance.rate_unit))
    };

    for (index, job) in core.jobs.iter().enumerate() {
        for (place, contested) in contested.iter_mut().enumerate().take(job.end).skip(job.first) {
            let work = flow.amount(index, place);
            if work > T::default() {
                contested.work.push(spelled(job.item, work));
            }
        }
    }
    // A job uses uncontested time first, as early as possible.
    let kept = core.jobs.iter().map(|job| (job.item, u32::MAX, job.work));
    let dropped = core.dropped.iter().map(|&(item, round)| (item, round, T::default()));
    for (item, round, elsewhere) in kept.chain(dropped) {
        let window = windows.jobs[item];
        let mut missing = window.work - elsewhere;
        let first = core.uncontested.partition_point(|(piece, _)| piece.start < window.release);
        for (&(piece, freed), uncontested) in core.uncontested[first..].iter().zip(&mut uncontested[first..])
        {
            if missing == T::default() || piece.start >= window.deadline {
                break;
            }
            if freed <= round {
                let work = missing.min(window.rate * piece.length());
                uncontested.work.push(spelled(item, work));
                missing -= work;
            }
        }
    }
    contested.append(&mut uncontested);
    contested.retain(|interval| !interval.work.is_empty());
    contested.sort_unstable_by_key(|interval| interval.start);
    Some(contested)
}
