//! Phase I: resource discovery.

use crate::Grid;
use dfrsim_model::Rng;
use dfrsim_model::coallocation::Request;
use rand::RngExt as _;

/// Accepted resources in random order, drawn lazily. Every sample is uniform, and a larger sample
/// includes the smaller one.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    /// All resources; those drawn so far come first.
    order: Vec<usize>,
    drawn: usize,
    sample: Vec<usize>,
}

impl Discovery {
    /// Clears the sample, for a grid with this number of resources.
    pub(crate) fn reset(&mut self, resources: usize) {
        self.order.clear();
        self.order.extend(0..resources);
        self.drawn = 0;
        self.sample.clear();
    }

    /// Sets the sample to those of the given resources that the request accepts.
    pub(crate) fn reset_to(&mut self, resources: &[usize], grid: &Grid, request: &Request) {
        self.reset(0);
        let accepted = |resource: &&usize| request.accepts(&grid.resources()[**resource]);
        self.sample.extend(resources.iter().filter(accepted));
    }

    pub(crate) fn sample(&self) -> &[usize] {
        &self.sample
    }

    /// Draws until the sample has `size` resources that the request accepts, or no resource is left.
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
