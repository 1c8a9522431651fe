//! Resources that are available at one start time, and sets of them.

use dfrsim_model::coallocation::Request;

/// The resources that are available at one start time (R_a of phase IV), with their capacities and
/// the amounts that are free throughout the job. Amounts are in millionths; the properties of a
/// candidate are adjacent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    properties: usize,
    resources: Vec<usize>,
    capacity: Vec<u64>,
    free: Vec<u64>,
}

/// A set of candidates (R_s) and the remaining candidates, as indices, with sums over the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) chosen: Vec<usize>,
    pub(crate) rest: Vec<usize>,
    /// Total capacity and total free amount of the chosen candidates, by property.
    capacity: Vec<u64>,
    free: Vec<u64>,
}

impl Candidates {
    pub(crate) fn clear(&mut self, properties: usize) {
        self.properties = properties;
        self.resources.clear();
        self.capacity.clear();
        self.free.clear();
    }

    /// Adds a resource.
    pub(crate) fn push(&mut self, resource: usize, capacity: &[u64], free: impl Iterator<Item = u64>) {
        self.resources.push(resource);
        self.capacity.extend_from_slice(capacity);
        self.free.extend(free);
    }

    pub(crate) fn len(&self) -> usize {
        self.resources.len()
    }
    pub(crate) fn properties(&self) -> usize {
        self.properties
    }
    /// Returns the index in the grid of a candidate.
    pub(crate) fn resource(&self, candidate: usize) -> usize {
        self.resources[candidate]
    }
    pub(crate) fn capacity(&self, candidate: usize) -> &[u64] {
        &self.capacity[candidate * self.properties..][..self.properties]
    }
    pub(crate) fn free(&self, candidate: usize) -> &[u64] {
        &self.free[candidate * self.properties..][..self.properties]
    }
}

impl Choice {
    /// Clears the choice: all candidates are in the rest.
    pub(crate) fn reset(&mut self, candidates: &Candidates) {
        self.chosen.clear();
        self.rest.clear();
        self.rest.extend(0..candidates.len());
        for sums in [&mut self.capacity, &mut self.free] {
            sums.clear();
            sums.resize(candidates.properties(), 0);
        }
    }

    /// Moves a candidate from the rest, given by its position there, to the chosen ones.
    pub(crate) fn choose(&mut self, candidates: &Candidates, place: usize) {
        let candidate = self.rest.swap_remove(place);
        self.chosen.push(candidate);
        add(&mut self.capacity, candidates.capacity(candidate));
        add(&mut self.free, candidates.free(candidate));
    }

    /// Swaps a chosen candidate with one of the rest, both given by their positions.
    pub(crate) fn swap(&mut self, candidates: &Candidates, out: usize, into: usize) {
        let (leaves, enters) = (self.chosen[out], self.rest[into]);
        (self.chosen[out], self.rest[into]) = (enters, leaves);
        add(&mut self.capacity, candidates.capacity(enters));
        add(&mut self.free, candidates.free(enters));
        subtract(&mut self.capacity, candidates.capacity(leaves));
        subtract(&mut self.free, candidates.free(leaves));
    }

    /// Returns the total free amount of a property on the chosen candidates.
    pub(crate) fn free(&self, property: usize) -> u64 {
        self.free[property]
    }

    /// Returns true if the totals are satisfied: no worst-case utilisation (3) exceeds 1.
    pub(crate) fn is_admissible(&self, request: &Request) -> bool {
        self.free.iter().zip(&request.total).all(|(free, total)| free >= total)
    }

    /// Computes the worst-case utilisation of a property with the job placed (3): at most 1 if and
    /// only if the total is satisfied.
    pub(crate) fn utilisation(&self, request: &Request, property: usize) -> f64 {
        utilisation(self.capacity[property], self.free[property], request.total[property])
    }

    /// Computes the product of the worst-case utilisations of all properties (section 3.5).
    pub(crate) fn factor(&self, request: &Request) -> f64 {
        (0..self.free.len()).map(|property| self.utilisation(request, property)).product()
    }
}

/// Computes the fraction of a property that is used once `total` is reserved. Without capacity the
/// result is 1 (fully used).
pub(crate) fn utilisation(capacity: u64, free: u64, total: u64) -> f64 {
    if capacity == 0 { 1.0 } else { (capacity - free + total) as f64 / capacity as f64 }
}

fn add(sums: &mut [u64], amounts: &[u64]) {
    sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
}

fn subtract(sums: &mut [u64], amounts: &[u64]) {
    sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum -= amount);
}
