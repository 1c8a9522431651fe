//! The least stretch at which a set of jobs is not too much for its own time.

use crate::instance::{Instance, Item};

/// How close the root is to the truth, relatively.
const PRECISION: f64 = 1e-13;

/// A set of jobs, to be asked how much it could do at most: the integral of min(capacity, sum of the rates of
/// those whose window is open). No schedule of stretch S exists if that is less than their work.
struct Set<'a> {
    instance: &'a Instance,
    by_release: Vec<Item>,
    /// Kept between questions, nearly sorted for the next one.
    by_deadline: Vec<(f64, Item)>,
    start: u64,
    work: f64,
}

/// The smallest stretch, at least `from`, at which the work of these items fits in what they could do at most.
///
/// What they could do is piecewise linear in the stretch and grows with it, so Newton's method lands on the root
/// after a few pieces; a bracket keeps it from running astray where the slope jumps.
pub(crate) fn least_stretch(instance: &Instance, items: &[usize], from: f64) -> f64 {
    let mut set = Set::new(instance, items);
    let (mut low, mut high) = (from, f64::INFINITY);
    let mut stretch = from;
    loop {
        let (most, slope) = set.most_work(stretch);
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

impl Set<'_> {
    fn new<'a>(instance: &'a Instance, items: &[usize]) -> Set<'a> {
        let mut by_release: Vec<Item> = items.iter().map(|&item| instance.items[item]).collect();
        by_release.sort_unstable_by_key(|item| item.release);
        let by_deadline = by_release.iter().map(|&item| (0.0, item)).collect();
        let start = by_release.first().map_or(0, |item| item.release);
        let work: i128 = by_release.iter().fold(0, |sum, item| sum.saturating_add(item.work));
        Set { instance, by_release, by_deadline, start, work: work as f64 }
    }

    /// The most work that the set could do at this stretch, and its slope there.
    fn most_work(&mut self, stretch: f64) -> (f64, f64) {
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
