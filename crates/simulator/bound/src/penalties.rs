//! Lower bound that includes memory and penalties.

use dfrsim_model::{Job, Share, SimSpan};

/// Number of deadlines after each submission that are examined as ends of intervals.
const MAX_DEADLINES: usize = 16;

/// A job at a given stretch; times in microseconds.
#[derive(Clone, Copy)]
struct WindowedJob {
    release: f64,
    deadline: f64,
    run: f64,
    /// Memory of all tasks, rounded by a [rule](rounded_memory).
    memory: f64,
}

/// Computes a lower bound on the maximum bounded stretch of all schedules in which a job holds its
/// memory while it has nodes, and makes no progress for `penalty` when it resumes or migrates. It is
/// at least `bound`, which must be a lower bound ([theorem 1](crate::max_stretch_bound)).
///
/// Let S be a stretch, r the submission and d the resulting deadline of a job with run time w. A job
/// that is never paused has nodes for at least w from some start s, with r <= s <= d - w. In an
/// interval from a to b, it holds nodes for the shortest time if it starts at r or at d - w: min(b -
/// a, w - (a - r)+, w - (d - b)+). A job that is paused has nodes for at least w + penalty, of which
/// at most (a - r)+ + (d - b)+ are outside the interval; if w + penalty > d - r, it cannot be
/// paused. If the sum over all jobs of tasks * memory * the smaller of the two times exceeds the
/// capacity of all nodes from a to b, no schedule has stretch S.
///
/// As no node can hold two tasks with more than half of its memory, this also holds if such tasks
/// count as whole nodes and those with less than half count as zero, and likewise for fractions
/// other than one half.
///
/// Intervals begin at submissions and end at one of the next deadlines, so the bound is not the best
/// of its kind.
pub fn max_stretch_bound_with_penalties(
    jobs: &[Job],
    nodes: u32,
    penalty: SimSpan,
    tau: SimSpan,
    bound: f64,
) -> f64 {
    let mut low = bound;
    for part in [0, 4, 2] {
        let least = Share::ONE.units().checked_div(part).unwrap_or(0);
        let mut held: Vec<(WindowedJob, f64)> = Vec::new();
        // Jobs without memory, and jobs that fit in no schedule, are not counted.
        for job in jobs.iter().filter(|job| {
            let on_one = Share::ONE.units().checked_div(job.memory.units()).unwrap_or(0);
            u64::from(job.tasks) <= u64::from(nodes) * u64::from(on_one)
        }) {
            let memory = f64::from(job.tasks) * rounded_memory(job.memory, least);
            let (release, run) = (job.submit.micros() as f64, job.run_time.micros() as f64);
            held.push((
                WindowedJob { release, deadline: 0.0, run, memory },
                job.run_time.max(tau).micros() as f64,
            ));
        }
        held.retain(|(job, _)| job.memory > 0.0 && job.run > 0.0);
        held.sort_by(|a, b| a.0.release.total_cmp(&b.0.release));
        let is_too_much = |stretch: f64| {
            let at = |&(job, span): &(WindowedJob, f64)| WindowedJob {
                deadline: job.release + stretch * span,
                ..job
            };
            let jobs: Vec<WindowedJob> = held.iter().map(at).collect();
            exceeds(&jobs, f64::from(nodes), penalty.micros() as f64)
        };
        let (mut good, mut high) = (low * (1.0 + 1e-9), low);
        while is_too_much(good) && good < 1e9 {
            (low, high) = (good, 2.0 * good);
            good = high;
        }
        while high > low * (1.0 + 1e-6) {
            let middle = f64::midpoint(low, high);
            if is_too_much(middle) { low = middle } else { high = middle }
        }
    }
    low
}

/// Computes the memory of a task as a fraction of a node. A task that leaves less than `least` units
/// free counts as a whole node; one with less than `least` units, as zero.
fn rounded_memory(memory: Share, least: u32) -> f64 {
    let (units, whole) = (memory.units(), Share::ONE.units());
    match units {
        _ if units < least => 0.0,
        _ if units > whole - least => 1.0,
        _ => f64::from(units) / f64::from(whole),
    }
}

/// Returns whether in some interval these jobs, given by submission, hold more memory than the nodes
/// have.
fn exceeds(jobs: &[WindowedJob], nodes: f64, penalty: f64) -> bool {
    let mut open: Vec<WindowedJob> = Vec::new();
    for (at, first) in jobs.iter().enumerate() {
        let begin = first.release;
        open.retain(|job| job.deadline > begin);
        open.push(*first);
        if jobs.get(at + 1).is_some_and(|next| next.release == begin) {
            continue;
        }
        let later = &jobs[at + 1..];
        let mut ends: Vec<f64> = later.iter().take(MAX_DEADLINES).map(|job| job.deadline).collect();
        ends.extend(open.iter().map(|job| job.deadline));
        ends.sort_by(f64::total_cmp);
        for &end in ends.iter().take(MAX_DEADLINES) {
            let before_end = later.iter().take_while(|job| job.release < end);
            let all = open.iter().chain(before_end);
            let held: f64 = all.map(|job| job.memory * job.min_time_on_nodes(begin, end, penalty)).sum();
            // Tolerance above the rounding errors of times of years.
            if held > nodes * ((end - begin) * (1.0 + 1e-9) + 0.1) {
                return true;
            }
        }
    }
    false
}

impl WindowedJob {
    /// Computes the minimum time within an interval during which the job has nodes.
    fn min_time_on_nodes(&self, begin: f64, end: f64, penalty: f64) -> f64 {
        let before = (begin - self.release).max(0.0);
        let after = (self.deadline - end).max(0.0);
        let at_once = (self.run - before.max(after)).min(end - begin);
        let paused = self.run + penalty;
        let may_pause = paused <= self.deadline - self.release;
        let least = if may_pause { at_once.min(paused - before - after) } else { at_once };
        least.max(0.0)
    }
}
