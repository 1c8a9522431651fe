//! The plan of nodes that go down or differ.

use super::plan::{Leaving, Moment, Plan};
use super::scheduler::Rule;
use crate::batch::BatchJob;
use crate::batch::outages::{Groups, Profiles, Reservation, Room, Split, Wanted, beside};
use dfrsim_cluster::{NodeRange, View};
use dfrsim_model::SimTime;

/// Groups of nodes that are like each other, as without priorities. Jobs do not make room for others here.
#[derive(Debug)]
pub(super) struct GroupedPlan<'a> {
    moment: Moment,
    view: View<'a>,
    profiles: Profiles<'a>,
    has_head: bool,
    /// Of the head of the queue with EASY, if it can have one.
    reservation: Option<Reservation>,
}

impl<'a> GroupedPlan<'a> {
    /// Beside running jobs, with their nodes and the ends of their estimates.
    pub(super) fn new(
        moment: Moment,
        view: View<'a>,
        groups: &'a Groups,
        running: impl Iterator<Item = (&'a [NodeRange], SimTime)>,
    ) -> GroupedPlan<'a> {
        let now = moment.now;
        let mut profiles = groups.profiles(now);
        for (on, end) in running {
            let split = groups.split(on);
            profiles.take(&split, now, groups.stays_until(now, end, &split));
        }
        GroupedPlan { moment, view, profiles, has_head: false, reservation: None }
    }
}

impl Plan for GroupedPlan<'_> {
    type Later = Option<(SimTime, Room)>;

    fn start(&mut self, job: &BatchJob) -> Result<Split, Self::Later> {
        let now = self.moment.now;
        let wanted = Wanted::new(self.view, *job);
        let choose = |(free, end): Room| (self.profiles.choose(now, job.width, &free, |_| true), end);
        let room = match self.moment.rule {
            _ if !self.has_head => self.profiles.room(now, &wanted).map(choose),
            Rule::Conservative => match self.profiles.earliest(&wanted) {
                Some((start, room)) if start == now => Some(choose(room)),
                later => return Err(later),
            },
            Rule::Fcfs | Rule::Easy => beside(now, &wanted, self.reservation.as_mut(), &self.profiles),
        };
        let (split, end) = room.ok_or(None)?;
        self.profiles.take(&split, now, end);
        Ok(split)
    }

    fn wait(&mut self, job: &BatchJob, mut later: Self::Later, _: impl Iterator<Item = Leaving>) {
        let is_head = !std::mem::replace(&mut self.has_head, true);
        let wanted = Wanted::new(self.view, *job);
        if is_head {
            match self.moment.rule {
                Rule::Conservative => later = self.profiles.earliest(&wanted),
                Rule::Fcfs | Rule::Easy => self.reservation = Reservation::new(&wanted, &self.profiles),
            }
        }
        if let Some((start, (free, end))) = later
            && start <= self.moment.horizon
            && start < SimTime::MAX
        {
            let split = self.profiles.choose(start, job.width, &free, |_| true);
            self.profiles.take(&split, start, end);
        }
    }

    fn make_room(&mut self, _: &BatchJob, _: &[Leaving]) -> Option<Vec<usize>> {
        None
    }

    fn has_head(&self) -> bool {
        self.has_head
    }

    fn is_full(&self) -> bool {
        self.profiles.free_now() == 0
    }
}
