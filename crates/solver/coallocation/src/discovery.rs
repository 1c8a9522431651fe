//! Phase I: which resources are examined.

use crate::Grid;
use dfrsim_model::Rng;
use dfrsim_model::coallocation::Request;
use rand::RngExt as _;

/// Eligible resources in random order, drawn as they are needed: every sample is uniform, and a larger one holds the
/// smaller.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    /// All resources; those that were drawn are first.
    order: Vec<usize>,
    drawn: usize,
    sample: Vec<usize>,
}

impl Discovery {
    /// Forgets the sample, for a grid of this many resources.
    pub(crate) fn begin(&mut self, resources: usize) {
        self.order.clear();
        self.order.extend(0..resources);
        self.drawn = 0;
        self.sample.clear();
    }

    /// Takes those of these resources that the request accepts.
    pub(crate) fn begin_with(&mut self, resources: &[usize], grid: &Grid, request: &Request) {
        self.begin(0);
        let accepted = |resource: &&usize| request.accepts(&grid.resources()[**resource]);
        self.sample.extend(resources.iter().filter(accepted));
    }

    pub(crate) fn sample(&self) -> &[usize] {
        &self.sample
    }

    /// Draws until the sample has this many resources that the request accepts, or there are no more.
    pub(crate) fn extend_to(&mut self, size: usize, grid: &Grid, request: &Request, rng: &mut Rng) {
        while self.sample.len() < size && self.drawn < self.order.len() {
            let at = rng.random_range(self.drawn..self.order.len());
            self.order.swap(self.drawn, at);
            let resource = self.order[self.drawn];
            self.drawn += 1;
            if request.accepts(&grid.resources()[resource]) {
                self.sample.push(resource);
            }
        }
    }
}
