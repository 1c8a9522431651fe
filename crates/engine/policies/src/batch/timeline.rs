//! What is free of the pools when, beside running jobs and reservations.

use super::pools::Pools;
use super::profile::Profile;
use super::queue::Waiting;
use super::split::{Room, Split, Stay};
use dfrsim_model::SimTime;

/// The free amount of each resource of each pool over time. Windows are not in it.
#[derive(Clone, Debug)]
pub(super) struct Timeline(Vec<Profile>);

impl Timeline {
    /// Makes the timeline of pools on which no job is, from a moment on.
    pub(super) fn new(pools: &Pools, now: SimTime) -> Timeline {
        let profile = |&whole: &u64| {
            let mut profile = Profile::new(whole);
            profile.clear(now);
            profile
        };
        Timeline(pools.whole.iter().map(profile).collect())
    }

    /// Forgets what was before now.
    pub(super) fn advance(&mut self, now: SimTime) {
        self.0.iter_mut().for_each(|profile| profile.advance(now));
    }

    pub(super) fn take(&mut self, pools: &Pools, stay: Stay<'_>) {
        self.change(pools, stay, |profile, amount| profile.reserve(stay.start, stay.end, amount));
    }

    /// Takes all of the pools of a stay, where each is a node.
    pub(super) fn close(&mut self, pools: &Pools, stay: Stay<'_>) {
        for (pool, _) in stay.split.parts(stay.width) {
            let dimensions = pools.needs.dimensions();
            let profiles = &mut self.0[pool * dimensions..][..dimensions];
            profiles.iter_mut().for_each(|profile| profile.close(stay.start, stay.end));
        }
    }

    pub(super) fn give_back(&mut self, pools: &Pools, stay: Stay<'_>) {
        self.change(pools, stay, |profile, amount| profile.release(stay.start, stay.end, amount));
    }

    /// Moves a stay to an earlier one where one number says what is free.
    pub(super) fn move_up(&mut self, stay: Stay<'_>, to: (SimTime, SimTime)) {
        self.0[0].move_up((stay.start, stay.end), to, stay.width);
    }

    fn change(&mut self, pools: &Pools, stay: Stay<'_>, change: impl Fn(&mut Profile, u64)) {
        if let [single] = &mut self.0[..] {
            return change(single, stay.width.into());
        }
        for (pool, tasks) in stay.split.parts(stay.width) {
            let amounts = pools.taken(stay.need, pool, tasks);
            let profiles = &mut self.0[pool * pools.needs.dimensions()..];
            profiles.iter_mut().zip(amounts).for_each(|(profile, amount)| change(profile, amount));
        }
    }

    /// Returns the first moment from another one on at which a job has room, and that; `None` if there is none before the moment at which the job
    /// has a reservation already, whose room may be in the timeline where one number says what is free.
    pub(super) fn earliest(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
        held: SimTime,
    ) -> Option<(SimTime, Room)> {
        if pools.single().is_some() {
            let speed = pools.groups[0].speed;
            let span = job.job.end(from, speed).since(from);
            let start = self.0[0].earliest_or_held(from, job.job.width, span, held);
            return (start < held).then(|| (start, (Split::default(), job.job.end(start, speed))));
        }
        let mut start = from;
        while start < held {
            if let Some(room) = self.room(pools, start, job) {
                return Some((start, room));
            }
            let opens = pools.groups.iter().flat_map(|group| &group.windows).map(|&(_, until)| until);
            let rises = self.0.iter().filter_map(|profile| profile.next_rise(start));
            start = rises.chain(opens.filter(|&until| until > start)).min()?;
        }
        None
    }

    /// The same for a job behind all others of a queue that is served in turn, after which no other one has a reservation.
    pub(super) fn earliest_in_turn(
        &self,
        pools: &Pools,
        from: SimTime,
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        if pools.single().is_none() {
            return self.earliest(pools, from, job, SimTime::MAX);
        }
        let start = self.0[0].earliest_where_rising(from, job.job.width);
        let end = job.job.end(start, pools.groups[0].speed);
        (start < SimTime::MAX).then(|| (start, (Split::default(), end)))
    }

    fn room(&self, pools: &Pools, start: SimTime, job: &Waiting) -> Option<Room> {
        let (need, dimensions) = (pools.needs.get(job.need), pools.needs.dimensions());
        pools.speeds.iter().find_map(|&speed| {
            let end = job.job.end(start, speed);
            let room = |pool: usize| {
                let profiles = &self.0[pool * dimensions..][..dimensions];
                need.times_in(profiles.iter().map(|profile| profile.least(start, end)))
            };
            let at = (speed, start, end);
            (pools.sum(job, at, room) >= job.job.width.into())
                .then(|| (pools.choose(at, job.need, job.job.width, room), end))
        })
    }
}
