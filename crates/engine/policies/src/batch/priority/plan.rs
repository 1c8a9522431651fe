//! What jobs that are backfilled must not delay.

use super::preemption::needed;
use super::scheduler::Rule;
use crate::batch::{BatchJob, Profile};
use dfrsim_model::{SimSpan, SimTime};

/// A running job as backfilling sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) end: SimTime,
    pub(super) width: u32,
}

/// The moment of a pass, and how far its plan goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: SimTime,
    pub(super) rule: Rule,
    /// Jobs that can only start later have no reservation.
    pub(super) horizon: SimTime,
}

/// What is free when in a pass, beside the jobs that run and those that are planned.
pub(super) trait Plan {
    /// What is known of a job that cannot start now.
    type Later;

    /// Starts a job now if that delays no job that is planned: how many nodes each group gives, where there are groups.
    fn start(&mut self, job: &BatchJob) -> Result<Vec<u32>, Self::Later>;

    /// A job does not start. The first one is the head of the queue; the running jobs matter then.
    fn wait(&mut self, job: &BatchJob, later: Self::Later, running: impl Iterator<Item = Leaving>);

    /// Lets as few of these running jobs leave as it takes for a job to start now, and says which; `None` if it cannot start then.
    fn make_room(&mut self, job: &BatchJob, candidates: &[Leaving]) -> Option<Vec<usize>>;

    /// Whether a job waits.
    fn has_head(&self) -> bool;

    /// Whether no node is free now.
    fn is_full(&self) -> bool;
}

/// The plan of equal nodes that never go down: their number is enough.
#[derive(Clone, Debug)]
pub(super) struct EqualPlan {
    moment: Moment,
    nodes: u32,
    free: u32,
    planned: Option<Planned>,
}

#[derive(Clone, Debug)]
enum Planned {
    /// The head of the queue can start at `shadow`, and leaves this many nodes then.
    Head { shadow: SimTime, spare: u32 },
    /// All that run, and all that were planned.
    All(Profile),
}

impl EqualPlan {
    pub(super) fn new(moment: Moment, nodes: u32, free: u32) -> EqualPlan {
        EqualPlan { moment, nodes, free, planned: None }
    }

    /// For the head of the queue, beside these running jobs.
    fn of_head(&self, width: u32, running: impl Iterator<Item = Leaving>) -> Planned {
        let mut ends: Vec<(SimTime, u32)> = running.map(|job| (job.end, job.width)).collect();
        ends.sort_unstable();
        let (mut shadow, mut free) = (self.moment.now, self.free);
        for (end, ended) in ends {
            // All that end in the same moment are free then.
            if free >= width && end > shadow {
                break;
            }
            free += ended;
            shadow = end;
        }
        Planned::Head { shadow, spare: free.saturating_sub(width) }
    }

    /// For all jobs, beside these running ones.
    fn of_all(&self, running: impl Iterator<Item = Leaving>) -> Planned {
        let now = self.moment.now;
        let mut profile = Profile::new(self.nodes);
        profile.clear(now);
        running.for_each(|job| profile.reserve(now, job.end, job.width));
        Planned::All(profile)
    }

    /// The earliest moment at which a job delays none that is planned; the end of time if it is not planned when it cannot start now.
    fn earliest(&self, job: &BatchJob) -> SimTime {
        let now = self.moment.now;
        let starts_now = match &self.planned {
            None => job.width <= self.free,
            Some(Planned::Head { shadow, spare }) => {
                let is_in_time = now.saturating_add(job.estimate) <= *shadow;
                job.width <= self.free && (is_in_time || job.width <= *spare)
            }
            Some(Planned::All(profile)) => return profile.earliest(now, job.width, job.estimate),
        };
        if starts_now { now } else { SimTime::MAX }
    }

    /// A running job leaves its nodes now.
    fn leave(&mut self, job: Leaving) {
        self.free += job.width;
        match &mut self.planned {
            Some(Planned::Head { shadow, spare }) if job.end > *shadow => *spare += job.width,
            None | Some(Planned::Head { .. }) => {}
            Some(Planned::All(profile)) => profile.release(self.moment.now, job.end, job.width),
        }
    }
}

impl Plan for EqualPlan {
    type Later = SimTime;

    fn start(&mut self, job: &BatchJob) -> Result<Vec<u32>, SimTime> {
        let (now, earliest) = (self.moment.now, self.earliest(job));
        if earliest > now {
            return Err(earliest);
        }
        let end = now.saturating_add(job.estimate);
        self.free -= job.width;
        match &mut self.planned {
            Some(Planned::Head { shadow, spare }) if end > *shadow => *spare -= job.width,
            None | Some(Planned::Head { .. }) => {}
            Some(Planned::All(profile)) => profile.reserve(now, end, job.width),
        }
        Ok(Vec::new())
    }

    fn wait(&mut self, job: &BatchJob, mut later: SimTime, running: impl Iterator<Item = Leaving>) {
        if self.planned.is_none() {
            self.planned = Some(match self.moment.rule {
                Rule::Conservative => self.of_all(running),
                Rule::Fcfs | Rule::Easy => self.of_head(job.width, running),
            });
            later = self.earliest(job);
        }
        if let Some(Planned::All(profile)) = &mut self.planned
            && later <= self.moment.horizon
            && later < SimTime::MAX
        {
            profile.reserve(later, later.saturating_add(job.estimate), job.width);
        }
    }

    fn make_room(&mut self, job: &BatchJob, candidates: &[Leaving]) -> Option<Vec<usize>> {
        let numbered: Vec<(usize, Leaving)> = candidates.iter().copied().enumerate().collect();
        let suffices = |leaving: &[(usize, Leaving)]| {
            let mut without = self.clone();
            leaving.iter().for_each(|(_, other)| without.leave(*other));
            without.earliest(job) == self.moment.now
        };
        let leaving = needed(&numbered, suffices)?;
        leaving.iter().for_each(|(_, other)| self.leave(*other));
        Some(leaving.into_iter().map(|(place, _)| place).collect())
    }

    fn has_head(&self) -> bool {
        self.planned.is_some()
    }

    fn is_full(&self) -> bool {
        self.free == 0
    }
}

/// For how long a job is planned, so that it ends at a multiple of the step if it begins now; a step of zero leaves it as it is.
pub(super) fn rounded(now: SimTime, span: SimSpan, step: SimSpan) -> SimSpan {
    match step.micros() {
        0 => span,
        step => {
            let end = now.saturating_add(span).micros();
            SimTime::from_micros(end.div_ceil(step).saturating_mul(step)).since(now)
        }
    }
}
