//! Windows in which Slurm looks at the expected ends of running jobs.
//!
//! When a backfill cycle determines the time at which a waiting job can start, it does not test each
//! expected end of a running job but takes those in a window together (`bf_window_linear` in
//! <https://slurm.schedmd.com/slurm.conf.html>). The windows are counted from the first end, rounded
//! up to a multiple of 30 s. They last until 30, 60, 120, 240 s after it, and so on, or are longer by
//! a constant amount each.

use dfrsim_model::{SimSpan, SimTime};

/// Length of the first window, and step to which its start is rounded up.
const FIRST: SimSpan = SimSpan::from_secs(30);

/// Window for expected ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    base: SimTime,
    length: SimSpan,
    /// Amount by which windows become longer; zero if their length doubles.
    growth: SimSpan,
}

impl Window {
    /// Creates the first window, given the first end.
    pub(super) fn first(end: SimTime, growth: SimSpan) -> Window {
        let steps = end.micros() / FIRST.micros() + 1;
        let base = SimTime::from_micros(steps.saturating_mul(FIRST.micros()));
        Window { base, length: FIRST, growth }
    }

    /// Returns whether an end is before the end of the window.
    pub(super) fn contains(&self, end: SimTime) -> bool {
        end <= self.base.saturating_add(self.length)
    }

    /// Moves on to the window of an end that is behind this one.
    pub(super) fn advance_to(&mut self, end: SimTime) {
        let [until, length, growth] =
            [end.saturating_since(self.base), self.length, self.growth].map(SimSpan::micros);
        let length = if growth > 0 {
            let steps = until.saturating_sub(length).div_ceil(growth).max(1);
            length.saturating_add(steps.saturating_mul(growth))
        } else {
            let mut length = length.saturating_mul(2);
            while length < until {
                length = length.saturating_mul(2);
            }
            length
        };
        self.length = SimSpan::from_micros(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the last end in each window that has any.
    fn lasts(ends: &[u64], growth: u64) -> Vec<u64> {
        let (mut window, mut found) = (None, Vec::new());
        for (at, &end) in ends.iter().enumerate() {
            let first = || Window::first(SimTime::from_secs(end), SimSpan::from_secs(growth));
            let window = window.get_or_insert_with(first);
            match ends.get(at + 1).map(|&next| SimTime::from_secs(next)) {
                Some(next) if window.contains(next) => {}
                next => {
                    found.push(end);
                    next.into_iter().for_each(|next| window.advance_to(next));
                }
            }
        }
        found
    }

    /// The first end is at 95 s, so that windows are counted from 120 s: until 150, 180, 240, 360 and
    /// 600 s.
    #[test]
    fn ends_are_taken_together_in_windows() {
        assert_eq!(lasts(&[95, 100, 150, 151, 180, 181, 359, 601], 0), [150, 180, 181, 359, 601]);
        // An end at the step itself is rounded up, too.
        assert_eq!(lasts(&[90, 150, 151], 0), [150, 151]);
        // Windows until 150, 210, 270 and 330 s.
        assert_eq!(lasts(&[95, 150, 160, 205, 211, 290, 330], 60), [150, 205, 211, 330]);
        assert_eq!(lasts(&[], 0), [0; 0]);
        let mut window = Window::first(SimTime::ZERO, SimSpan::from_secs(1));
        window.advance_to(SimTime::MAX);
        assert!(window.contains(SimTime::MAX));
    }

    proptest! {
        /// Reference implementation: each window in turn, without skipping empty ones.
        #[test]
        fn windows_agree_with_the_slow_way(
            ends in prop::collection::btree_set(0_u64..4_000, 0..40), growth in prop::option::of(1_u64..200),
        ) {
            let ends: Vec<u64> = ends.into_iter().collect();
            let mut expected: Vec<u64> = Vec::new();
            if let Some(first) = ends.first() {
                let (base, mut length, mut left) = ((first / 30 + 1) * 30, 30, &ends[..]);
                while !left.is_empty() {
                    let inside = left.iter().filter(|&&end| end <= base + length).count();
                    expected.extend(left[..inside].last());
                    left = &left[inside..];
                    length = growth.map_or(2 * length, |growth| length + growth);
                }
            }
            prop_assert_eq!(lasts(&ends, growth.unwrap_or(0)), expected);
        }
    }
}
