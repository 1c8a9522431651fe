//! Tasks laid out on nodes.

use crate::FlowSolution;
use dfrsim_model::Share;

/// A stretch of time in which a node runs one task at full speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The node, from 0.
    pub node: u32,
    /// The job, as an index into the caller's list.
    pub job: usize,
    /// The task of the job, from 0.
    pub task: u32,
    /// When it begins, in sub-ticks after the origin of the workload.
    pub start: u128,
    /// When it ends, in sub-ticks; later than `start`.
    pub end: u128,
}

/// Which node runs which task when.
///
/// A task of need d has done its work when its pieces are, together, d * run time long: the need is what it
/// uses on the average (dissertation, section 5.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The unit of time: a microsecond is this many sub-ticks; a tick is 943,718,400 of them, so that any work is
    /// a whole number.
    pub subticks_per_us: u64,
    /// Interval by interval, within an interval node by node, on a node in the order of time.
    pub pieces: Vec<Piece>,
}

/// The schedule in the proof of theorem 1, after McNaughton: within each interval the tasks are laid end to end
/// along the first node, then the next, and a task that meets the end of a node goes on at the beginning of the
/// following one. It never runs on two nodes at once, for it needs no more than the length of the interval.
///
/// The tasks of a job get equal parts of its work, to within one unit in every interval and exactly at the end.
pub fn wrap_around(solution: &FlowSolution) -> Schedule {
    let tick = u128::from(Share::ONE.units());
    let mut done = vec![0_u128; solution.tasks.len()];
    let mut pieces = Vec::new();
    for interval in &solution.intervals {
        let (start, length) = (interval.start * tick, (interval.end - interval.start) * tick);
        let (mut node, mut position) = (0, 0);
        for &(job, work) in &interval.work {
            let (tasks, before) = (u128::from(solution.tasks[job]), done[job]);
            done[job] += work;
            for task in 0..solution.tasks[job] {
                // Summed over the tasks, floor((work + task) / tasks) is the work (Hermite's identity).
                let share = |work: u128| (work + u128::from(task)) / tasks;
                let mut rest = share(done[job]) - share(before);
                while rest > 0 {
                    debug_assert!(node < solution.nodes, "the work of an interval fits on its nodes");
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
    Schedule { subticks_per_us: solution.ticks_per_us * u64::from(Share::ONE.units()), pieces }
}
