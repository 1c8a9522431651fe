//! When the two schedulers of SLURM look.

use dfrsim_model::priority::Priorities;
use dfrsim_model::{SimSpan, SimTime};

const SECOND: u64 = 1_000_000;

/// How long after the begin of a second backfilling looks, in microseconds. Slurm's two loops are not in step: of what the one starts, the
/// other sees half in the second in which it ends.
const LAG: u64 = SECOND / 2;

/// When one of the two looks: in the second after the first change since its last pass, and an interval after that pass.
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) interval: SimSpan,
    lag: u64,
    pub(super) last: SimTime,
    changed: Option<SimTime>,
}

impl Clock {
    fn new(seconds: u64, lag: u64) -> Clock {
        let (interval, last) = (SimSpan::from_secs(seconds), SimTime::from_micros(lag));
        Clock { interval, lag, last, changed: None }
    }

    /// The next pass, if anything has changed since the last one.
    pub(super) fn next(&self) -> Option<SimTime> {
        Some(self.changed?.max(self.last.saturating_add(self.interval)))
    }

    /// Something happens, which is seen in the next second.
    pub(super) fn change(&mut self, now: SimTime) {
        self.go_on(now);
        let seconds = now.micros().saturating_add(SECOND - self.lag) / SECOND;
        self.changed
            .get_or_insert(SimTime::from_micros(seconds.saturating_mul(SECOND).saturating_add(self.lag)));
    }

    pub(super) fn pass(&mut self, now: SimTime) {
        (self.last, self.changed) = (now, None);
    }

    /// A pass that was due before was made then, when no job waited.
    fn go_on(&mut self, now: SimTime) {
        if let Some(before) = self.next().filter(|&next| next < now) {
            self.pass(before);
        }
    }

    /// Whether a pass is due, which is made then.
    pub(super) fn is_due(&mut self, now: SimTime) -> bool {
        self.go_on(now);
        let is_due = self.next() == Some(now);
        if is_due {
            self.pass(now);
        }
        is_due
    }
}

/// The clocks of both.
#[derive(Debug, Default)]
pub(super) struct Passes {
    pub(super) main: Clock,
    pub(super) backfill: Clock,
    /// Whether anything has happened since the last pass over the whole queue.
    pub(super) awaits_whole: bool,
    /// When the order of the queue was made for backfilling last.
    pub(super) ranked_at: SimTime,
}

impl Passes {
    pub(super) fn new(settings: Option<&Priorities>) -> Passes {
        let Some(settings) = settings else { return Passes::default() };
        Passes {
            main: Clock::new(settings.main.delay_s, 0),
            backfill: Clock::new(settings.backfill.interval_s, LAG),
            awaits_whole: false,
            ranked_at: SimTime::ZERO,
        }
    }

    /// A job comes or leaves, or nodes change.
    pub(super) fn change(&mut self, now: SimTime) {
        self.awaits_whole = true;
        self.main.change(now);
        self.backfill.change(now);
    }
}
