//! Tests the search against the published phases without state between steps: sums are recomputed, and
//! free amounts are looked up second by second. Only the random numbers are drawn in an equal order.

use crate::instances::Instance;
use dfrsim_coallocation::{CandidateStarts, Coallocator, Parameters, Rejection, Solution};
use dfrsim_model::{Rng, Seed, SimTime};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The start, the resources in ascending order, and the factors before and after phase V.
type Answer = (SimTime, Vec<usize>, f64, f64);

struct Twin<'a> {
    instance: &'a Instance,
    parameters: Parameters,
    sample: Vec<usize>,
}

impl Twin<'_> {
    fn search(&mut self, seed: Seed) -> Result<Answer, Rejection> {
        let mut draws = seed.fork("discovery").rng();
        let mut order: Vec<usize> = (0..self.instance.resources.len()).collect();
        let (mut drawn, mut multiple, mut last) = (0, self.parameters.initial_multiple, Rejection::Resources);
        while multiple <= self.parameters.largest_multiple {
            let before = self.sample.clone();
            while self.sample.len() < multiple * self.instance.request.resources && drawn < order.len() {
                let at = draws.random_range(drawn..order.len());
                order.swap(drawn, at);
                if self.instance.request.accepts(&self.instance.resources[order[drawn]]) {
                    self.sample.push(order[drawn]);
                }
                drawn += 1;
            }
            if self.sample.len() < self.instance.request.resources || self.sample == before {
                return Err(last);
            }
            match self.pass(seed.fork("search").numbered(multiple as u64)) {
                Ok(answer) => return Ok(answer),
                Err(rejection) => last = rejection,
            }
            multiple *= 2;
        }
        Err(last)
    }

    fn pass(&self, seed: Seed) -> Result<Answer, Rejection> {
        let request = &self.instance.request;
        for (property, &total) in request.total.iter().enumerate() {
            let mut capacity: Vec<u64> =
                self.sample.iter().map(|&it| self.instance.resources[it].capacity[property]).collect();
            capacity.sort_unstable();
            if capacity.iter().rev().take(request.resources).sum::<u64>() < total {
                return Err(Rejection::Totals);
            }
        }
        for start in self.starts() {
            let available: Vec<usize> =
                self.sample.iter().copied().filter(|&it| self.instance.free(it, start).is_some()).collect();
            if available.len() < request.resources {
                continue;
            }
            let at = At { instance: self.instance, sample: &self.sample, start };
            let mut rng = seed.numbered(start.micros()).rng();
            let (mut chosen, mut rest) =
                at.select_and_swap(available, self.parameters.admission_effort, &mut rng);
            if at.is_admissible(&chosen) {
                let before = at.factor(&chosen);
                at.improve(&mut chosen, &mut rest, self.parameters.improvement_effort, &mut rng);
                let after = at.factor(&chosen);
                chosen.sort_unstable();
                return Ok((start, chosen, before, after));
            }
        }
        Err(Rejection::Starts)
    }

    /// Returns the starts of phase III: the earliest start, and every time at which a property of an
    /// available resource increases.
    fn starts(&self) -> BTreeSet<SimTime> {
        let request = &self.instance.request;
        let ends = self.instance.reserved.iter().map(|it| (it.until, it.resource));
        let increases = |&(time, resource): &(SimTime, usize)| {
            let sum = |at: SimTime, property: usize| -> u64 {
                let held = self
                    .instance
                    .reserved
                    .iter()
                    .filter(|it| it.resource == resource && it.from <= at && at < it.until);
                held.map(|it| it.amounts[property]).sum()
            };
            let just_before = SimTime::from_micros(time.micros() - 1);
            (0..request.total.len()).any(|property| sum(time, property) < sum(just_before, property))
        };
        ends.filter(|&(time, _)| request.earliest < time && time <= request.latest)
            .filter(|&(_, resource)| self.sample.contains(&resource))
            .filter(increases)
            .filter(|&(time, resource)| self.instance.free(resource, time).is_some())
            .map(|(time, _)| time)
            .chain([request.earliest])
            .collect()
    }
}

/// The problem at one start.
struct At<'a> {
    instance: &'a Instance,
    sample: &'a [usize],
    start: SimTime,
}

impl At<'_> {
    fn free(&self, resource: usize, property: usize) -> u64 {
        self.instance.free(resource, self.start).unwrap()[property]
    }
    fn free_of(&self, set: &[usize], property: usize) -> u64 {
        set.iter().map(|&it| self.free(it, property)).sum()
    }
    fn properties(&self) -> std::ops::Range<usize> {
        0..self.instance.request.total.len()
    }
    fn total(&self, property: usize) -> u64 {
        self.instance.request.total[property]
    }
    fn is_admissible(&self, set: &[usize]) -> bool {
        self.properties().all(|property| self.free_of(set, property) >= self.total(property))
    }
    fn utilisation(&self, set: &[usize], property: usize) -> f64 {
        let capacity: u64 = set.iter().map(|&it| self.instance.resources[it].capacity[property]).sum();
        (capacity - self.free_of(set, property) + self.total(property)) as f64 / capacity as f64
    }
    fn factor(&self, set: &[usize]) -> f64 {
        self.properties().map(|property| self.utilisation(set, property)).product()
    }

    fn select_and_swap(
        &self,
        mut rest: Vec<usize>,
        effort: usize,
        rng: &mut Rng,
    ) -> (Vec<usize>, Vec<usize>) {
        let count = self.instance.request.resources;
        let mut chosen = Vec::new();
        for k in 0..count {
            let property = k % self.properties().len();
            let most = rest.iter().map(|&it| self.free(it, property)).max().unwrap();
            let best: Vec<usize> =
                (0..rest.len()).filter(|&place| self.free(rest[place], property) == most).collect();
            chosen.push(rest.swap_remove(best[rng.random_range(0..best.len())]));
        }
        let (mut c, mut m) = (1, 0);
        while !self.is_admissible(&chosen) && c <= count * effort && m < rest.len() {
            m += 1;
            let worst = self.properties().map(|it| self.utilisation(&chosen, it)).fold(0.0, f64::max);
            let violated: Vec<usize> =
                self.properties().filter(|&it| self.utilisation(&chosen, it) == worst).collect();
            let v = violated[rng.random_range(0..violated.len())];
            let mut sorted: Vec<usize> = rest.clone();
            sorted.sort_by_key(|&it| {
                let drawn = self.sample.iter().position(|&other| other == it);
                (std::cmp::Reverse(self.free(it, v)), drawn)
            });
            let entering = sorted[m - 1];
            let mut k = 0;
            let mut can_swap = false;
            while k < count && c <= count * effort && !can_swap {
                let drawn = rng.random_range(k..count);
                chosen.swap(k, drawn);
                let mut swapped = chosen.clone();
                swapped[k] = entering;
                can_swap = self
                    .properties()
                    .all(|it| self.free_of(&swapped, it) >= self.free_of(&chosen, it).min(self.total(it)));
                if can_swap {
                    let place = rest.iter().position(|&it| it == entering).unwrap();
                    rest[place] = chosen[k];
                    chosen = swapped;
                    m = 0;
                }
                k += 1;
                c += 1;
            }
        }
        (chosen, rest)
    }

    fn improve(&self, chosen: &mut [usize], rest: &mut [usize], effort: usize, rng: &mut Rng) {
        if rest.is_empty() {
            return;
        }
        for _ in 0..chosen.len() * effort {
            let (s, a) = (rng.random_range(0..chosen.len()), rng.random_range(0..rest.len()));
            let mut swapped = chosen.to_vec();
            swapped[s] = rest[a];
            if self.is_admissible(&swapped) && self.factor(&swapped) >= self.factor(chosen) {
                rest[a] = chosen[s];
                chosen.copy_from_slice(&swapped);
            }
        }
    }
}

fn answer(solution: &Solution) -> Answer {
    let resources = solution.allocation.reservations.iter().map(|it| it.resource).collect();
    (solution.allocation.start, resources, solution.factor_before, solution.factor)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(600)))]
    #[test]
    fn the_search_does_what_the_phases_say(
        instance: u64,
        seed: u64,
        effort in 0..8_usize,
        initial in 1..4_usize,
    ) {
        let parameters = Parameters {
            initial_multiple: initial,
            largest_multiple: 4,
            admission_effort: effort,
            improvement_effort: effort,
        };
        let instance = Instance::random(instance);
        let mut coallocator = Coallocator::new(parameters);
        let found = coallocator.search(&instance.grid(), &instance.request, Seed::new(seed));
        let mut twin = Twin { instance: &instance, parameters, sample: Vec::new() };
        let expected = twin.search(Seed::new(seed));
        prop_assert_eq!(coallocator.sample(), &twin.sample);
        prop_assert_eq!(found.as_ref().map(answer).map_err(|it| *it), expected);
    }

    /// State kept between repeated searches does not change their results.
    #[test]
    fn candidate_starts_give_the_same_answers(instance: u64, seed: u64) {
        let instance = Instance::random(instance);
        let (grid, all) = (instance.grid(), (0..instance.resources.len()).collect::<Vec<_>>());
        let mut starts = CandidateStarts::new(&grid, &instance.request, &all);
        let mut coallocator = Coallocator::new(Parameters::default());
        for number in 0..4 {
            let seed = Seed::new(seed).numbered(number);
            let expected = coallocator.search_among(&grid, &instance.request, &all, seed);
            prop_assert_eq!(coallocator.search_starts(&mut starts, seed), expected);
        }
    }
}
