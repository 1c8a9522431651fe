//! Choices on clusters that serve their queues in order.
//!
//! Such clusters offer one start to all jobs of one width, regardless of the walltime. So few jobs
//! of each width can come first for any starts, and only these are examined: about a hundred of
//! thousands of waiting jobs.

use super::key::{Key, micros};
use super::walltimes::{ClusterLine, Walltimes};
use super::{QueuedJobs, cancel_all, resubmit_job};
use crate::engine::demand::Demand;
use crate::engine::grid::Grid;
use crate::engine::{Heuristic, Speed};
use dfrsim_model::{SimSpan, SimTime};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Applies algorithm 2 as [`super::by_choice::resubmit`] does, but faster.
pub(super) fn resubmit(grid: &mut Grid<'_>, places: &QueuedJobs, waiting: &[usize], heuristic: Heuristic) {
    let ends: Vec<SimTime> = waiting.iter().map(|&job| places.end(job)).collect();
    cancel_all(grid, places, waiting);
    let now = grid.now();
    let mut taken = vec![false; waiting.len()];
    let mut classes = classes(grid, waiting, &ends, heuristic);
    for class in &mut classes {
        class.update_best(&taken);
    }
    while let Some((number, chosen)) = first(&mut classes, heuristic) {
        let class = &mut classes[number];
        let job = waiting[chosen];
        let from = places.cluster(job);
        let end = |line: &ClusterLine| line.end(grid.job(job).walltime);
        // Ties go to the job's former cluster, then to the first.
        let best = class.lines.iter().map(|line| (end(line), line.cluster != from, line.cluster)).min();
        let (end, _, to) = best.expect("it was on a cluster before");
        taken[chosen] = true;
        class.take(grid.job(job).walltime, chosen);
        class.update_best(&taken);
        resubmit_job(grid, job, from, to, end);
        for class in &mut classes {
            let width = class.width;
            let Some(line) = class.lines.iter_mut().find(|line| line.cluster == to) else { continue };
            let start = grid.clusters[to].expect(now, line.start, without_walltime(width)).start;
            if start != line.start {
                line.start = start;
                class.update_best(&taken);
            }
        }
    }
}

/// Waiting jobs of one width. Jobs are numbered by their index in the list of all waiting jobs.
struct WidthClass {
    width: u32,
    /// Clusters that are large enough.
    lines: Vec<ClusterLine>,
    jobs: Jobs,
    best: Best,
}

/// Jobs of a width, organised so that the first is found quickly for any starts.
enum Jobs {
    /// Jobs for each speed, in ascending order of their gain if clusters of that speed could start
    /// them at time 0; the last one is examined first. Jobs that were already chosen may still be in
    /// the lists.
    Gains(Vec<SpeedGains>),
    /// Order for completion times and sufferages, which depend on the walltime alone.
    Walltimes(Walltimes),
}

struct SpeedGains {
    speed: Speed,
    by_gain: Vec<(i64, Reverse<usize>)>,
}

/// First job of a class.
#[derive(Clone, Copy, Debug)]
enum Best {
    /// No job is left.
    None,
    /// Value that is compared, in microseconds, and the job.
    Known(i64, usize),
    /// The first job has not been searched; no job of the class exceeds this value.
    AtMost(i64),
}

impl WidthClass {
    fn take(&mut self, walltime: SimSpan, job: usize) {
        if let Jobs::Walltimes(walltimes) = &mut self.jobs {
            walltimes.remove(walltime, job);
        }
    }

    /// Updates the first job after a job was chosen or a start has changed.
    fn update_best(&mut self, taken: &[bool]) {
        let lines = &self.lines;
        self.best = match &mut self.jobs {
            Jobs::Walltimes(walltimes) => walltimes.bound(lines).map_or(Best::None, Best::AtMost),
            Jobs::Gains(of_speeds) => {
                let gains = of_speeds.iter_mut().filter_map(|SpeedGains { speed, by_gain }| {
                    while by_gain.last().is_some_and(|(_, Reverse(job))| taken[*job]) {
                        by_gain.pop();
                    }
                    let starts = lines.iter().filter(|line| line.speed == *speed);
                    let start = starts.map(|line| line.start).min()?;
                    let &(gain, job) = by_gain.last()?;
                    Some((gain.saturating_sub(micros(start)), job))
                });
                gains.max().map_or(Best::None, |(gain, Reverse(job))| Best::Known(gain, job))
            }
        };
    }

    fn find_best(&mut self) {
        if let (Best::AtMost(_), Jobs::Walltimes(walltimes)) = (self.best, &self.jobs) {
            self.best =
                walltimes.first(&self.lines).map_or(Best::None, |(value, job)| Best::Known(value, job));
        }
    }
}

/// Finds the class of the job that comes first, and the job.
fn first(classes: &mut [WidthClass], heuristic: Heuristic) -> Option<(usize, usize)> {
    loop {
        let mut known: Option<(Key, Reverse<usize>, usize)> = None;
        let mut open: Option<(Key, usize)> = None;
        for (number, class) in classes.iter().enumerate() {
            let key = |value| Key::of_value(heuristic, value, class.width);
            match class.best {
                Best::None => {}
                Best::Known(value, job) => {
                    let found = (key(value), Reverse(job), number);
                    if known.is_none_or(|known| found > known) {
                        known = Some(found);
                    }
                }
                Best::AtMost(value) => {
                    if open.is_none_or(|(most, _)| key(value) > most) {
                        open = Some((key(value), number));
                    }
                }
            }
        }
        match (known, open) {
            // The open class may contain an earlier job of equal value.
            (known, Some((most, number))) if known.is_none_or(|known| most >= known.0) => {
                classes[number].find_best();
            }
            (known, _) => return known.map(|(_, Reverse(job), number)| (number, job)),
        }
    }
}

/// Groups the jobs by width.
fn classes(
    grid: &mut Grid<'_>,
    waiting: &[usize],
    ends: &[SimTime],
    heuristic: Heuristic,
) -> Vec<WidthClass> {
    let mut by_width: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, &job) in waiting.iter().enumerate() {
        by_width.entry(grid.job(job).width).or_default().push(place);
    }
    let now = grid.now();
    let class = |(width, places): (u32, Vec<usize>)| {
        let wide = grid.clusters.iter_mut().enumerate().filter(|(_, cluster)| cluster.accepts(width));
        let lines = wide.map(|(cluster, asked)| ClusterLine {
            cluster,
            speed: asked.spec.speed,
            start: asked.expect(now, now, without_walltime(width)).start,
        });
        let lines: Vec<ClusterLine> = lines.collect();
        let jobs = if matches!(heuristic, Heuristic::MaxGain | Heuristic::MaxRelGain) {
            let gain = |place: usize, line: &ClusterLine| {
                let walltime = line.speed.time_of(grid.job(waiting[place]).walltime);
                micros(ends[place]).saturating_sub(micros(SimTime::ZERO + walltime))
            };
            let mut of_speeds = Vec::<SpeedGains>::new();
            for line in &lines {
                if of_speeds.iter().any(|other| other.speed == line.speed) {
                    continue;
                }
                let mut by_gain: Vec<(i64, Reverse<usize>)> =
                    places.iter().map(|&place| (gain(place, line), Reverse(place))).collect();
                by_gain.sort_unstable();
                of_speeds.push(SpeedGains { speed: line.speed, by_gain });
            }
            Jobs::Gains(of_speeds)
        } else {
            let walltime = |&place: &usize| (grid.job(waiting[place]).walltime, place);
            Jobs::Walltimes(Walltimes::new(heuristic, places.iter().map(walltime), &lines))
        };
        WidthClass { width, lines, jobs, best: Best::None }
    };
    by_width.into_iter().map(class).collect()
}

/// Returns a request without walltime; the start does not depend on it on clusters that serve their
/// queues in order.
fn without_walltime(width: u32) -> Demand {
    Demand { job: usize::MAX, width, walltime: SimSpan::ZERO }
}
