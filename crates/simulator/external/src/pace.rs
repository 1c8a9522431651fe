//! Progress check: simulated time must advance between the wake-ups that a policy requests.

use dfrsim_cluster::Situation;
use dfrsim_model::{SimSpan, SimTime};

/// Number of consecutive decisions, without a submitted or completed job, in which at least
/// [`MIN_ADVANCE`] must pass.
const MOST: u32 = 1_000;
/// Minimum simulated time for that number of decisions.
const MIN_ADVANCE: SimSpan = SimSpan::from_secs(1);

/// Counter of decisions without a submitted or completed job.
#[derive(Debug, Default)]
pub(crate) struct ProgressCheck {
    since: SimTime,
    decisions: u32,
}

impl ProgressCheck {
    /// Counts a decision.
    ///
    /// # Errors
    ///
    /// The simulation makes no progress.
    pub(crate) fn check(&mut self, situation: &Situation<'_>) -> Result<(), String> {
        let now = situation.view.now();
        let has_happened = !situation.submitted.is_empty() || !situation.completed.is_empty();
        self.count(now, has_happened)
    }

    fn count(&mut self, now: SimTime, has_happened: bool) -> Result<(), String> {
        self.decisions += 1;
        if has_happened || now.since(self.since) >= MIN_ADVANCE {
            *self = ProgressCheck { since: now, decisions: 0 };
        }
        if self.decisions < MOST {
            return Ok(());
        }
        let (begin, least) = (self.since, MIN_ADVANCE.as_secs_f64());
        Err(format!(
            "it makes no progress: it asked to be woken {MOST} times within {least} s of simulated time after {begin} s, and no \
             job was submitted or completed"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wake_ups_have_to_take_time_unless_something_happens() {
        let last = |step: u64, has_happened: bool| {
            let mut pace = ProgressCheck::default();
            (1..5_000)
                .map(|at| pace.count(SimTime::from_micros(at * step), has_happened))
                .find(Result::is_err)
        };
        assert!(last(1, false).unwrap().unwrap_err().contains("woken 1000 times within 1 s"));
        assert!(last(999, false).is_some());
        assert!(last(1_002, false).is_none() && last(1, true).is_none());
    }
}
