//! FCFS and EASY.

use super::profile::Profiles;
use super::{Room, Split, Start, Wanted};
use dfrsim_model::SimTime;

/// What the head of the queue waits for.
#[derive(Debug)]
pub(in crate::batch) struct Reservation {
    time: SimTime,
    /// The nodes of each group that it could have then.
    free: Split,
    /// How many of them it does not need.
    spare: u32,
}

impl Reservation {
    /// At the earliest moment at which the head can start; `None` if there is no such moment.
    pub(in crate::batch) fn new(head: &Wanted, profiles: &Profiles<'_>) -> Option<Reservation> {
        let (time, (free, _)) = profiles.earliest(head)?;
        let spare = free.iter().sum::<u32>() - head.job.width;
        Some(Reservation { time, free, spare })
    }
}

/// Starts jobs of the queue, which is in its order; `backfills` lets those behind the head go before it if that does not delay it.
pub(super) fn pass(
    now: SimTime,
    queue: &mut Vec<Wanted>,
    profiles: &mut Profiles<'_>,
    backfills: bool,
    starts: &mut Vec<Start>,
) {
    let mut start = |job: Wanted, (split, end): Room, profiles: &mut Profiles<'_>| {
        profiles.take(&split, now, end);
        starts.push((job, split, end));
    };
    while let Some(head) = queue.first() {
        let Some((free, end)) = profiles.room(now, head) else { break };
        let split = profiles.choose(now, head.job.width, &free, |_| true);
        start(queue.remove(0), (split, end), profiles);
    }
    let Some(head) = queue.first().filter(|_| backfills) else { return };
    let mut left = profiles.free_now();
    let mut reservation = Reservation::new(head, profiles);
    let mut at = 1;
    while at < queue.len() && left > 0 {
        let width = queue[at].job.width;
        let room = if width > left { None } else { beside(now, &queue[at], reservation.as_mut(), profiles) };
        if let Some(room) = room {
            left -= width;
            start(queue.remove(at), room, profiles);
        } else {
            at += 1;
        }
    }
}

/// Nodes on which a job can start now without delaying the head of the queue; what they take of its reservation is noted there.
pub(in crate::batch) fn beside(
    now: SimTime,
    job: &Wanted,
    mut reservation: Option<&mut Reservation>,
    profiles: &Profiles<'_>,
) -> Option<Room> {
    profiles.by_speed(now, job).find_map(|(free, end)| {
        let width = job.job.width;
        let delaying = reservation.as_deref_mut().filter(|reservation| end > reservation.time);
        let Some(Reservation { free: of_head, spare, .. }) = delaying else {
            let split = || profiles.choose(now, width, &free, |_| true);
            return (free.iter().sum::<u32>() >= width).then(|| (split(), end));
        };
        let is_outside = |group: usize| of_head[group] == 0;
        let outside: u32 = (0..free.len()).filter(|&group| is_outside(group)).map(|group| free[group]).sum();
        let inside: u32 = free.iter().sum::<u32>() - outside;
        if outside + inside.min(*spare) < width {
            return None;
        }
        // Nodes of which the head has no use are taken first.
        let mut most = width.saturating_sub(outside);
        *spare -= most;
        let split = profiles.choose(now, width, &free, is_outside);
        for (of_head, taken) in of_head.iter_mut().zip(&split).filter(|(of_head, _)| **of_head > 0) {
            *of_head -= taken;
            most -= taken;
        }
        debug_assert_eq!(most, 0, "the rest is from other groups");
        Some((split, end))
    })
}
