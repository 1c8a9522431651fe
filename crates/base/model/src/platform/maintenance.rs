//! Periodic maintenance.

use crate::platform::outages::MAX_WINDOWS;
use crate::platform::{NodeSpan, Outage, Window};
use crate::{SimSpan, SimTime};

/// Periodic maintenance windows of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maintenance {
    /// Start of the first window.
    pub first: SimTime,
    /// Period from one start to the next; not zero.
    pub every: SimSpan,
    /// Length of each window; not zero, and at most the period.
    pub length: SimSpan,
    /// Notice before the start of each window; announcements before the origin of time are made at
    /// the origin.
    pub notice: SimSpan,
}

impl Maintenance {
    /// Returns the windows of the node spans that begin up to `until`, ordered by start. If there
    /// are more than can be simulated, it returns one more than [`MAX_WINDOWS`], which
    /// [`Outages::check`](crate::platform::Outages::check) rejects.
    #[must_use]
    pub fn windows(self, spans: &[NodeSpan], until: SimTime) -> Vec<Window> {
        let begins = std::iter::successors(Some(self.first), |begin| {
            (!self.every.is_zero()).then(|| begin.saturating_add(self.every))
        });
        let of = |from: SimTime| {
            let announced = SimTime::from_micros(from.micros().saturating_sub(self.notice.micros()));
            let until = from.saturating_add(self.length);
            spans.iter().map(move |&nodes| Window { announced, outage: Outage { from, until, nodes } })
        };
        begins
            .take_while(|&begin| begin <= until && begin < SimTime::MAX)
            .flat_map(of)
            .take(MAX_WINDOWS + 1)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_repeat_until_the_end_and_are_announced_before() {
        let second = SimTime::from_secs;
        let span = SimSpan::from_secs;
        let maintenance =
            Maintenance { first: second(50), every: span(100), length: span(8), notice: span(60) };
        let windows = maintenance.windows(&[NodeSpan { first: 0, nodes: 4 }], second(250));
        let found: Vec<_> =
            windows.iter().map(|it| (it.announced, it.outage.from, it.outage.until)).collect();
        assert_eq!(
            found,
            [(0, 50, 58), (90, 150, 158), (190, 250, 258)].map(|(a, b, c)| (second(a), second(b), second(c)))
        );
    }
}
