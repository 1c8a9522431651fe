//! What happens to a job when a node goes down on which it has tasks.

use crate::{SimSpan, VirtualTime, Yield};
use std::fmt;

/// What happens to a job when a node goes down on which it has tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interruption {
    /// It is lost: it leaves and does not come back.
    Lose,
    /// It goes back to the queue, with its time of submission, and begins from zero.
    #[default]
    Requeue,
    /// It goes back to the queue, and begins from its last checkpoint.
    Checkpoint(Checkpoints),
}

/// Checkpoints of a job, written every so often.
///
/// Interval and cost are counted in the work of the job: at a yield of one half both take twice the time. A job of 10
/// hours that writes a checkpoint of a minute each hour has 10 hours and 9 minutes of work: none is written at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checkpoints {
    /// The work between two checkpoints; not zero.
    pub interval: SimSpan,
    /// The work that a checkpoint takes.
    pub cost: SimSpan,
    /// How long a job that begins from a checkpoint makes no progress, since it reads it.
    pub restart: SimSpan,
}

impl Checkpoints {
    /// How long a job of this length is with the checkpoints that it writes; [`SimSpan::MAX`] of one without end.
    #[must_use]
    pub fn lengthened(self, span: SimSpan) -> SimSpan {
        let count = span.micros().saturating_sub(1) / self.interval.micros().max(1);
        let added = count.saturating_mul(self.cost.micros());
        span.saturating_add(SimSpan::from_micros(added))
    }
    /// The work that the last checkpoint holds of a job that has done so much.
    #[must_use]
    pub fn kept(self, done: VirtualTime) -> SimSpan {
        let each = self.interval + self.cost;
        let written = (done.units() >> Yield::BITS) / u128::from(each.micros().max(1));
        SimSpan::from_micros((written * u128::from(each.micros())) as u64)
    }
}

impl Interruption {
    /// How long a job of this length is with the checkpoints that it writes, if it does.
    #[must_use]
    pub fn lengthened(self, span: SimSpan) -> SimSpan {
        match self {
            Interruption::Checkpoint(checkpoints) => checkpoints.lengthened(span),
            Interruption::Lose | Interruption::Requeue => span,
        }
    }
    /// The work that is kept of a job that has done so much.
    #[must_use]
    pub fn kept(self, done: VirtualTime) -> SimSpan {
        match self {
            Interruption::Checkpoint(checkpoints) => checkpoints.kept(done),
            Interruption::Lose | Interruption::Requeue => SimSpan::ZERO,
        }
    }
    /// How long a job makes no progress when it begins again with this work kept.
    #[must_use]
    pub fn restart(self, kept: SimSpan) -> SimSpan {
        match self {
            Interruption::Checkpoint(checkpoints) if !kept.is_zero() => checkpoints.restart,
            _ => SimSpan::ZERO,
        }
    }
}

crate::parses!(
    Interruption,
    "`{text}` says not what happens to jobs; expected lose, requeue, or checkpoint:INTERVAL:COST or \
     checkpoint:INTERVAL:COST:RESTART in seconds, with an interval above 0",
    |text| {
        match text {
            "lose" => return Some(Interruption::Lose),
            "requeue" => return Some(Interruption::Requeue),
            _ => {}
        }
        let spans = text.strip_prefix("checkpoint:")?.split(':');
        let spans: Vec<SimSpan> = spans.map(str::parse).collect::<Result<_, _>>().ok()?;
        let (interval, cost, restart) = match spans[..] {
            [interval, cost] => (interval, cost, SimSpan::ZERO),
            [interval, cost, restart] => (interval, cost, restart),
            _ => return None,
        };
        (!interval.is_zero()).then_some(Interruption::Checkpoint(Checkpoints { interval, cost, restart }))
    }
);

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interruption::Lose => f.write_str("lose"),
            Interruption::Requeue => f.write_str("requeue"),
            Interruption::Checkpoint(Checkpoints { interval, cost, restart }) => {
                write!(f, "checkpoint:{interval}:{cost}")?;
                if restart.is_zero() { Ok(()) } else { write!(f, ":{restart}") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_print_as_they_parse() {
        for text in ["lose", "requeue", "checkpoint:3600:60", "checkpoint:3600:0:0.5"] {
            assert_eq!(text.parse::<Interruption>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "kill",
            "checkpoint",
            "checkpoint:1",
            "checkpoint:0:1",
            "checkpoint:1:x",
            "checkpoint:1:1:1:1",
        ] {
            assert!(text.parse::<Interruption>().is_err(), "{text}");
        }
    }

    /// Every 10 s a checkpoint of 2 s: they end at 12, 24, 36 s of work.
    #[test]
    fn checkpoints_lengthen_jobs_and_keep_whole_intervals() {
        let rule: Interruption = "checkpoint:10:2:5".parse().unwrap();
        let seconds = SimSpan::from_secs;
        for (run, length) in [(1, 1), (10, 10), (11, 13), (20, 22), (21, 25), (30, 34)] {
            assert_eq!(rule.lengthened(seconds(run)), seconds(length), "{run}");
        }
        assert_eq!(rule.lengthened(SimSpan::MAX), SimSpan::MAX);
        for (done, kept) in [(0, 0), (11, 0), (12, 12), (23, 12), (24, 24), (30, 24)] {
            assert_eq!(rule.kept(VirtualTime::of(seconds(done))), seconds(kept), "{done}");
        }
        assert_eq!((rule.restart(seconds(12)), rule.restart(seconds(0))), (seconds(5), seconds(0)));
        assert_eq!(Interruption::Requeue.kept(VirtualTime::of(seconds(99))), SimSpan::ZERO);
    }
}
