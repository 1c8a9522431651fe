//! Filling by the estimated stretch instead of the yield.

use super::StretchJob;
use super::contested::Part;
use super::filling::Rise;
use dfrsim_model::{SimSpan, TotalF64};

/// Inverse of a job's estimated stretch at the next tick as a function of its yield y: (virtual time
/// + y * period) / (flow time + period) = (y + `done`) / `slope`.
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
    /// Computes the yield for this inverse stretch; below 0 or above 1 if no yield achieves it.
    fn yield_for(self, inverse_stretch: f64) -> f64 {
        self.slope * inverse_stretch - self.done
    }
}

/// Rising job: it stays at its floor until the common level of inverse stretch reaches it.
#[derive(Clone, Copy, Debug)]
struct RisingJob {
    estimate: Estimate,
    floor: f64,
    /// Yield at which it stopped.
    stopped: Option<f64>,
}

/// Min-max weighted stretch: the level is the inverse of the largest weighted stretch. The largest
/// stretch is as small as possible, then the second largest, and so on. The computation is in
/// floating point: the last digits of yields may be wrong and are corrected afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct StretchRise {
    jobs: Vec<RisingJob>,
    /// Levels at which jobs of one node begin to rise or reach yield 1, with the change of its
    /// filling speed.
    breakpoints: Vec<(TotalF64, f64)>,
}

impl StretchRise {
    /// Starts with all jobs at their floors.
    pub(super) fn start(&mut self, jobs: &[StretchJob<'_>], period: SimSpan) {
        self.jobs.clear();
        self.jobs.extend(jobs.iter().map(|job| {
            let Estimate { slope, done } = Estimate::new(job, period);
            let estimate = Estimate { slope: slope * job.weight, done };
            RisingJob { estimate, floor: job.floor.as_f64(), stopped: None }
        }));
    }
    pub(super) fn yields(&self) -> impl Iterator<Item = f64> {
        self.jobs.iter().map(|climber| climber.stopped.unwrap_or(1.0))
    }
}

impl Rise for StretchRise {
    type Level = TotalF64;

    fn full_at(&mut self, node: &[Part], capacity: u64) -> Option<TotalF64> {
        self.breakpoints.clear();
        let (mut free, mut at_one) = (capacity as f64, 0.0);
        for part in node {
            let load = part.load as f64;
            let RisingJob { estimate, floor, stopped } = self.jobs[part.job as usize];
            free -= load * stopped.unwrap_or(floor);
            if stopped.is_none() {
                at_one += load * (1.0 - floor);
                let speed = load * estimate.slope;
                self.breakpoints.push((TotalF64(estimate.inverse_stretch(floor)), speed));
                self.breakpoints.push((TotalF64(estimate.inverse_stretch(1.0)), -speed));
            }
        }
        if at_one <= free {
            return None;
        }
        self.breakpoints.sort_unstable_by_key(|&(at, _)| at);
        let (mut level, mut speed) = (self.breakpoints.first()?.0.0, 0.0);
        for &(TotalF64(bend), change) in &self.breakpoints {
            let filled = speed * (bend - level);
            if filled > free {
                // Before any job rises, the use of the others may exceed the capacity in its last
                // digits.
                let more = if speed > 0.0 { free.max(0.0) / speed } else { 0.0 };
                return Some(TotalF64(level + more));
            }
            free -= filled;
            level = bend;
            speed += change;
        }
        Some(TotalF64(level))
    }
    fn stop(&mut self, job: usize, at: TotalF64) {
        let RisingJob { estimate, floor, stopped } = &mut self.jobs[job];
        stopped.get_or_insert_with(|| estimate.yield_for(at.0).clamp(*floor, 1.0));
    }
}
