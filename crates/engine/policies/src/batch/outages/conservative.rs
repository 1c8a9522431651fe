//! CONS.

use super::profile::Profiles;
use super::{Room, Start, Wanted};
use crate::batch::Compression;
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;
use std::collections::BTreeMap;

/// The reservations of waiting jobs.
#[derive(Debug, Default)]
pub(super) struct Reservations(BTreeMap<JobHandle, (SimTime, Room)>);

impl Reservations {
    /// Gives all of them up.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Starts those jobs of the queue, which is by submission, whose reservations begin now, once all have one; if nodes came free, jobs
    /// move up first.
    pub(super) fn pass(
        &mut self,
        now: SimTime,
        queue: &mut Vec<Wanted>,
        profiles: &mut Profiles<'_>,
        freed: Option<Compression>,
        starts: &mut Vec<Start>,
    ) {
        if freed == Some(Compression::Replan) {
            self.clear();
        }
        for job in &*queue {
            if let Some((start, (split, end))) = self.0.get(&job.job.job) {
                profiles.take(split, *start, *end);
            }
        }
        if freed == Some(Compression::OneByOne) {
            for job in &*queue {
                let Some((start, (split, end))) = self.0.get_mut(&job.job.job) else { continue };
                profiles.give_back(split, *start, *end);
                if let Some((earlier, (free, then))) =
                    profiles.earliest(job).filter(|(earlier, _)| earlier < start)
                {
                    *split = profiles.choose(earlier, job.job.width, &free, |_| true);
                    (*start, *end) = (earlier, then);
                }
                profiles.take(split, *start, *end);
            }
        }
        for job in &*queue {
            if self.0.contains_key(&job.job.job) {
                continue;
            }
            // While too many nodes are down, or in use for ever, there may be no such moment: then it is looked for at the next pass.
            let earliest = profiles.earliest(job);
            if let Some((start, (free, end))) = earliest.filter(|(start, _)| *start < SimTime::MAX) {
                let split = profiles.choose(start, job.job.width, &free, |_| true);
                profiles.take(&split, start, end);
                self.0.insert(job.job.job, (start, (split, end)));
            }
        }
        let reservations = &mut self.0;
        queue.retain(|job| {
            let starts_now = reservations.get(&job.job.job).is_some_and(|&(start, _)| start == now);
            if starts_now && let Some((_, (split, end))) = reservations.remove(&job.job.job) {
                starts.push((job.clone(), split, end));
            }
            !starts_now
        });
    }

    /// The first start after a moment.
    pub(super) fn next_start(&self, after: SimTime) -> Option<SimTime> {
        self.0.values().map(|&(start, _)| start).filter(|&start| start > after).min()
    }
}
