//! Jobs of a bound in exact integers, and their windows at a given stretch.

use crate::amount::Amount;
use dfrsim_model::{Job, Share, SimSpan, greatest_common_divisor};

/// A job with work to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Index in the caller's list.
    pub(crate) job: usize,
    /// Release in microseconds after the first one.
    pub(crate) release: u64,
    /// max(run time, tau) in microseconds: the change of the deadline when the stretch increases by
    /// 1.
    pub(crate) span: u64,
    /// Maximum CPU that the job can use at once, at most all nodes, in rate units.
    pub(crate) rate: u64,
    /// Work in rate units * microseconds.
    pub(crate) work: i128,
}

/// All jobs with work to do. The rate unit is the greatest common divisor of all rates, so that
/// rates are small numbers if needs are halves or quarters of a node.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) items: Vec<Item>,
    /// Total rate of all nodes, in rate units.
    pub(crate) capacity: u64,
    /// Number of share units in one rate unit.
    pub(crate) rate_unit: u64,
    /// First release, in microseconds.
    pub(crate) origin: u64,
}

/// Unit of time: 2^-bits microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeUnit {
    /// Binary digits after the microsecond; at least 0 for every instance from a log, negative only
    /// where even 128 bits do not suffice.
    pub(crate) bits: i32,
    /// True if amounts need `i128`.
    pub(crate) wide: bool,
}

impl TimeUnit {
    /// Precision at which 64 bits suffice: with deadlines rounded up to 2^-8 microseconds, the
    /// stretch of a job of one second has a relative error of 4e-9.
    const FINE_ENOUGH: i32 = 8;
    /// Finest useful unit: finer ones would not change a stretch in double precision.
    const FINEST: i32 = 20;
}

/// Window of an item at a given stretch, in some unit of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<T> {
    pub(crate) release: T,
    pub(crate) deadline: T,
    pub(crate) rate: T,
    pub(crate) work: T,
}

/// Windows of all items at a given stretch.
#[derive(Clone, Debug)]
pub(crate) struct Windows<T> {
    pub(crate) jobs: Vec<Window<T>>,
    pub(crate) capacity: T,
}

impl Instance {
    pub(crate) fn new(jobs: &[Job], nodes: u32, tau: SimSpan) -> Instance {
        let demand = |job: &Job| u64::from(job.tasks) * u64::from(job.cpu_need.units());
        let busy = |job: &&Job| demand(job) > 0 && !job.run_time.is_zero();
        let whole = u64::from(nodes) * u64::from(Share::ONE.units());
        let rate_unit = jobs.iter().filter(busy).map(demand).fold(whole, greatest_common_divisor).max(1);
        let origin = jobs.iter().filter(busy).map(|job| job.submit.micros()).min().unwrap_or(0);
        let capacity = whole / rate_unit;
        let items = (jobs.iter().enumerate().filter(|(_, job)| busy(job)))
            .map(|(index, job)| Item {
                job: index,
                release: job.submit.micros() - origin,
                span: job.run_time.max(tau).micros(),
                rate: (demand(job) / rate_unit).min(capacity),
                work: i128::from(demand(job) / rate_unit) * i128::from(job.run_time.micros()),
            })
            .collect();
        Instance { items, capacity, rate_unit, origin }
    }

    /// Selects the unit of time for a stretch: the finest one that 64-bit amounts allow, or 128-bit
    /// ones if that is too coarse.
    pub(crate) fn unit(&self, stretch: f64) -> TimeUnit {
        let horizon = self.items.iter().map(|item| item.release as f64 + stretch * item.span as f64 + 1.0);
        let longest = horizon.fold(self.items.len() as f64, f64::max);
        let work: f64 = self.items.iter().map(|item| item.work as f64).sum();
        let digits = (self.capacity as f64 * longest).max(work).max(1.0).log2().ceil() as i32;
        let narrow = i64::DIGITS as i32 - digits;
        if narrow >= TimeUnit::FINE_ENOUGH {
            return TimeUnit { bits: narrow.min(TimeUnit::FINEST), wide: false };
        }
        // An explicit solution is in share units, which must fit as well.
        let wide = i128::DIGITS as i32 - digits - self.rate_unit.ilog2() as i32 - 1;
        TimeUnit { bits: wide.clamp(-126, TimeUnit::FINEST), wide: true }
    }

    /// Computes the windows at a stretch, with time in units of 2^-`bits` microseconds. Values are
    /// rounded so that no window becomes harder: releases and work down, deadlines up.
    pub(crate) fn at<T: Amount>(&self, stretch: f64, bits: i32) -> Windows<T> {
        let scaled = |value: i128| if bits >= 0 { value << bits } else { value >> bits.unsigned_abs() };
        let unit = f64::from(bits).exp2();
        let window = |item: &Item| {
            let release = scaled(i128::from(item.release));
            let grown = (item.span as f64 * stretch * unit).ceil() as i128;
            Window {
                release: T::narrow(release),
                deadline: T::narrow(release + grown.max(1)),
                rate: T::narrow(i128::from(item.rate)),
                work: T::narrow(scaled(item.work)),
            }
        };
        let jobs = self.items.iter().map(window).collect();
        Windows { jobs, capacity: T::narrow(i128::from(self.capacity)) }
    }
}
