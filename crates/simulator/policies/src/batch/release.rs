//! Releases: times at which tasks of a request come to fit into a pool, as running jobs end.

use super::profile::Profile;
use super::requests::TaskRequest;
use dfrsim_model::SimTime;

/// Number of further tasks of a request that fit into a pool from a time on: from now, or from the
/// expected end of a running job. Kept small, as searches scan thousands of releases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Release {
    pub(super) from: SimTime,
    pool: u32,
    tasks: u32,
}

impl Release {
    pub(super) fn new(from: SimTime, pool: u32, tasks: u32) -> Release {
        Release { from, pool, tasks }
    }

    pub(super) fn pool(&self) -> usize {
        self.pool as usize
    }

    pub(super) fn tasks(&self) -> u64 {
        self.tasks.into()
    }
}

/// Calls `each` for each release of a pool. Those at the end of a job may have no tasks.
pub(super) fn for_each_release(
    free: &[Profile],
    (now, need, pool): (SimTime, &TaskRequest, usize),
    mut each: impl FnMut(Release),
) {
    let (mut at, mut had) = (Some(now), 0);
    while let Some(from) = at {
        // Sizes of jobs are 32-bit numbers.
        let has =
            need.tasks_in_each(free.iter().map(|profile| profile.min_free(from, from))).min(u32::MAX.into());
        if has > had || from > now {
            each(Release::new(from, pool as u32, (has - had) as u32));
            had = has;
        }
        at = free.iter().filter_map(|profile| profile.next_rise(from)).min();
    }
}

/// Merges some unsorted releases into a list that is sorted by time.
pub(super) fn merge(sorted: &mut Vec<Release>, mut others: Vec<Release>) {
    others.sort_by_key(|it| it.from);
    let mut left = sorted.len();
    sorted.extend(&others);
    let mut at = sorted.len();
    while let Some(last) = others.last() {
        at -= 1;
        if left > 0 && sorted[left - 1].from > last.from {
            left -= 1;
            sorted[at] = sorted[left];
        } else {
            sorted[at] = *last;
            others.pop();
        }
    }
}
