//! A grid that several co-allocators use at the same time.

use crate::{Coallocator, Grid, GridError, Rejection, Solution};
use dfrsim_model::Seed;
use dfrsim_model::coallocation::Request;
use std::sync::{PoisonError, RwLock};

/// A grid for several threads: many search at the same time, and one at a time reserves.
#[derive(Debug)]
pub struct SharedGrid(RwLock<Grid>);

/// Why [`SharedGrid::coallocate`] made no reservation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReserved {
    /// There is no solution.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The request is not one for this grid.
    #[error(transparent)]
    Request(#[from] GridError),
}

impl SharedGrid {
    /// Shares a grid.
    pub fn new(grid: Grid) -> SharedGrid {
        SharedGrid(RwLock::new(grid))
    }

    /// The grid as it is once everybody is done.
    #[must_use]
    pub fn into_inner(self) -> Grid {
        // A reservation is whole or not made at all, even if its thread panicked.
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// All six phases: searches for a solution and reserves it. If another thread has taken a part of it meanwhile, it
    /// goes back to phase I with the same multiple (section 3.6); the faster thread has then made progress, so all
    /// terminate.
    ///
    /// # Errors
    ///
    /// If there is no solution, or the request is malformed; no reservation is made then.
    pub fn coallocate(
        &self,
        coallocator: &mut Coallocator,
        request: &Request,
        seed: Seed,
    ) -> Result<Solution, NotReserved> {
        self.read(|grid| grid.check_request(request))?;
        let mut found = self.read(|grid| coallocator.search(grid, request, seed))?;
        for attempt in 1.. {
            let reserved = {
                let mut grid = self.0.write().unwrap_or_else(PoisonError::into_inner);
                grid.reserve(&found.allocation.reservations)
            };
            match reserved {
                Ok(()) => break,
                Err(GridError::Taken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            let seed = seed.fork("again").numbered(attempt);
            found = self.read(|grid| coallocator.search_from(found.multiple, grid, request, seed))?;
        }
        Ok(found)
    }

    fn read<T>(&self, look: impl FnOnce(&Grid) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
