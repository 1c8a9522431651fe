//! Times of the main and backfill cycles of Slurm.

use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime};

const SECOND: u64 = 1_000_000;

/// Offset of backfill cycles from full seconds, in microseconds. Slurm's two loops are not
/// synchronised: of the changes that one of them makes, the other sees half within the same second.
const BACKFILL_OFFSET: u64 = SECOND / 2;

/// Timer of one kind of cycle. A cycle is due in the second after the first event since the last
/// cycle, but at least one interval after that cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct CycleTimer {
    pub(super) interval: SimSpan,
    offset: u64,
    pub(super) last: SimTime,
    changed: Option<SimTime>,
    /// True if the cycle never runs.
    is_off: bool,
}

impl CycleTimer {
    fn new(seconds: u64, offset: u64) -> CycleTimer {
        let (interval, last) = (SimSpan::from_secs(seconds), SimTime::from_micros(offset));
        CycleTimer { interval, offset, last, ..CycleTimer::default() }
    }

    /// Returns the time of the next cycle, or `None` if nothing has changed since the last one.
    pub(super) fn next(&self) -> Option<SimTime> {
        Some(self.changed?.max(self.last.saturating_add(self.interval)))
    }

    /// Notes an event, which becomes visible to the scheduler in the next second.
    pub(super) fn change(&mut self, now: SimTime) {
        if self.is_off {
            return;
        }
        self.record_missed(now);
        let seconds = now.micros().saturating_add(SECOND - self.offset) / SECOND;
        self.changed
            .get_or_insert(SimTime::from_micros(seconds.saturating_mul(SECOND).saturating_add(self.offset)));
    }

    pub(super) fn record_cycle(&mut self, now: SimTime) {
        (self.last, self.changed) = (now, None);
    }

    /// Records a cycle that was due earlier as having run then; it had no effect, as no job was
    /// waiting.
    fn record_missed(&mut self, now: SimTime) {
        if let Some(before) = self.next().filter(|&next| next < now) {
            self.record_cycle(before);
        }
    }

    /// Checks whether a cycle is due now, and records it if so.
    pub(super) fn begin_if_due(&mut self, now: SimTime) -> bool {
        self.record_missed(now);
        let is_due = self.next() == Some(now);
        if is_due {
            self.record_cycle(now);
        }
        is_due
    }
}

/// Timers of the main and the backfill cycles.
#[derive(Clone, Debug, Default)]
pub(super) struct SlurmCycles {
    pub(super) main: CycleTimer,
    pub(super) backfill: CycleTimer,
    /// True if anything has happened since the last cycle over the whole queue.
    pub(super) is_full_cycle_pending: bool,
    /// Time at which the queue was last sorted for backfilling.
    pub(super) sorted_at: SimTime,
}

impl SlurmCycles {
    pub(super) fn new(settings: Option<&SiteSettings>) -> SlurmCycles {
        let Some(settings) = settings else { return SlurmCycles::default() };
        SlurmCycles {
            main: CycleTimer::new(settings.main.delay_s, 0),
            backfill: CycleTimer {
                is_off: settings.backfill.off,
                ..CycleTimer::new(settings.backfill.interval_s, BACKFILL_OFFSET)
            },
            is_full_cycle_pending: false,
            sorted_at: SimTime::ZERO,
        }
    }

    /// Notes that a job arrived or ended, or that nodes changed.
    pub(super) fn change(&mut self, now: SimTime) {
        self.is_full_cycle_pending = true;
        self.main.change(now);
        self.backfill.change(now);
    }
}
