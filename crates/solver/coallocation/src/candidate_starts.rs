//! The starts of one request, kept for searches with many seeds.

use crate::starts::Starts;
use crate::sufficiency::is_sufficient;
use crate::{Candidates, Grid, Rejection};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// The starts at which a request might be met on given resources, found as they are needed and kept: what phases II and III
/// come to does not depend on the seed, so repeated searches ([`Coallocator::search_starts`](crate::Coallocator::search_starts))
/// need not find it again.
pub struct CandidateStarts<'a> {
    request: &'a Request,
    /// Why there is no start at all, if phase I or II rejects the request.
    rejection: Option<Rejection>,
    starts: Starts<'a>,
    /// In the order of the starts, each with what is available then.
    found: Vec<(SimTime, Candidates)>,
}

impl<'a> CandidateStarts<'a> {
    /// The candidate starts of a request on those of these resources that it accepts, with or without
    /// [proofs](crate::Parameters::proofs).
    ///
    /// # Panics
    ///
    /// If [`Grid::check_request`] would refuse the request, or a resource does not exist.
    pub fn new(
        grid: &'a Grid,
        request: &'a Request,
        resources: &[usize],
        proofs: bool,
    ) -> CandidateStarts<'a> {
        let accepted = |resource: &usize| request.accepts(&grid.resources()[*resource]);
        let sample: Vec<usize> = resources.iter().copied().filter(accepted).collect();
        let rejection = if sample.len() < request.resources {
            Some(Rejection::Resources)
        } else {
            (!is_sufficient(grid, request, &sample)).then_some(Rejection::Totals)
        };
        let starts = Starts::new(grid, request, sample, proofs);
        CandidateStarts { request, rejection, starts, found: Vec::new() }
    }

    pub(crate) fn request(&self) -> &'a Request {
        self.request
    }

    /// The start of this number, from 0, if there are that many.
    pub(crate) fn get(&mut self, number: usize) -> Result<Option<&(SimTime, Candidates)>, Rejection> {
        if let Some(rejection) = self.rejection {
            return Err(rejection);
        }
        while self.found.len() <= number {
            let mut candidates = Candidates::default();
            match self.starts.next_sufficient(&mut candidates) {
                Some(start) => self.found.push((start, candidates)),
                None => return Ok(None),
            }
        }
        Ok(self.found.get(number))
    }
}
