//! The search for the jobs that are kept and the value at which they are packed.

use super::options::{DropRule, McbOptions, Probes};
use super::placements::Placements;
use crate::yield_search::SearchRange;
use dfrsim_model::Yield;

/// Jobs, of which some are kept, that are to be packed.
pub(super) trait Packs {
    /// Keeps a job, unless what the kept jobs then hold leaves no hope for a packing; whether it does.
    fn keep(&mut self, job: usize) -> bool;
    /// Does not keep a job any more.
    fn leave(&mut self, job: usize);
    /// Whether a job is kept.
    fn is_kept(&self, job: usize) -> bool;
    /// The values to be searched for the kept jobs.
    fn range(&self) -> SearchRange;
    /// Whether the kept jobs can be packed at a value; remembers the packing.
    fn packs_at(&mut self, value: Yield) -> bool;
    /// The placements of the last packing that was found, at a value if at any, and the value of the mapping.
    fn hand_out(self, found: Option<Yield>, placements: &mut Placements) -> Yield;
}

/// Finds how many of the jobs can be packed, their placements, and the value of the mapping.
pub(super) fn search(
    jobs: usize,
    options: McbOptions,
    precision: Yield,
    mut packs: impl Packs,
    placements: &mut Placements,
) -> Yield {
    let mut found = keep_prefix(jobs, options, precision, &mut packs);
    if options.drop == DropRule::Skip && try_dropped_again(jobs, options, precision, &mut packs) {
        found = largest(options, precision, &mut packs);
    }
    packs.hand_out(found, placements)
}

/// The largest value at which the search finds a packing of the kept jobs.
fn largest(options: McbOptions, precision: Yield, packs: &mut impl Packs) -> Option<Yield> {
    if options.probes == Probes::Bisection {
        let whole = SearchRange { lowest: Yield::ZERO, highest: Yield::ONE };
        return whole.bisect_open(precision, |value| packs.packs_at(value));
    }
    packs.range().ends_first(precision, |value| packs.packs_at(value))
}

/// Keeps the most jobs of highest priority of which the search finds a packing; its value.
fn keep_prefix(jobs: usize, options: McbOptions, precision: Yield, packs: &mut impl Packs) -> Option<Yield> {
    // With more jobs than these no packing can succeed, so none is tried.
    let mut count = (0..jobs).find(|&job| !packs.keep(job)).unwrap_or(jobs);
    loop {
        let value = largest(options, precision, packs);
        if value.is_some() || count == 0 {
            return value;
        }
        count -= 1;
        packs.leave(count);
    }
}

/// Keeps each job that was left out, by decreasing priority, with which a packing is found at the lowest value, or at
/// any that is tried where that is no end of the search; whether there is one.
fn try_dropped_again(jobs: usize, options: McbOptions, precision: Yield, packs: &mut impl Packs) -> bool {
    let mut any = false;
    for job in 0..jobs {
        if packs.is_kept(job) || !packs.keep(job) {
            continue;
        }
        let can_be_packed = match options.probes {
            Probes::EndsFirst => {
                let range = packs.range();
                range.lowest <= range.highest && packs.packs_at(range.lowest)
            }
            Probes::Bisection => largest(options, precision, packs).is_some(),
        };
        any |= can_be_packed;
        if !can_be_packed {
            packs.leave(job);
        }
    }
    any
}
