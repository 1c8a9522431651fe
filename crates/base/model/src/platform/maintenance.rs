//! Maintenance that is repeated.

use crate::platform::outages::MOST_WINDOWS;
use crate::platform::{NodeSpan, Outage, Window};
use crate::{SimSpan, SimTime};

/// Windows of the same length, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maintenance {
    /// The begin of the first one.
    pub first: SimTime,
    /// From one begin to the next; not zero.
    pub every: SimSpan,
    /// How long each is; not zero, and no longer than the time to the next.
    pub length: SimSpan,
    /// How long before its begin each is announced; at the origin of time, if that is later.
    pub notice: SimSpan,
}

impl Maintenance {
    /// The windows of some nodes that begin up to a moment, or the first ones if there are more than can be simulated
    /// ([`MOST_WINDOWS`]). Spans of the nodes come in turn.
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
            .take(MOST_WINDOWS + 1)
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
