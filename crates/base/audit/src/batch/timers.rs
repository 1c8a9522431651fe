//! Times of SLURM's main and backfill cycles.

/// One second in microseconds.
const SECOND: u64 = 1_000_000;
/// Offset of the backfill cycle within a second, in microseconds.
const MIDDLE: u64 = 500_000;

/// Converts seconds to microseconds.
pub(super) fn micros(seconds: u64) -> u64 {
    seconds.saturating_mul(1_000_000)
}

/// Timer of a kind of cycle: the next cycle runs at least an interval after the last one, and only
/// after a change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    /// Offset of the cycle within a second, in microseconds.
    offset: u64,
    pub(super) last: u64,
    changed: Option<u64>,
}

impl Timer {
    pub(super) fn due(&self, interval: u64) -> Option<u64> {
        self.changed.map(|changed| changed.max(self.last.saturating_add(interval)))
    }
    pub(super) fn record_cycle(&mut self, now: u64) {
        (self.last, self.changed) = (now, None);
    }
    /// Returns whether a cycle is due at `now`. A cycle that was due earlier had an empty queue.
    pub(super) fn is_due(&mut self, now: u64, interval: u64) -> bool {
        if let Some(due) = self.due(interval).filter(|&due| due < now) {
            self.record_cycle(due);
        }
        self.due(interval) == Some(now)
    }
    /// Notes a change, which is visible from the next second on.
    pub(super) fn change(&mut self, now: u64, interval: u64) {
        self.is_due(now, interval);
        let begin = now - now % SECOND;
        let next = if now < begin + self.offset { begin } else { begin.saturating_add(SECOND) };
        self.changed = self.changed.or(Some(next.saturating_add(self.offset)));
    }
}

/// Timers of the main and the backfill cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    pub(super) main: Timer,
    pub(super) backfill: Timer,
    pub(super) ranked: u64,
    /// True if anything happened since the last cycle over the whole queue.
    pub(super) awaits_whole: bool,
    /// True if a job came or left since the last decision.
    pub(super) is_changed: bool,
}

impl Default for Timers {
    fn default() -> Timers {
        let backfill = Timer { offset: MIDDLE, last: MIDDLE, changed: None };
        Timers { main: Timer::default(), backfill, ranked: 0, awaits_whole: false, is_changed: false }
    }
}
