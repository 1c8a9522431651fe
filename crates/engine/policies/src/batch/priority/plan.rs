//! What jobs that are backfilled must not delay.

use crate::batch::Profile;
use dfrsim_model::{SimSpan, SimTime};

/// A job that might start now: its nodes, and for how long backfilling plans it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    pub(super) width: u32,
    pub(super) span: SimSpan,
}

/// A running job, as backfilling sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) end: SimTime,
    pub(super) width: u32,
}

/// What is planned when the first job does not start.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// It can start at `shadow`, and leaves this many nodes then.
    Head { shadow: SimTime, spare: u32 },
    /// All that run, and all that were planned.
    All(Profile),
}

impl Plan {
    /// For the first job that does not start on the `free` nodes, beside these running jobs.
    pub(super) fn of_head(
        now: SimTime,
        free: u32,
        width: u32,
        running: impl Iterator<Item = Leaving>,
    ) -> Plan {
        let mut ends: Vec<(SimTime, u32)> = running.map(|job| (job.end, job.width)).collect();
        ends.sort_unstable();
        let (mut shadow, mut free) = (now, free);
        for (end, ended) in ends {
            // All that end in the same moment are free then.
            if free >= width && end > shadow {
                break;
            }
            free += ended;
            shadow = end;
        }
        Plan::Head { shadow, spare: free.saturating_sub(width) }
    }

    /// Of all running jobs.
    pub(super) fn of_all(now: SimTime, nodes: u32, running: impl Iterator<Item = Leaving>) -> Plan {
        let mut profile = Profile::new(nodes);
        profile.clear(now);
        running.for_each(|job| profile.reserve(now, job.end, job.width));
        Plan::All(profile)
    }

    /// The earliest moment at which a job delays no job that is planned; the end of time if it is not planned when it cannot start now.
    pub(super) fn earliest(&self, now: SimTime, free: u32, job: Planned) -> SimTime {
        let Planned { width, span } = job;
        match self {
            Plan::Head { shadow, spare } => {
                let fits = width <= free && (now.saturating_add(span) <= *shadow || width <= *spare);
                if fits { now } else { SimTime::MAX }
            }
            Plan::All(profile) => profile.earliest(now, width, span),
        }
    }

    /// A job starts now.
    pub(super) fn start(&mut self, now: SimTime, job: Planned) {
        let (width, end) = (job.width, now.saturating_add(job.span));
        match self {
            Plan::Head { shadow, spare } if end > *shadow => *spare -= width,
            Plan::Head { .. } => {}
            Plan::All(profile) => profile.reserve(now, end, width),
        }
    }

    /// A job that waits has a reservation, where the plan is of all jobs.
    pub(super) fn reserve(&mut self, start: SimTime, job: Planned) {
        if let Plan::All(profile) = self
            && start < SimTime::MAX
        {
            profile.reserve(start, start.saturating_add(job.span), job.width);
        }
    }

    /// A running job leaves its nodes now.
    pub(super) fn leave(&mut self, now: SimTime, job: Leaving) {
        match self {
            Plan::Head { shadow, spare } if job.end > *shadow => *spare += job.width,
            Plan::Head { .. } => {}
            Plan::All(profile) => profile.release(now, job.end, job.width),
        }
    }
}
