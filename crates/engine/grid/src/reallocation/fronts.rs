//! Which jobs can come first at all.
//!
//! Clusters that serve their queues in turn offer the same start to all jobs of one width, and no earlier one to wider jobs,
//! which may fit on fewer clusters besides. So a job that is as wide as another and has a larger walltime surely completes
//! later: MinMin and MaxMin only have to examine the jobs that no other one precedes in this way. Of thousands of jobs
//! these are a few dozen.

use crate::{GridJob, Heuristic};
use std::ops::Range;

/// Waiting jobs, of which those are handed out that may be the first one.
pub(super) struct Fronts {
    /// By width, walltime and submission.
    jobs: Vec<Waiting>,
    /// A line for each width. With MaxMin the widest jobs are first, with MinMin the narrowest: before all jobs that they
    /// may keep from being the first.
    lines: Vec<Line>,
    /// The place of the first jobs of each line; 0 if none is left.
    firsts: Vec<u64>,
    /// Walltimes that differ by less than this may be the same on a fast cluster, where they are rounded up.
    rounding: u64,
    /// Whether large walltimes come first.
    largest: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    width: u32,
    /// Its place in the order: the walltime in microseconds, or with MinMin its complement.
    place: u64,
    job: usize,
}

/// The jobs of one width that are left, by place: those that may come first are last.
struct Line {
    width: u32,
    all_alike: Vec<Alike>,
}

/// The jobs of one width and one walltime.
struct Alike {
    place: u64,
    /// Those that are held back, as a range of the jobs.
    held: Range<usize>,
    /// Whether one is handed out and left. The others can only come after it.
    shown: bool,
}

impl Fronts {
    /// Of these jobs; `None` if the heuristic compares something else than completion times.
    pub(super) fn new<'a>(
        heuristic: Heuristic,
        jobs: impl Iterator<Item = (usize, &'a GridJob)>,
        fastest_thousandths: u32,
    ) -> Option<Fronts> {
        let largest = match heuristic {
            Heuristic::MinMin => false,
            Heuristic::MaxMin => true,
            Heuristic::Mct | Heuristic::MaxGain | Heuristic::MaxRelGain | Heuristic::Sufferage => {
                return None;
            }
        };
        let waiting = |(number, job): (usize, &GridJob)| Waiting {
            width: job.width,
            place: place(largest, job.walltime.micros()),
            job: number,
        };
        let mut jobs: Vec<Waiting> = jobs.map(waiting).collect();
        jobs.sort_unstable();
        let mut lines = lines(&jobs);
        if largest {
            lines.reverse();
        }
        let firsts = lines.iter().map(Line::first).collect();
        let rounding = u64::from(fastest_thousandths.div_ceil(1_000));
        Some(Fronts { jobs, lines, firsts, rounding, largest })
    }

    /// A job that was handed out is gone.
    pub(super) fn take(&mut self, width: u32, walltime: u64) {
        let place = place(self.largest, walltime);
        let order = |line: &Line| if self.largest { width.cmp(&line.width) } else { line.width.cmp(&width) };
        let number = self.lines.binary_search_by(order).expect("it was in a line");
        let line = &mut self.lines[number];
        let at = line.all_alike.iter().rposition(|alike| alike.place == place).expect("it was in a line");
        line.all_alike[at].shown = false;
        if line.all_alike[at].held.is_empty() {
            line.all_alike.remove(at);
            self.firsts[number] = line.first();
        }
    }

    /// Hands out the jobs that can come before, or at the same place as, all that are left.
    pub(super) fn show(&mut self, next: &mut Vec<usize>) {
        let mut first = 0;
        for (line, &own) in self.lines.iter_mut().zip(&self.firsts) {
            first = first.max(own);
            if own.saturating_add(self.rounding) <= first {
                continue;
            }
            let in_front = |alike: &&mut Alike| alike.place.saturating_add(self.rounding) > first;
            for alike in line.all_alike.iter_mut().rev().take_while(in_front) {
                if !alike.shown {
                    alike.shown = true;
                    next.extend(alike.held.next().map(|at| self.jobs[at].job));
                }
            }
        }
    }
}

impl Line {
    fn first(&self) -> u64 {
        self.all_alike.last().map_or(0, |alike| alike.place)
    }
}

fn lines(jobs: &[Waiting]) -> Vec<Line> {
    let mut lines = Vec::<Line>::new();
    let mut begin = 0;
    for alike in jobs.chunk_by(|a, b| (a.width, a.place) == (b.width, b.place)) {
        let Waiting { width, place, .. } = alike[0];
        if lines.last().is_none_or(|line| line.width != width) {
            lines.push(Line { width, all_alike: Vec::new() });
        }
        let held = begin..begin + alike.len();
        begin = held.end;
        lines.last_mut().expect("there is one").all_alike.push(Alike { place, held, shown: false });
    }
    lines
}

fn place(largest: bool, walltime: u64) -> u64 {
    if largest { walltime } else { !walltime }
}
