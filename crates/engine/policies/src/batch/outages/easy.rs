//! FCFS and EASY.

use super::profile::Profiles;
use super::{Split, Start};
use crate::batch::BatchJob;
use dfrsim_model::SimTime;

/// What the head of the queue waits for.
struct Reservation {
    time: SimTime,
    /// The nodes of each group that it could have then.
    free: Split,
    /// How many of them it does not need.
    spare: u32,
}

/// Starts jobs of the queue, which is in its order; `backfills` lets those behind the head go before it if that does not delay it.
pub(super) fn pass(
    now: SimTime,
    queue: &mut Vec<BatchJob>,
    profiles: &mut Profiles<'_>,
    backfills: bool,
    starts: &mut Vec<Start>,
) {
    let mut start = |job: BatchJob, split: Split, profiles: &mut Profiles<'_>| {
        profiles.take(&split, now, now.saturating_add(job.estimate));
        starts.push((job, split));
    };
    let fits = |job: &BatchJob, free: &[u32]| free.iter().sum::<u32>() >= job.width;
    while let Some(&head) = queue.first() {
        let free = profiles.free_for(now, head.estimate);
        if !fits(&head, &free) {
            break;
        }
        let split = profiles.choose(now, head.width, &free, |_| true);
        start(head, split, profiles);
        queue.remove(0);
    }
    let Some(&head) = queue.first().filter(|_| backfills) else { return };
    let mut left = profiles.free_now();
    let mut reservation = profiles.earliest(head.width, head.estimate).map(|(time, free)| {
        let spare = free.iter().sum::<u32>() - head.width;
        Reservation { time, free, spare }
    });
    let mut at = 1;
    while at < queue.len() && left > 0 {
        let job = queue[at];
        at += 1;
        if job.width > left {
            continue;
        }
        let free = profiles.free_for(now, job.estimate);
        let in_time = |reservation: &Reservation| now.saturating_add(job.estimate) <= reservation.time;
        let delaying = reservation.as_mut().filter(|reservation| !in_time(reservation));
        let split = match delaying {
            None if fits(&job, &free) => profiles.choose(now, job.width, &free, |_| true),
            None => continue,
            Some(Reservation { free: of_head, spare, .. }) => {
                let is_outside = |group: usize| of_head[group] == 0;
                let outside: u32 =
                    (0..free.len()).filter(|&group| is_outside(group)).map(|group| free[group]).sum();
                let inside: u32 = free.iter().sum::<u32>() - outside;
                if outside + inside.min(*spare) < job.width {
                    continue;
                }
                // Nodes of which the head has no use are taken first.
                let mut most = job.width.saturating_sub(outside);
                *spare -= most;
                let split = profiles.choose(now, job.width, &free, is_outside);
                for (of_head, taken) in of_head.iter_mut().zip(&split).filter(|(of_head, _)| **of_head > 0) {
                    *of_head -= taken;
                    most -= taken;
                }
                debug_assert_eq!(most, 0, "the rest is from other groups");
                split
            }
        };
        left -= job.width;
        start(job, split, profiles);
        at -= 1;
        queue.remove(at);
    }
}
