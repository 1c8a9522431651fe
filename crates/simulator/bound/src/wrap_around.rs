//! Schedule of tasks on nodes.

use crate::FlowSolution;
use dfrsim_model::Share;

/// Interval in which a node runs one task at full speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Node number, from 0.
    pub node: u32,
    /// Index of the job in the caller's list.
    pub job: usize,
    /// Task number within the job, from 0.
    pub task: u32,
    /// Start, in sub-ticks after the origin of the workload.
    pub start: u128,
    /// End, in sub-ticks; later than `start`.
    pub end: u128,
}

/// Schedule of all tasks on the nodes.
///
/// A task of need d has done its work when its pieces have a total length of d * run time: the need
/// is its average use of CPU (dissertation, section 5.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Unit of time: the number of sub-ticks in a microsecond. A tick is 943,718,400 sub-ticks, so
    /// that any work is a whole number.
    pub subticks_per_us: u64,
    /// Pieces by interval, then node, then time.
    pub pieces: Vec<Piece>,
}

/// Builds the schedule in the proof of theorem 1, after McNaughton. Within each interval the tasks
/// are laid end to end along the first node, then the next; a task that reaches the end of a node
/// continues at the beginning of the following one. It never runs on two nodes at once, as it needs
/// at most the length of the interval.
///
/// The tasks of a job get equal parts of its work, to within one unit in every interval and exactly
/// at the end.
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
                // The sum over the tasks of floor((work + task) / tasks) is the work (Hermite's
                // identity).
                let share = |work: u128| (work + u128::from(task)) / tasks;
                let mut rest = share(done[job]) - share(before);
                while rest > 0 {
                    debug_assert!(node < solution.nodes, "the work of an interval must fit on its nodes");
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
