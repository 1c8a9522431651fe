//! Weighted max-min shares by progressive filling in exact fractions.

use super::mapping::Mapping;
use dfrsim_model::Share;
use std::cmp::Ordering;

/// A nonnegative fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    part: u128,
    whole: u128,
}

impl Fraction {
    fn new(part: u128, whole: u128) -> Fraction {
        let (mut a, mut b) = (part, whole);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Fraction { part: part / a, whole: whole / a }
    }
    fn plus(self, other: Fraction) -> Fraction {
        Fraction::new(self.part * other.whole + other.part * self.whole, self.whole * other.whole)
    }
    fn times(self, other: Fraction) -> Fraction {
        Fraction::new(self.part * other.part, self.whole * other.whole)
    }
    /// Returns the fraction in units of 1 / `units`, rounded down.
    pub(crate) fn rounded_down(self, units: u128) -> u128 {
        self.part * units / self.whole
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        (self.part * other.whole).cmp(&(other.part * self.whole))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Fills in rounds: each finds the lowest level at which a job reaches yield 1 or a node is full,
/// and stops the jobs concerned.
pub(crate) fn filled(mapping: &Mapping, weights: &[u32]) -> Vec<Fraction> {
    let count = mapping.jobs.len();
    let mut stopped: Vec<Option<Fraction>> = vec![None; count];
    let load = |job: usize, node: u32| {
        Fraction::new(mapping.load_units(job, node).into(), Share::ONE.units().into())
    };
    let (zero, one) = (Fraction::new(0, 1), Fraction::new(1, 1));
    loop {
        let rising = |job: &usize| stopped[*job].is_none();
        // A level at which a node is full, or a job has all of its need.
        let full = (0..mapping.nodes).filter_map(|node| {
            let used = (0..count).filter_map(|job| Some(load(job, node).times(stopped[job]?)));
            let used = used.fold(zero, Fraction::plus);
            let speed = (0..count).filter(rising).fold(zero, |sum, job| {
                sum.plus(load(job, node).times(Fraction::new(weights[job].into(), 1)))
            });
            let free = Fraction::new(used.whole - used.part, used.whole);
            (speed.part > 0).then(|| (free.times(Fraction::new(speed.whole, speed.part)), Err(node)))
        });
        let whole = (0..count).filter(rising).map(|job| (Fraction::new(1, weights[job].into()), Ok(job)));
        let Some((level, who)) = full.chain(whole).min_by_key(|&(level, _)| level) else {
            return stopped.into_iter().map(|at| at.expect("all have stopped")).collect();
        };
        match who {
            Ok(job) => stopped[job] = Some(one),
            Err(node) => {
                for job in (0..count).filter(|&job| mapping.load_units(job, node) > 0) {
                    let at = level.times(Fraction::new(weights[job].into(), 1));
                    stopped[job].get_or_insert(at);
                }
            }
        }
    }
}
