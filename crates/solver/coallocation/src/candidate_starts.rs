//! Cached start times of one request, for repeated searches with different seeds.

use crate::starts::Starts;
use crate::sufficiency::is_sufficient;
use crate::{Candidates, Grid, Rejection};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// Start times at which a request might be satisfied on given resources, computed lazily and cached.
/// The results of phases II and III do not depend on the seed, so repeated searches
/// ([`Coallocator::search_starts`](crate::Coallocator::search_starts)) need not recompute them.
pub struct CandidateStarts<'a> {
    request: &'a Request,
    /// Reason for which there is no start at all, if phase I or II rejects the request.
    rejection: Option<Rejection>,
    starts: Starts<'a>,
    /// Start times found so far, in chronological order, each with the resources available then.
    found: Vec<(SimTime, Candidates)>,
}

impl<'a> CandidateStarts<'a> {
    /// Creates the candidate starts of a request on the given resources, excluding those that it
    /// does not accept.
    ///
    /// # Panics
    ///
    /// If [`Grid::check_request`] would reject the request, or a resource does not exist.
    pub fn new(grid: &'a Grid, request: &'a Request, resources: &[usize]) -> CandidateStarts<'a> {
        let accepted = |resource: &usize| request.accepts(&grid.resources()[*resource]);
        let sample: Vec<usize> = resources.iter().copied().filter(accepted).collect();
        let rejection = if sample.len() < request.resources {
            Some(Rejection::Resources)
        } else {
            (!is_sufficient(grid, request, &sample)).then_some(Rejection::Totals)
        };
        let starts = Starts::new(grid, request, sample);
        CandidateStarts { request, rejection, starts, found: Vec::new() }
    }

    pub(crate) fn request(&self) -> &'a Request {
        self.request
    }

    /// Returns the start with this number, counted from 0, if there are that many.
    pub(crate) fn get(&mut self, number: usize) -> Result<Option<&(SimTime, Candidates)>, Rejection> {
        if let Some(rejection) = self.rejection {
            return Err(rejection);
        }
        while self.found.len() <= number {
            let mut candidates = Candidates::default();
            match self.starts.next_with_candidates(&mut candidates) {
                Some(start) => self.found.push((start, candidates)),
                None => return Ok(None),
            }
        }
        Ok(self.found.get(number))
    }
}
