//! Handling of jobs on nodes that fail.

use crate::{SimSpan, VirtualTime, Yield};
use std::fmt;

/// Handling of a job when a node fails on which it has tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Interruption {
    /// The job is lost and does not run again.
    Lose,
    /// The job is requeued with its original submit time, and restarts from zero.
    #[default]
    Requeue,
    /// The job is requeued, and restarts from its last checkpoint.
    Checkpoint(Checkpoints),
}

/// Periodic checkpoints of a job.
///
/// The interval and the cost are counted in the work of the job: at a yield of one half both take
/// twice the time. A job of 10 hours that writes a checkpoint of a minute each hour has 10 hours and
/// 9 minutes of work, since none is written at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checkpoints {
    /// Work between two checkpoints; not zero.
    pub interval: SimSpan,
    /// Work per checkpoint.
    pub cost: SimSpan,
    /// Time in which a job that restarts from a checkpoint makes no progress, as it reads the
    /// checkpoint.
    pub restart: SimSpan,
}

impl Checkpoints {
    /// Returns the run time of a job including its checkpoints; [`SimSpan::MAX`] if it is unlimited.
    #[must_use]
    pub fn lengthened(self, span: SimSpan) -> SimSpan {
        let count = span.micros().saturating_sub(1) / self.interval.micros().max(1);
        let added = count.saturating_mul(self.cost.micros());
        span.saturating_add(SimSpan::from_micros(added))
    }
    /// Returns the work in the last checkpoint of a job that has done `done` work, checkpoints
    /// included.
    #[must_use]
    pub fn kept(self, done: VirtualTime) -> SimSpan {
        let each = self.interval + self.cost;
        let written = (done.units() >> Yield::BITS) / u128::from(each.micros().max(1));
        SimSpan::from_micros((written * u128::from(each.micros())) as u64)
    }
}

impl Interruption {
    /// Returns the run time of a job including its checkpoints, if it writes any.
    #[must_use]
    pub fn lengthened(self, span: SimSpan) -> SimSpan {
        match self {
            Interruption::Checkpoint(checkpoints) => checkpoints.lengthened(span),
            Interruption::Lose | Interruption::Requeue => span,
        }
    }
    /// Returns the work that an interrupted job keeps.
    #[must_use]
    pub fn kept(self, done: VirtualTime) -> SimSpan {
        match self {
            Interruption::Checkpoint(checkpoints) => checkpoints.kept(done),
            Interruption::Lose | Interruption::Requeue => SimSpan::ZERO,
        }
    }
    /// Returns the time in which a job that restarts with this work makes no progress.
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
    "invalid rule for interrupted jobs `{text}`; expected lose, requeue, or checkpoint:INTERVAL:COST or \
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

    /// Checkpoints of 2 s, every 10 s: they end at 12, 24, 36 s of work.
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
