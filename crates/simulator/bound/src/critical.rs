//! Least stretch at which the work of a set of jobs fits into their windows.

use crate::instance::{Instance, Item};

/// Relative tolerance of the root.
const PRECISION: f64 = 1e-13;

/// A set of jobs whose maximum work is evaluated: the integral of min(capacity, sum of the rates of
/// the jobs whose windows are open). No schedule of stretch S exists if that is less than their
/// work.
struct ItemSet<'a> {
    instance: &'a Instance,
    by_release: Vec<Item>,
    /// Kept between evaluations, as the order changes little.
    by_deadline: Vec<(f64, Item)>,
    start: u64,
    work: f64,
}

/// Finds the smallest stretch, at least `from`, at which the work of these items does not exceed
/// their maximum work.
///
/// The maximum work is piecewise linear and increasing in the stretch, so Newton's method reaches
/// the root after a few pieces. A bracket keeps it from diverging where the slope jumps.
pub(crate) fn least_stretch(instance: &Instance, items: &[usize], from: f64) -> f64 {
    let mut set = ItemSet::new(instance, items);
    let (mut low, mut high) = (from, f64::INFINITY);
    let mut stretch = from;
    loop {
        let (most, slope) = set.max_work(stretch);
        let lack = set.work - most;
        if lack.abs() <= PRECISION * set.work {
            return stretch;
        }
        if lack > 0.0 {
            low = stretch;
        } else {
            high = stretch;
        }
        let next = stretch + lack / slope;
        stretch = if low < next && next < high { next } else { f64::midpoint(low, high.min(2.0 * low)) };
        if high - low <= PRECISION * low || stretch <= low || stretch >= high {
            return low;
        }
    }
}

impl ItemSet<'_> {
    fn new<'a>(instance: &'a Instance, items: &[usize]) -> ItemSet<'a> {
        let mut by_release: Vec<Item> = items.iter().map(|&item| instance.items[item]).collect();
        by_release.sort_unstable_by_key(|item| item.release);
        let by_deadline = by_release.iter().map(|&item| (0.0, item)).collect();
        let start = by_release.first().map_or(0, |item| item.release);
        let work: i128 = by_release.iter().fold(0, |sum, item| sum.saturating_add(item.work));
        ItemSet { instance, by_release, by_deadline, start, work: work as f64 }
    }

    /// Computes the maximum work of the set at this stretch, and its derivative.
    fn max_work(&mut self, stretch: f64) -> (f64, f64) {
        for (deadline, item) in &mut self.by_deadline {
            *deadline = (item.release - self.start) as f64 + stretch * item.span as f64;
        }
        self.by_deadline.sort_by(|a, b| a.0.total_cmp(&b.0));
        let capacity = i128::from(self.instance.capacity);
        let (mut releases, mut most, mut slope) = (self.by_release.iter().peekable(), 0.0, 0.0);
        let (mut now, mut rate) = (0.0, 0_i128);
        for &(deadline, item) in &self.by_deadline {
            while let Some(opened) = releases.next_if(|next| (next.release - self.start) as f64 <= deadline) {
                let release = (opened.release - self.start) as f64;
                most += (release - now) * rate.min(capacity) as f64;
                now = release;
                rate += i128::from(opened.rate);
            }
            most += (deadline - now) * rate.min(capacity) as f64;
            now = deadline;
            let after = rate - i128::from(item.rate);
            slope += (rate.min(capacity) - after.min(capacity)) as f64 * item.span as f64;
            rate = after;
        }
        (most, slope)
    }
}
