//! Filling by the estimated stretch instead of the yield.

use super::StretchJob;
use super::contested::Part;
use super::filling::Rise;
use dfrsim_model::{SimSpan, Total};

/// How the inverse of a job's estimated stretch at the next tick depends on its yield y:
/// (virtual time + y * period) / (flow time + period) = (y + `done`) / `slope`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// (Flow time + period) / period, at least 1.
    pub(super) slope: f64,
    /// Virtual time / period.
    done: f64,
}

impl Estimate {
    pub(super) fn new(job: &StretchJob<'_>, period: SimSpan) -> Estimate {
        let period = period.max(SimSpan::from_micros(1)).as_secs_f64();
        Estimate {
            slope: (job.flow_time.as_secs_f64() + period) / period,
            done: job.virtual_time.as_secs_f64() / period,
        }
    }
    fn inverse_stretch(self, at: f64) -> f64 {
        (at + self.done) / self.slope
    }
    /// The yield for this inverse stretch, below 0 or above 1 where no yield will do.
    fn yield_for(self, inverse_stretch: f64) -> f64 {
        self.slope * inverse_stretch - self.done
    }
}

/// A job's way up: it stays at its floor until the common level of inverse stretch reaches it.
#[derive(Clone, Copy, Debug)]
struct Climber {
    estimate: Estimate,
    floor: f64,
    /// The yield at which it stopped.
    stopped: Option<f64>,
}

/// The level is the inverse of the largest stretch times its weight: the smallest largest stretch, then the second largest, and
/// so on. In floating point: its yields may be wrong in the last digits and are made to fit afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct StretchRise {
    climbers: Vec<Climber>,
    /// Levels at which jobs of one node begin to rise or reach yield 1, with the change of its filling speed.
    bends: Vec<(Total, f64)>,
}

impl StretchRise {
    /// All jobs at their floors.
    pub(super) fn start(&mut self, jobs: &[StretchJob<'_>], period: SimSpan) {
        self.climbers.clear();
        self.climbers.extend(jobs.iter().map(|job| {
            let Estimate { slope, done } = Estimate::new(job, period);
            let estimate = Estimate { slope: slope * job.weight, done };
            Climber { estimate, floor: job.floor.as_f64(), stopped: None }
        }));
    }
    pub(super) fn yields(&self) -> impl Iterator<Item = f64> {
        self.climbers.iter().map(|climber| climber.stopped.unwrap_or(1.0))
    }
}

impl Rise for StretchRise {
    type Level = Total;

    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<Total> {
        self.bends.clear();
        let (mut free, mut at_one) = (capacity as f64, 0.0);
        for part in node {
            let load = part.load as f64;
            let Climber { estimate, floor, stopped } = self.climbers[part.job as usize];
            free -= load * stopped.unwrap_or(floor);
            if stopped.is_none() {
                at_one += load * (1.0 - floor);
                let speed = load * estimate.slope;
                self.bends.push((Total(estimate.inverse_stretch(floor)), speed));
                self.bends.push((Total(estimate.inverse_stretch(1.0)), -speed));
            }
        }
        if at_one <= free {
            return None;
        }
        self.bends.sort_unstable_by_key(|&(at, _)| at);
        let (mut level, mut speed) = (self.bends.first()?.0.0, 0.0);
        for &(Total(bend), change) in &self.bends {
            let filled = speed * (bend - level);
            if filled > free {
                // What others use may be more than there is, in its last digits, before any rises.
                let more = if speed > 0.0 { free.max(0.0) / speed } else { 0.0 };
                return Some(Total(level + more));
            }
            free -= filled;
            level = bend;
            speed += change;
        }
        Some(Total(level))
    }
    fn stop(&mut self, job: usize, at: Total) {
        let Climber { estimate, floor, stopped } = &mut self.climbers[job];
        stopped.get_or_insert_with(|| estimate.yield_for(at.0).clamp(*floor, 1.0));
    }
}
