//! Search for the jobs that are kept and the value at which they are packed.

use super::options::{DropRule, McbOptions, Probes};
use super::placements::Placements;
use crate::yield_search::SearchRange;
use dfrsim_model::Yield;

/// Packing problem: a set of jobs, some of which are kept and must be packed.
pub(super) trait PackingProblem {
    /// Tries to keep a job. Returns false, and does not keep it, if the kept jobs then hold too much
    /// for any packing.
    fn try_keep(&mut self, job: usize) -> bool;
    /// Drops a kept job.
    fn drop_job(&mut self, job: usize);
    /// Returns whether a job is kept.
    fn is_kept(&self, job: usize) -> bool;
    /// Returns the range of values to search for the kept jobs.
    fn range(&self) -> SearchRange;
    /// Tries to pack the kept jobs at a value; returns whether that succeeded, and stores the
    /// packing.
    fn packs_at(&mut self, value: Yield) -> bool;
    /// Writes the placements of the last packing that was found and returns the value of the
    /// mapping. `found` is the value of that packing; `None` if there is no packing.
    fn write_placements(self, found: Option<Yield>, placements: &mut Placements) -> Yield;
}

/// Finds the jobs that can be packed and their placements. Returns the value of the mapping.
pub(super) fn search(
    jobs: usize,
    options: McbOptions,
    precision: Yield,
    mut packs: impl PackingProblem,
    placements: &mut Placements,
) -> Yield {
    let mut found = keep_prefix(jobs, options, precision, &mut packs);
    if options.drop == DropRule::Skip && retry_dropped(jobs, options, precision, &mut packs) {
        found = largest_value(options, precision, &mut packs);
    }
    packs.write_placements(found, placements)
}

/// Finds the largest value at which the search packs the kept jobs.
fn largest_value(options: McbOptions, precision: Yield, packs: &mut impl PackingProblem) -> Option<Yield> {
    if options.probes == Probes::Bisection {
        let whole = SearchRange { lowest: Yield::ZERO, highest: Yield::ONE };
        return whole.bisect_open(precision, |value| packs.packs_at(value));
    }
    packs.range().ends_first(precision, |value| packs.packs_at(value))
}

/// Keeps the longest prefix of the jobs, by decreasing priority, that the search can pack. Returns
/// its value.
fn keep_prefix(
    jobs: usize,
    options: McbOptions,
    precision: Yield,
    packs: &mut impl PackingProblem,
) -> Option<Yield> {
    // No packing of more jobs than these can succeed, so none is tried.
    let mut count = (0..jobs).find(|&job| !packs.try_keep(job)).unwrap_or(jobs);
    loop {
        let value = largest_value(options, precision, packs);
        if value.is_some() || count == 0 {
            return value;
        }
        count -= 1;
        packs.drop_job(count);
    }
}

/// Tries each dropped job again, by decreasing priority, and keeps it if a packing succeeds at the
/// lowest value, or at any tried value if the search does not include its ends. Returns whether any
/// job was added.
fn retry_dropped(
    jobs: usize,
    options: McbOptions,
    precision: Yield,
    packs: &mut impl PackingProblem,
) -> bool {
    let mut any = false;
    for job in 0..jobs {
        if packs.is_kept(job) || !packs.try_keep(job) {
            continue;
        }
        let can_be_packed = match options.probes {
            Probes::EndsFirst => {
                let range = packs.range();
                range.lowest <= range.highest && packs.packs_at(range.lowest)
            }
            Probes::Bisection => largest_value(options, precision, packs).is_some(),
        };
        any |= can_be_packed;
        if !can_be_packed {
            packs.drop_job(job);
        }
    }
    any
}
