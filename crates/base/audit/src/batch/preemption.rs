//! Which running jobs make room for a waiting one: those of the classes that its class names, in the order of the names, of each the one
//! first that started last; as few as it takes for the job to start without delaying others, and none that can be spared.

use super::BatchRule;
use super::queue::Waiting;
use crate::profile::Profile;
use dfrsim_model::SimTime;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
use std::cmp::Reverse;

/// A job that made room in a decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preempted {
    pub(super) job: u64,
    pub(super) line: u64,
    /// As what it waits again; `None` if it has left.
    pub(super) waits: Option<Waiting>,
}

/// A running job that might make room. Times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) job: u64,
    pub(super) class: usize,
    pub(super) since: u64,
    /// When it is expected to end.
    pub(super) end: u64,
    pub(super) width: u32,
}

/// What the settings say.
#[derive(Debug)]
pub(super) struct Preemption {
    classes: Vec<JobClass>,
    /// The number of the first of them among all classes, those of service first.
    first: usize,
    mode: PreemptMode,
    exempt_s: u64,
}

impl Preemption {
    pub(super) fn new(settings: &Priorities) -> Option<Preemption> {
        let preempts = |classes: &[JobClass]| classes.iter().any(|class| !class.preempt.is_empty());
        let (classes, first) = match (preempts(&settings.qos), preempts(&settings.partitions)) {
            (true, _) => (&settings.qos, 0),
            (false, true) => (&settings.partitions, settings.qos.len()),
            (false, false) => return None,
        };
        let (mode, exempt_s) = (settings.preempt_mode, settings.preempt_exempt_time_s);
        Some(Preemption { classes: classes.clone(), first, mode, exempt_s })
    }

    /// Which of the classes of a job counts.
    pub(super) fn class(&self, classes: &[usize]) -> Option<usize> {
        let place = |at: &usize| at.checked_sub(self.first).filter(|&place| place < self.classes.len());
        classes.iter().find_map(place)
    }
    fn mode(&self, class: usize) -> PreemptMode {
        self.classes[class].preempt_mode.unwrap_or(self.mode)
    }
    fn exempt(&self, class: usize) -> u64 {
        self.classes[class].preempt_exempt_time_s.unwrap_or(self.exempt_s).saturating_mul(1_000_000)
    }
    /// The place in the list of a class at which another one is.
    fn place(&self, of: usize, preempted: usize) -> Option<usize> {
        self.classes[of].preempt.iter().position(|name| *name == self.classes[preempted].name)
    }

    /// What is wrong with a job of a class that makes room, apart from the job for which it does.
    pub(super) fn fault(
        &self,
        class: Option<usize>,
        since: u64,
        now: u64,
        mode: PreemptMode,
    ) -> Option<BatchRule> {
        let is_named = |class: &usize| (0..self.classes.len()).any(|of| self.place(of, *class).is_some());
        let Some(class) = class.filter(is_named) else { return Some(BatchRule::NotPreemptable) };
        if self.mode(class) != mode {
            return Some(BatchRule::OtherPreemption { found: mode, expected: self.mode(class) });
        }
        let (ran, exempt) = (SimTime::from_micros(now - since), SimTime::from_micros(self.exempt(class)));
        (ran < exempt).then_some(BatchRule::Exempt { ran, exempt })
    }

    /// The next moment at which one of these jobs may have to make room for a waiting one of these classes.
    pub(super) fn next(
        &self,
        now: u64,
        waiting: &[usize],
        running: impl Iterator<Item = (usize, u64)>,
    ) -> Option<u64> {
        let is_wanted = |class: usize| waiting.iter().any(|&of| self.place(of, class).is_some());
        running
            .filter(|&(class, _)| is_wanted(class) && self.mode(class) != PreemptMode::Off)
            .map(|(class, since)| since.saturating_add(self.exempt(class)))
            .filter(|&moment| moment > now)
            .min()
    }

    /// Those that have to make room for a job of a class, if it can start then.
    pub(super) fn expected(
        &self,
        now: u64,
        class: Option<usize>,
        job: &Waiting,
        running: impl Iterator<Item = Candidate>,
        profile: &Profile,
    ) -> Option<Vec<Candidate>> {
        let class = class?;
        let may = |it: &Candidate| {
            self.place(class, it.class).is_some()
                && self.mode(it.class) != PreemptMode::Off
                && it.since < now
                && it.since.saturating_add(self.exempt(it.class)) <= now
        };
        let mut left: Vec<Candidate> = running.filter(may).collect();
        left.sort_by_key(|it| (self.place(class, it.class), Reverse(it.since), Reverse(it.job)));
        let starts = |without: &[Candidate]| {
            let mut profile = profile.clone();
            without.iter().for_each(|it| profile.give_back(now, it.end, it.width));
            profile.earliest(job.width, job.estimate) == now
        };
        let mut chosen = Vec::new();
        for candidate in left {
            if starts(&chosen) {
                break;
            }
            chosen.push(candidate);
        }
        if !starts(&chosen) {
            return None;
        }
        for spared in chosen.clone().into_iter().rev() {
            let others: Vec<Candidate> = chosen.iter().copied().filter(|it| it.job != spared.job).collect();
            if starts(&others) {
                chosen = others;
            }
        }
        Some(chosen)
    }
}
