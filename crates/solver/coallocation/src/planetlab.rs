//! Nodes and their use as section 4.2 describes them.
//!
//! The data of the experiments, 606 nodes of PlanetLab on one day, are not public. Their nodes are drawn here from what is
//! published of them (table 1). Of their use it is only published that it was measured every five minutes: how high it
//! is and how it changes are assumptions, to be varied.

use dfrsim_model::coallocation::{Request, Reservation, Resource, UNITS_PER_ONE};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Normal, StandardNormal};
use std::sync::LazyLock;

mod moments;

use moments::underlying;

/// A quantitative property as table 1 describes it: a normal distribution of which only a range occurs, and of that perhaps
/// only the whole numbers. Mean and deviation are those of what occurs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// Its name in files and tables.
    pub name: &'static str,
    /// The average over all nodes, in its unit.
    pub mean: f64,
    /// The standard deviation over all nodes.
    pub deviation: f64,
    /// The least that a node has.
    pub least: f64,
    /// The most that a node has.
    pub most: f64,
    /// Whether it only comes in whole numbers.
    pub is_whole: bool,
    /// Whether it is used as the processor is, or as memory.
    pub is_of_processor: bool,
}

/// Table 1.
pub const PROPERTIES: [Property; 3] = [
    Property {
        name: "cores",
        mean: 2.90,
        deviation: 1.51,
        least: 1.0,
        most: 8.0,
        is_whole: true,
        is_of_processor: true,
    },
    Property {
        name: "ghz",
        mean: 2.68,
        deviation: 0.36,
        least: 1.40,
        most: 3.60,
        is_whole: false,
        is_of_processor: true,
    },
    Property {
        name: "ram_gb",
        mean: 2.95,
        deviation: 0.84,
        least: 0.73,
        most: 7.71,
        is_whole: false,
        is_of_processor: false,
    },
];

/// Mean and deviation of the normal distributions of which the ranges have the moments of [`PROPERTIES`].
static UNDERLYING: LazyLock<[(f64, f64); 3]> =
    LazyLock::new(|| PROPERTIES.map(|property| underlying(&property)));

/// How many nodes table 1 is about.
pub const NODES: usize = 606;
/// How often use was measured.
pub const MEASURED: SimSpan = SimSpan::from_secs(300);

/// How nodes are used: each has a level of its own for its processor and for its memory, around which the use goes up and
/// down from one measurement to the next. All of it is assumed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The mean level of all nodes, from 0 to 0.5. At 0 all nodes are idle.
    pub mean: f64,
    /// How far levels differ, from 0 to 1: they are uniform between (1 - `spread`) and (1 + `spread`) times the mean.
    pub spread: f64,
    /// How many successive nodes are a site, which has one level.
    pub nodes_per_site: usize,
    /// The standard deviation of the use of a node around its level, before it is cut off at 0 and 1.
    pub deviation: f64,
    /// The correlation of two measurements of a node that follow each other, from 0 to 1.
    pub correlation: f64,
}

impl Default for Usage {
    /// Used at 0.3, each node at a level of its own from 0 to 0.6, give or take 0.1, with a correlation of 0.9: an hour later, a quarter of a deviation is left.
    fn default() -> Usage {
        Usage { mean: 0.3, spread: 1.0, nodes_per_site: 1, deviation: 0.1, correlation: 0.9 }
    }
}

impl Usage {
    /// Draws a level.
    fn level(&self, rng: &mut Rng) -> f64 {
        self.mean * (1.0 - self.spread) + 2.0 * self.mean * self.spread * rng.random::<f64>()
    }
}

/// Exchanges the GHz of nodes with each other such that nodes with more cores have more or, with a negative correlation, less; both
/// keep their distributions. `correlation`, from -1 to 1, is that of two normal variables whose ranks cores and GHz get.
pub fn correlate_cores_and_ghz(nodes: &mut [Resource], correlation: f64, seed: Seed) {
    let mut rng = seed.fork("correlation").rng();
    let drawn: Vec<[f64; 2]> = nodes
        .iter()
        .map(|_| {
            let (one, other): (f64, f64) = (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
            [one, correlation * one + (1.0 - correlation * correlation).sqrt() * other]
        })
        .collect();
    let ranked = |by: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|&a, &b| by(a).total_cmp(&by(b)));
        order
    };
    // The node of a rank among the cores gets the GHz of the rank that belongs to it.
    let of_cores = ranked(&|node| nodes[node].capacity[0] as f64);
    let of_ghz = ranked(&|node| nodes[node].capacity[1] as f64);
    let (first, second) = (ranked(&|draw| drawn[draw][0]), ranked(&|draw| drawn[draw][1]));
    let mut rank_of_ghz = vec![0; nodes.len()];
    second.iter().enumerate().for_each(|(rank, &draw)| rank_of_ghz[draw] = rank);
    let ghz: Vec<u64> = of_ghz.iter().map(|&node| nodes[node].capacity[1]).collect();
    for (node, draw) in of_cores.into_iter().zip(first) {
        nodes[node].capacity[1] = ghz[rank_of_ghz[draw]];
    }
}

/// Nodes with the properties of [`PROPERTIES`] and no labels.
pub fn nodes(count: usize, seed: Seed) -> Vec<Resource> {
    let node = |number| {
        let mut rng = seed.fork("node").numbered(number as u64).rng();
        let draw = |(property, normal): (&Property, &(f64, f64))| property.draw(*normal, &mut rng);
        let capacity = PROPERTIES.iter().zip(&*UNDERLYING).map(draw).collect();
        Resource { capacity, labels: [].into() }
    };
    (0..count).map(node).collect()
}

impl Property {
    /// An amount in millionths of a normal distribution with this mean and deviation: values outside the range are drawn
    /// again.
    fn draw(&self, (mean, deviation): (f64, f64), rng: &mut Rng) -> u64 {
        let normal = Normal::new(mean, deviation).expect("deviations are finite");
        loop {
            let drawn: f64 = normal.sample(rng);
            let value = if self.is_whole { drawn.round() } else { drawn };
            if (self.least..=self.most).contains(&value) {
                return (value * UNITS_PER_ONE as f64).round() as u64;
            }
        }
    }
}

/// What is used of these nodes from the origin of time for as long as `span`, as reservations of five minutes. Of nodes
/// with other properties than [`PROPERTIES`], all are used as a processor is.
pub fn usage(resources: &[Resource], usage: &Usage, span: SimSpan, seed: Seed) -> Vec<Reservation> {
    let slots = span.micros().div_ceil(MEASURED.micros());
    let mut reserved = Vec::new();
    for (resource, node) in resources.iter().enumerate() {
        let mut rng = seed.fork("usage").numbered(resource as u64).rng();
        let mut processor = Autoregression::new(usage, &mut rng);
        let mut memory = Autoregression::new(usage, &mut rng);
        if usage.nodes_per_site > 1 {
            let mut site = seed.fork("site").numbered((resource / usage.nodes_per_site) as u64).rng();
            (processor.level, memory.level) = (usage.level(&mut site), usage.level(&mut site));
        }
        for slot in 0..slots {
            let from = SimTime::from_micros(slot * MEASURED.micros());
            let (processor, memory) = (processor.next(&mut rng), memory.next(&mut rng));
            let amount = |(property, &capacity): (usize, &u64)| {
                let is_of_processor = PROPERTIES.get(property).is_none_or(|it| it.is_of_processor);
                (capacity as f64 * if is_of_processor { processor } else { memory }) as u64
            };
            let amounts = node.capacity.iter().enumerate().map(amount).collect();
            reserved.push(Reservation { resource, from, until: from + MEASURED, amounts });
        }
    }
    reserved
}

/// The use of one thing over time: an autoregressive process of order 1.
struct Autoregression {
    usage: Usage,
    level: f64,
    /// How far the use is from its level, in deviations.
    away: f64,
}

impl Autoregression {
    fn new(usage: &Usage, rng: &mut Rng) -> Autoregression {
        let level = usage.level(rng);
        Autoregression { usage: *usage, level, away: StandardNormal.sample(rng) }
    }
    /// The next measurement, from 0 to 1.
    fn next(&mut self, rng: &mut Rng) -> f64 {
        let Usage { mean, deviation, correlation, .. } = self.usage;
        if mean == 0.0 {
            return 0.0;
        }
        let used = (self.level + deviation * self.away).clamp(0.0, 1.0);
        let fresh: f64 = StandardNormal.sample(rng);
        self.away = correlation * self.away + (1.0 - correlation * correlation).sqrt() * fresh;
        used
    }
}

/// The durations of requests, in seconds: 10 and 30 minutes, 1, 2, 3 and 5 hours.
pub const DURATIONS: [u64; 6] = [600, 1_800, 3_600, 7_200, 10_800, 18_000];
/// How many resources are asked for.
pub const SIZES: [usize; 6] = [2, 5, 10, 15, 30, 60];

/// The mean and the standard deviation of each property over all nodes, in millionths.
pub fn statistics(resources: &[Resource]) -> Vec<(f64, f64)> {
    let properties = resources.first().map_or(0, |resource| resource.capacity.len());
    let count = resources.len() as f64;
    let of = |property: usize| {
        let amounts = || resources.iter().map(move |it| it.capacity[property] as f64);
        let mean = amounts().sum::<f64>() / count;
        (mean, (amounts().map(|amount| (amount - mean).powi(2)).sum::<f64>() / count).sqrt())
    };
    (0..properties).map(of).collect()
}

/// A request for this many resources, without a window: what it takes, and for how long (section 4.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// For how long.
    pub duration: SimSpan,
    /// How many resources (N).
    pub resources: usize,
    /// Half of what each would give if all gave the same: `d_i / 2N`, in millionths, at least one.
    pub half: Box<[u64]>,
}

/// How the minima of a demand follow from its totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Each resource gives its full part of the total.
    Simple,
    /// Each resource gives at least half of its part.
    Collective,
}

impl Demand {
    /// A demand for `resources` of nodes with these [`statistics`]: each total uniform from N times the mean less two
    /// deviations to N times the mean and half a deviation (4). Totals of 0 or less become a millionth.
    pub fn draw(resources: usize, statistics: &[(f64, f64)], rng: &mut Rng) -> Demand {
        let duration = SimSpan::from_secs(DURATIONS[rng.random_range(0..DURATIONS.len())]);
        let half = |&(mean, deviation): &(f64, f64)| {
            let part = mean + deviation * (2.5 * rng.random::<f64>() - 2.0);
            (part / 2.0).max(1.0) as u64
        };
        let half = statistics.iter().map(half).collect();
        Demand { duration, resources, half }
    }

    /// The request of this kind with a window for its start.
    pub fn request(&self, kind: Kind, earliest: SimTime, latest: SimTime) -> Request {
        let part = |half: &u64| if kind == Kind::Simple { 2 * half } else { *half };
        Request {
            duration: self.duration,
            resources: self.resources,
            earliest,
            latest,
            minimum: self.half.iter().map(part).collect(),
            total: self.half.iter().map(|half| 2 * half * self.resources as u64).collect(),
            step: vec![1; self.half.len()].into(),
            labels: [].into(),
        }
    }
}

/// A test case of section 4.2: a demand and a window of the day, from an earliest start up to 5 h 50 min to a latest end
/// from 18 h 10 min on.
pub fn test_case(resources: usize, statistics: &[(f64, f64)], rng: &mut Rng) -> (Demand, SimTime, SimTime) {
    let demand = Demand::draw(resources, statistics, rng);
    let earliest = SimTime::from_secs(rng.random_range(0..=21_000));
    let end = rng.random_range(65_400..=86_400_u64);
    let latest = SimTime::from_micros(SimTime::from_secs(end).micros() - demand.duration.micros());
    (demand, earliest, latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_0_is_no_use() {
        let nodes = nodes(5, Seed::new(3));
        let none = Usage { mean: 0.0, ..Usage::default() };
        let span = SimSpan::from_secs(3_600);
        assert!(
            usage(&nodes, &none, span, Seed::new(4)).iter().all(|it| it.amounts.iter().all(|&it| it == 0))
        );
        let some = usage(&nodes, &Usage { mean: 0.1, ..none }, span, Seed::new(4));
        assert!(some.iter().any(|it| it.amounts.iter().any(|&it| it > 0)));
    }

    /// The levels of a site are one, and with no spread all nodes have the mean.
    #[test]
    fn levels_have_a_spread_and_sites() {
        let nodes = nodes(6, Seed::new(3));
        let steady = Usage { mean: 0.25, deviation: 0.0, ..Usage::default() };
        let parts = |usage_of: Usage| -> Vec<f64> {
            let used = usage(&nodes, &usage_of, MEASURED, Seed::new(4));
            used.iter().map(|it| it.amounts[0] as f64 / nodes[it.resource].capacity[0] as f64).collect()
        };
        assert!(parts(Usage { spread: 0.0, ..steady }).iter().all(|part| (part - 0.25).abs() < 1e-5));
        let sites = parts(Usage { nodes_per_site: 3, ..steady });
        let is_one = |one: f64, other: f64| (one - other).abs() < 1e-5;
        assert!(is_one(sites[0], sites[2]) && is_one(sites[3], sites[5]) && !is_one(sites[0], sites[3]));
    }

    #[test]
    fn cores_and_ghz_are_correlated_and_keep_their_distributions() {
        let independent = nodes(20_000, Seed::new(1));
        let sorted = |nodes: &[Resource], property: usize| {
            let mut amounts: Vec<u64> = nodes.iter().map(|it| it.capacity[property]).collect();
            amounts.sort_unstable();
            amounts
        };
        let correlation = |nodes: &[Resource]| {
            let [cores, ghz] = [0, 1].map(|property| statistics(nodes)[property]);
            let away = |it: &Resource| {
                (it.capacity[0] as f64 - cores.0) * (it.capacity[1] as f64 - ghz.0) / (cores.1 * ghz.1)
            };
            nodes.iter().map(away).sum::<f64>() / nodes.len() as f64
        };
        for wanted in [-0.6, 0.0, 0.6] {
            let mut nodes = independent.clone();
            correlate_cores_and_ghz(&mut nodes, wanted, Seed::new(2));
            assert!((0..3).all(|property| sorted(&nodes, property) == sorted(&independent, property)));
            // Whole cores, which are ties in the ranks, take a little away.
            assert!((correlation(&nodes) - wanted).abs() < 0.06, "{wanted}: {}", correlation(&nodes));
        }
    }

    /// Of 100,000 nodes the moments are known to about half a percent.
    #[test]
    fn drawn_nodes_have_the_published_moments() {
        for ((mean, deviation), property) in
            statistics(&nodes(100_000, Seed::new(1))).into_iter().zip(PROPERTIES)
        {
            let unit = UNITS_PER_ONE as f64;
            assert!((mean / unit - property.mean).abs() < 0.02, "{}: {mean}", property.name);
            assert!((deviation / unit - property.deviation).abs() < 0.02, "{}: {deviation}", property.name);
        }
    }
}
