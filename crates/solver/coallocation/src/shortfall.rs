//! Proofs that no N of the available resources satisfy the totals.

use crate::candidates::add;
use dfrsim_model::coallocation::Request;

/// Fixed-point representation of a whole total.
const WHOLE: u64 = 1 << 32;
/// Weight of a property when all weights are equal, and the maximum weight.
const EVEN_WEIGHT: u64 = 1 << 8;
const MAX_WEIGHT: u64 = 1 << 16;
/// Number of weight vectors tried with all properties. More would find only a few more proofs; phase
/// IV searches the unproved starts.
const TRIES: usize = 12;
/// Exponent of the shortage in the growth of a weight, chosen so that weights settle within the
/// tries.
const SHARPNESS: i32 = 4;

/// A proof that no N resources satisfy the totals, and the search for it.
///
/// Each property has a weight, and the worth of a resource is the weighted sum of its fractions of
/// the totals. N resources that satisfy all totals are worth at least the sum of the weights, so the
/// request cannot be satisfied if the N worthiest are not. For any `threshold`, their worth is at
/// most N times the threshold plus the excess of all resources over it: a sum that is updated in
/// constant time when a resource changes. The bound is exact if the threshold is the worth of the
/// N-th resource. (The weights are multipliers of a Lagrangian relaxation of the totals.)
///
/// Fractions are rounded up and sums are exact, so no sufficient set is rejected.
#[derive(Debug)]
pub(crate) struct Shortfall {
    count: usize,
    /// Totals by property, and the fixed-point fraction per unit of each.
    totals: Box<[u64]>,
    parts_per_unit: Vec<f64>,
    /// Availability by resource, and the fractions of all totals of available resources.
    available: Vec<bool>,
    parts: Vec<u64>,
    /// Number of available resources.
    available_count: usize,
    weights: Vec<u64>,
    threshold: u64,
    /// Worth of each resource with the current weights, and the total excess over the threshold.
    worth: Vec<u64>,
    excess: u128,
    scratch: Vec<u64>,
}

impl Shortfall {
    /// Creates the state for this number of resources, none of which is available yet.
    pub(crate) fn new(request: &Request, resources: usize) -> Shortfall {
        let properties = request.total.len();
        Shortfall {
            count: request.resources,
            totals: request.total.clone(),
            parts_per_unit: request.total.iter().map(|&it| WHOLE as f64 / it.max(1) as f64).collect(),
            available: vec![false; resources],
            parts: vec![0; resources * properties],
            available_count: 0,
            weights: vec![1; properties],
            threshold: 0,
            worth: vec![0; resources],
            excess: 0,
            scratch: Vec::with_capacity(resources),
        }
    }

    /// Makes a resource available with these free amounts, one per property.
    pub(crate) fn set(&mut self, index: usize, free: impl Iterator<Item = u64>) {
        self.available_count += usize::from(!self.available[index]);
        self.available[index] = true;
        let properties = self.totals.len();
        let parts = &mut self.parts[index * properties..][..properties];
        for (property, (part, free)) in parts.iter_mut().zip(free).enumerate() {
            *part = if free >= self.totals[property] {
                WHOLE
            } else {
                (free as f64 * self.parts_per_unit[property]) as u64 + 1
            };
        }
        let worth = parts.iter().zip(&self.weights).map(|(part, weight)| part * weight).sum();
        self.set_worth(index, worth);
    }

    /// Makes a resource unavailable.
    pub(crate) fn remove(&mut self, index: usize) {
        self.available_count -= usize::from(self.available[index]);
        self.available[index] = false;
        let properties = self.totals.len();
        self.parts[index * properties..][..properties].fill(0);
        self.set_worth(index, 0);
    }

    /// Returns true if fewer than N resources are available.
    pub(crate) fn lacks_resources(&self) -> bool {
        self.available_count < self.count
    }

    /// Returns true if the last proof is valid for the current free amounts.
    pub(crate) fn is_valid(&self) -> bool {
        let whole = u128::from(WHOLE) * u128::from(self.weights.iter().sum::<u64>());
        self.lacks_resources() || self.excess + u128::from(self.threshold) * (self.count as u128) < whole
    }

    /// Searches for a proof: with each property alone, then with all properties and growing weights
    /// of the scarce ones. Returns true if one was found.
    pub(crate) fn find_proof(&mut self) -> bool {
        if self.lacks_resources() {
            return true;
        }
        for property in 0..self.totals.len() {
            self.weights.fill(0);
            self.weights[property] = 1;
            if self.evaluate_weights() {
                return true;
            }
        }
        self.weights.fill(EVEN_WEIGHT);
        let mut proved = self.evaluate_weights();
        for _ in 1..TRIES {
            if proved {
                break;
            }
            self.shift_weights();
            proved = self.evaluate_weights();
        }
        proved
    }

    /// Increases the weights of properties of which the N worthiest resources have too little, and
    /// decreases the others.
    fn shift_weights(&mut self) {
        let properties = self.totals.len();
        let above = self.worth.iter().filter(|worth| **worth > self.threshold).count();
        let mut ties = self.count - above;
        self.scratch.clear();
        self.scratch.resize(properties, 0);
        for (&worth, parts) in self.worth.iter().zip(self.parts.chunks_exact(properties)) {
            let is_tie = worth == self.threshold && ties > 0;
            ties -= usize::from(is_tie);
            if worth > self.threshold || is_tie {
                add(&mut self.scratch, parts);
            }
        }
        for (weight, &sum) in self.weights.iter_mut().zip(&self.scratch) {
            let missing = WHOLE as f64 / sum.max(WHOLE / 8) as f64;
            *weight = ((*weight as f64 * missing.powi(SHARPNESS)) as u64).clamp(1, MAX_WEIGHT);
        }
    }

    /// Computes the best threshold for the current weights. Returns true if they are a proof.
    fn evaluate_weights(&mut self) -> bool {
        let properties = self.totals.len();
        if properties == 0 {
            return false;
        }
        for (worth, parts) in self.worth.iter_mut().zip(self.parts.chunks_exact(properties)) {
            *worth = parts.iter().zip(&self.weights).map(|(part, weight)| part * weight).sum();
        }
        self.scratch.clone_from(&self.worth);
        let nth = self.scratch.len() - self.count;
        self.threshold = *self.scratch.select_nth_unstable(nth).1;
        let above = |worth: &u64| u128::from(worth.saturating_sub(self.threshold));
        self.excess = self.worth.iter().map(above).sum();
        self.is_valid()
    }

    fn set_worth(&mut self, index: usize, worth: u64) {
        let before = std::mem::replace(&mut self.worth[index], worth);
        let above = |worth: u64| u128::from(worth.saturating_sub(self.threshold));
        self.excess = self.excess - above(before) + above(worth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::{SimSpan, SimTime};
    use proptest::prelude::*;

    fn request(resources: usize, total: &[u64]) -> Request {
        Request {
            duration: SimSpan::from_secs(1),
            resources,
            earliest: SimTime::ZERO,
            latest: SimTime::ZERO,
            minimum: vec![0; total.len()].into(),
            total: total.into(),
            step: vec![1; total.len()].into(),
            labels: [].into(),
        }
    }

    /// Returns true if some set of `count` resources satisfies the totals, by exhaustive
    /// enumeration.
    fn is_feasible(free: &[Option<[u64; 2]>], count: usize, total: [u64; 2]) -> bool {
        let available: Vec<[u64; 2]> = free.iter().copied().flatten().collect();
        (0..1_u32 << available.len()).filter(|set| set.count_ones() as usize == count).any(|set| {
            let chosen = available.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            let sums = chosen.fold([0, 0], |[a, b], (_, it)| [a + it[0], b + it[1]]);
            sums[0] >= total[0] && sums[1] >= total[1]
        })
    }

    fn free() -> impl Strategy<Value = Option<[u64; 2]>> {
        prop::option::weighted(0.9, [0..20_u64, 0..20_u64])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(400)))]

        /// Resources change one at a time; every proof, incremental or from scratch, must be
        /// correct.
        #[test]
        fn what_is_proved_is_so(
            mut now in prop::collection::vec(free(), 4..9),
            changes in prop::collection::vec((0..4_usize, free()), 12),
            count in 1..5_usize,
            total in [0..60_u64, 0..60_u64],
        ) {
            let mut shortfall = Shortfall::new(&request(count, &total), now.len());
            let set = |shortfall: &mut Shortfall, index: usize, free: Option<[u64; 2]>| match free {
                Some(free) => shortfall.set(index, free.into_iter()),
                None => shortfall.remove(index),
            };
            for (index, &free) in now.iter().enumerate() {
                set(&mut shortfall, index, free);
            }
            for (index, free) in changes {
                let proved = shortfall.find_proof();
                prop_assert!(!proved || !is_feasible(&now, count, total));
                prop_assert_eq!(proved, shortfall.is_valid());
                now[index] = free;
                set(&mut shortfall, index, free);
                prop_assert!(!shortfall.is_valid() || !is_feasible(&now, count, total));
            }
        }

        /// The proof is exact for a single property; the reference check ignores the second one, as
        /// its total is 0.
        #[test]
        fn one_property_is_decided(now in prop::collection::vec(free(), 4..9), count in 1..5_usize, total in 0..60_u64) {
            let mut shortfall = Shortfall::new(&request(count, &[total]), now.len());
            for (index, free) in now.iter().enumerate() {
                if let Some([free, _]) = *free {
                    shortfall.set(index, [free].into_iter());
                }
            }
            prop_assert_eq!(shortfall.find_proof(), !is_feasible(&now, count, [total, 0]));
        }
    }

    /// Two of (9, 1), (1, 9) and (4, 4) have a sum of 10 for both properties, but never of 11 and 9.
    /// Either property alone has enough, 9 + 4. With equal weights, (9, 1) and (1, 9) are worth 10 /
    /// 11 + 10 / 9 > 2. With weights 2 : 1, any two are worth less than 3: 20 / 11 + 10 / 9 = 2.93,
    /// 26 / 11 + 5 / 9 = 2.92, 10 / 11 + 13 / 9 = 2.35.
    #[test]
    fn weights_prove_what_no_property_alone_does() {
        let proved = |total: [u64; 2]| {
            let mut shortfall = Shortfall::new(&request(2, &total), 3);
            for (index, free) in [[9, 1], [1, 9], [4, 4]].into_iter().enumerate() {
                shortfall.set(index, free.into_iter());
            }
            shortfall.find_proof()
        };
        assert!(!proved([10, 10]));
        assert!(proved([11, 9]));
    }
}
