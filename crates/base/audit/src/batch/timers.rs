//! When the two schedulers of SLURM look.

/// In microseconds.
const SECOND: u64 = 1_000_000;
/// From the begin of a second to the look of backfilling in it.
const MIDDLE: u64 = 500_000;

/// Seconds in microseconds.
pub(super) fn micros(seconds: u64) -> u64 {
    seconds.saturating_mul(1_000_000)
}

/// When one of the two looks next: not before an interval after its last pass, and only if something has changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    /// Where in a second it looks.
    within: u64,
    pub(super) last: u64,
    changed: Option<u64>,
}

impl Timer {
    pub(super) fn due(&self, interval: u64) -> Option<u64> {
        self.changed.map(|changed| changed.max(self.last.saturating_add(interval)))
    }
    pub(super) fn looked(&mut self, now: u64) {
        (self.last, self.changed) = (now, None);
    }
    /// Whether it looks at a moment. What was due before was a pass over an empty queue.
    pub(super) fn looks(&mut self, now: u64, interval: u64) -> bool {
        if let Some(due) = self.due(interval).filter(|&due| due < now) {
            self.looked(due);
        }
        self.due(interval) == Some(now)
    }
    /// It is seen from the next second on.
    pub(super) fn change(&mut self, now: u64, interval: u64) {
        self.looks(now, interval);
        let begin = now - now % SECOND;
        let next = if now < begin + self.within { begin } else { begin.saturating_add(SECOND) };
        self.changed = self.changed.or(Some(next.saturating_add(self.within)));
    }
}

/// The timers of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    pub(super) main: Timer,
    pub(super) backfill: Timer,
    pub(super) ranked: u64,
    /// Whether anything happened since the last look at the whole queue.
    pub(super) awaits_whole: bool,
    /// Whether a job came or left since the last decision.
    pub(super) is_changed: bool,
}

impl Default for Timers {
    fn default() -> Timers {
        let backfill = Timer { within: MIDDLE, last: MIDDLE, changed: None };
        Timers { main: Timer::default(), backfill, ranked: 0, awaits_whole: false, is_changed: false }
    }
}
