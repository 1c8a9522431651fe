//! A grid that is used by several co-allocators concurrently.

use crate::{Coallocator, Grid, GridError, Rejection, Solution};
use dfrsim_model::Seed;
use dfrsim_model::coallocation::Request;
use std::sync::{PoisonError, RwLock};

/// A grid for several threads: searches run concurrently, reservations are exclusive.
#[derive(Debug)]
pub struct SharedGrid(RwLock<Grid>);

/// Reasons for which [`SharedGrid::coallocate`] made no reservation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReserved {
    /// There is no solution.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The request is invalid for this grid.
    #[error(transparent)]
    Request(#[from] GridError),
}

impl SharedGrid {
    /// Creates a shared grid.
    pub fn new(grid: Grid) -> SharedGrid {
        SharedGrid(RwLock::new(grid))
    }

    /// Returns the grid, once no thread uses it any more.
    #[must_use]
    pub fn into_inner(self) -> Grid {
        // Reservations are atomic, so the grid is consistent even if a thread panicked.
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs all six phases: searches for a solution and reserves it. If another thread has
    /// reserved a part of it in the meantime, phase I is repeated with the same multiple (section
    /// 3.6). Each repetition implies the progress of another thread, so all terminate.
    ///
    /// # Errors
    ///
    /// There is no solution, or the request is invalid; in both cases nothing is reserved.
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
