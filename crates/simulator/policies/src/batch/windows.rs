//! Windows in which Slurm looks at the expected ends of running jobs.
//!
//! When a backfill cycle determines the time at which a waiting job can start, it does not test each
//! expected end of a running job but takes those in a window together (`bf_window_linear` in
//! <https://slurm.schedmd.com/slurm.conf.html>). The windows are counted from the first end, rounded
//! up to a multiple of 30 s. They last until 30, 60, 120, 240 s after it, and so on, or are longer by
//! a constant amount each. The job can start at the last end in a window.

use dfrsim_model::{SimSpan, SimTime};

/// Length of the first window, and step to which its begin is rounded up.
const FIRST: SimSpan = SimSpan::from_secs(30);

/// Returns the last end in each window that has any, given all ends in ascending order. `growth` is
/// the amount by which windows become longer; if it is zero, their length doubles.
pub(super) fn last_ends(ends: impl Iterator<Item = SimTime>, growth: SimSpan) -> Vec<SimTime> {
    let mut lasts: Vec<SimTime> = Vec::new();
    let (mut base, mut limit, mut length) = (SimTime::ZERO, SimTime::ZERO, FIRST);
    for end in ends {
        match lasts.last_mut() {
            Some(last) if end <= limit => *last = end,
            last => {
                if last.is_none() {
                    base = SimTime::from_micros(
                        (end.micros() / FIRST.micros() + 1).saturating_mul(FIRST.micros()),
                    );
                } else {
                    length = next_length(end.saturating_since(base), length, growth);
                }
                limit = base.saturating_add(length);
                lasts.push(end);
            }
        }
    }
    lasts
}

/// Returns the length of the next window that contains an end, after one of length `length`.
fn next_length(end: SimSpan, length: SimSpan, growth: SimSpan) -> SimSpan {
    let [end, length, growth] = [end, length, growth].map(SimSpan::micros);
    if growth > 0 {
        let steps = end.saturating_sub(length).div_ceil(growth).max(1);
        return SimSpan::from_micros(length.saturating_add(steps.saturating_mul(growth)));
    }
    let mut length = length.saturating_mul(2);
    while length < end {
        length = length.saturating_mul(2);
    }
    SimSpan::from_micros(length)
}

/// Returns the last end in the window of an end, which must be one of those from which the windows
/// were made.
pub(super) fn last_end(lasts: &[SimTime], end: SimTime) -> SimTime {
    lasts[lasts.partition_point(|last| *last < end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lasts(ends: &[u64], growth: u64) -> Vec<u64> {
        let ends = ends.iter().map(|&end| SimTime::from_secs(end));
        let found = last_ends(ends, SimSpan::from_secs(growth));
        found.into_iter().map(|end| end.micros() / 1_000_000).collect()
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
        assert_eq!(last_ends([SimTime::ZERO, SimTime::MAX].into_iter(), SimSpan::from_secs(1)).len(), 2);
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
