//! FCFS and EASY: what is decided depends on the cluster and the queue alone.

use super::BatchRule;
use super::check::{Cluster, Decision};
use super::queue::Waiting;
use crate::profile::reservation;
use dfrsim_model::SimTime;

/// The jobs that may overtake the head of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backfilling {
    /// No job is backfilled.
    None,
    /// The jobs that do not delay it (Lifka 1995; Mu'alem and Feitelson 2001, section 2).
    AroundHead,
}

/// The first job of the queue that does not start.
struct Head {
    job: u64,
    /// When it can start if all jobs end at their estimates.
    shadow: u64,
    /// The nodes that it leaves free then.
    spare: u32,
}

impl Head {
    fn new(job: &Waiting, now: u64, cluster: &Cluster) -> Head {
        let (shadow, spare) = reservation(now, cluster.free(), job.width, &cluster.ends(now));
        Head { job: job.job, shadow, spare }
    }
}

impl Backfilling {
    /// Judges a decision, job by job in the order of the queue.
    pub(super) fn decide(self, queue: &[Waiting], decision: &mut Decision<'_>) {
        let now = decision.now;
        let mut head: Option<Head> = None;
        for job in queue {
            let (free, width) = (decision.cluster.free(), job.width);
            let none_can = free == 0 || head.is_some() && self == Backfilling::None;
            if none_can && decision.starting.is_empty() {
                return;
            }
            let fits = width <= free;
            let Some(head) = &mut head else {
                let starts = decision.judge(job, fits, || {
                    if fits {
                        BatchRule::HeadWaits { free, width }
                    } else {
                        BatchRule::NoRoom { width, free }
                    }
                });
                if !starts {
                    head = Some(Head::new(job, now, decision.cluster));
                }
                continue;
            };
            if self == Backfilling::None {
                decision.judge(job, false, || BatchRule::OutOfTurn { head: head.job });
                continue;
            }
            let end = now.saturating_add(job.estimate);
            let in_time = end <= head.shadow;
            let delays = !in_time && width > head.spare;
            let starts = decision.judge(job, fits && !delays, || {
                if !fits {
                    BatchRule::NoRoom { width, free }
                } else if delays {
                    let (shadow, end) = (SimTime::from_micros(head.shadow), SimTime::from_micros(end));
                    BatchRule::DelaysHead { head: head.job, shadow, end, width, spare: head.spare }
                } else {
                    BatchRule::NotBackfilled { free, width, head: head.job }
                }
            });
            if starts && !in_time {
                head.spare = head.spare.saturating_sub(width);
            }
        }
    }
}
