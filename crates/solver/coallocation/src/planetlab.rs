//! Synthetic nodes with their usage, as section 4.2 describes them.
//!
//! The data of the experiments, 606 nodes of PlanetLab on one day, are not public. The nodes are
//! drawn here from the published statistics (table 1). Of the usage it is only published that it was
//! measured every five minutes; its level and its variation are assumptions, which studies should
//! vary.

use dfrsim_model::coallocation::{Request, Reservation, Resource, UNITS_PER_ONE};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Normal, StandardNormal};
use std::sync::LazyLock;

mod moments;

use moments::fit_normal;

/// A quantitative property as in table 1: a normal distribution truncated to a range and, for some
/// properties, rounded to integers. Mean and deviation are those after truncation and rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// Name in files and tables.
    pub name: &'static str,
    /// Mean over all nodes, in the unit of the property.
    pub mean: f64,
    /// Standard deviation over all nodes.
    pub deviation: f64,
    /// Smallest value of a node.
    pub least: f64,
    /// Largest value of a node.
    pub most: f64,
    /// True if values are integers.
    pub is_integer: bool,
    /// True if the usage follows that of the processor, false if it follows that of memory.
    pub is_of_processor: bool,
}

/// Properties of table 1.
pub const PROPERTIES: [Property; 3] = [
    Property {
        name: "cores",
        mean: 2.90,
        deviation: 1.51,
        least: 1.0,
        most: 8.0,
        is_integer: true,
        is_of_processor: true,
    },
    Property {
        name: "ghz",
        mean: 2.68,
        deviation: 0.36,
        least: 1.40,
        most: 3.60,
        is_integer: false,
        is_of_processor: true,
    },
    Property {
        name: "ram_gb",
        mean: 2.95,
        deviation: 0.84,
        least: 0.73,
        most: 7.71,
        is_integer: false,
        is_of_processor: false,
    },
];

/// Mean and deviation of the normal distributions that have the moments of [`PROPERTIES`] after
/// truncation.
static UNDERLYING: LazyLock<[(f64, f64); 3]> =
    LazyLock::new(|| PROPERTIES.map(|property| fit_normal(&property)));

/// Number of nodes in table 1.
pub const NODES: usize = 606;
/// Interval between usage measurements.
pub const MEASUREMENT_INTERVAL: SimSpan = SimSpan::from_secs(300);

/// Usage model: each node has a level for its processor and one for its memory, and the usage varies
/// around it from one measurement to the next. All of it is assumed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Mean level of all nodes, from 0 to 0.5. At 0 all nodes are idle.
    pub mean: f64,
    /// Relative spread of levels, from 0 to 1: they are uniform between (1 - `spread`) and (1 +
    /// `spread`) times the mean.
    pub spread: f64,
    /// Number of consecutive nodes that form a site and share their levels.
    pub nodes_per_site: usize,
    /// Standard deviation of the usage of a node around its level, before clamping to [0, 1].
    pub deviation: f64,
    /// Correlation of consecutive measurements of a node, from 0 to 1.
    pub correlation: f64,
    /// Mean levels of single properties, in the order of [`PROPERTIES`], where they differ from
    /// `mean`. A property with level 0 is never used.
    pub of_properties: [Option<f64>; 3],
}

impl Default for Usage {
    /// Returns a usage of 0.3 on average: each node has its own levels between 0 and 0.6, and a
    /// deviation of 0.1. The correlation of 0.9 leaves about a quarter of a deviation after an hour.
    fn default() -> Usage {
        Usage {
            mean: 0.3,
            spread: 1.0,
            nodes_per_site: 1,
            deviation: 0.1,
            correlation: 0.9,
            of_properties: [None; 3],
        }
    }
}

impl Usage {
    /// Returns the mean usage of a property.
    fn mean_of(&self, property: usize) -> f64 {
        self.of_properties.get(property).copied().flatten().unwrap_or(self.mean)
    }
    /// Computes the usage of a node with this place, from 0 to 1, between the lowest and the highest
    /// usage of a property with this mean.
    fn level(&self, mean: f64, place: f64) -> f64 {
        mean * (1.0 - self.spread) + 2.0 * mean * self.spread * place
    }
}

/// Label of nodes that a request can ask for, and the properties of nodes that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidates {
    /// Name of the label.
    pub label: String,
    /// Numbers of cores of the nodes with the label.
    pub cores: Vec<u64>,
    /// Lowest and highest GHz of the nodes with the label.
    pub ghz: [f64; 2],
}

impl Candidates {
    /// Gives each node a label: that of the candidates if its cores and GHz are among theirs, and an
    /// empty one otherwise. Returns the number of candidates.
    pub fn mark(&self, nodes: &mut [Resource]) -> usize {
        let ghz = self.ghz.map(|it| (it * UNITS_PER_ONE as f64).round() as u64);
        let is_one = |node: &Resource| {
            self.cores.iter().any(|cores| node.capacity[0] == cores * UNITS_PER_ONE)
                && (ghz[0]..=ghz[1]).contains(&node.capacity[1])
        };
        for node in &mut *nodes {
            let label = if is_one(node) { self.label.clone() } else { String::new() };
            node.labels = [label].into();
        }
        nodes.iter().filter(|node| !node.labels[0].is_empty()).count()
    }
}

/// Permutes the GHz of nodes so that nodes with more cores have more GHz or, for a negative
/// correlation, less. Both marginal distributions are unchanged. `correlation`, from -1 to 1, is
/// that of two normal variables that determine the ranks of cores and GHz.
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
    // The node with a given rank among the cores gets the GHz of the corresponding rank.
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

/// Generates nodes with the properties of [`PROPERTIES`] and no labels.
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
    /// Draws an amount, in millionths, from a normal distribution with this mean and deviation;
    /// values outside of the range are rejected.
    fn draw(&self, (mean, deviation): (f64, f64), rng: &mut Rng) -> u64 {
        let normal = Normal::new(mean, deviation).expect("deviations are finite");
        loop {
            let drawn: f64 = normal.sample(rng);
            let value = if self.is_integer { drawn.round() } else { drawn };
            if (self.least..=self.most).contains(&value) {
                return (value * UNITS_PER_ONE as f64).round() as u64;
            }
        }
    }
}

/// Generates the usage of nodes from time 0 for `span`, as reservations of five minutes each.
/// Properties other than those in [`PROPERTIES`] are used like the processor.
pub fn usage(resources: &[Resource], usage: &Usage, span: SimSpan, seed: Seed) -> Vec<Reservation> {
    let slots = span.micros().div_ceil(MEASUREMENT_INTERVAL.micros());
    let mut reserved = Vec::new();
    for (resource, node) in resources.iter().enumerate() {
        let mut rng = seed.fork("usage").numbered(resource as u64).rng();
        let mut processor = Autoregression::new(usage, &mut rng);
        let mut memory = Autoregression::new(usage, &mut rng);
        if usage.nodes_per_site > 1 {
            let mut site = seed.fork("site").numbered((resource / usage.nodes_per_site) as u64).rng();
            (processor.place, memory.place) = (site.random::<f64>(), site.random::<f64>());
        }
        for slot in 0..slots {
            let from = SimTime::from_micros(slot * MEASUREMENT_INTERVAL.micros());
            let amount = |(property, &capacity): (usize, &u64)| {
                let is_of_processor = PROPERTIES.get(property).is_none_or(|it| it.is_of_processor);
                let process = if is_of_processor { &processor } else { &memory };
                (capacity as f64 * process.used(usage.mean_of(property))) as u64
            };
            let amounts = node.capacity.iter().enumerate().map(amount).collect();
            processor.advance(&mut rng);
            memory.advance(&mut rng);
            reserved.push(Reservation { resource, from, until: from + MEASUREMENT_INTERVAL, amounts });
        }
    }
    reserved
}

/// Usage of one resource over time: an autoregressive process of order 1.
struct Autoregression {
    usage: Usage,
    /// Place of the level between the lowest and the highest one, from 0 to 1.
    place: f64,
    /// Current distance of the usage from its level, in deviations.
    away: f64,
}

impl Autoregression {
    fn new(usage: &Usage, rng: &mut Rng) -> Autoregression {
        let place = rng.random::<f64>();
        Autoregression { usage: *usage, place, away: StandardNormal.sample(rng) }
    }
    /// Returns the current measurement of a property with this mean level, from 0 to 1.
    fn used(&self, mean: f64) -> f64 {
        if mean == 0.0 {
            return 0.0;
        }
        (self.usage.level(mean, self.place) + self.usage.deviation * self.away).clamp(0.0, 1.0)
    }
    /// Advances to the next measurement.
    fn advance(&mut self, rng: &mut Rng) {
        let correlation = self.usage.correlation;
        let fresh: f64 = StandardNormal.sample(rng);
        self.away = correlation * self.away + (1.0 - correlation * correlation).sqrt() * fresh;
    }
}

/// Durations of requests, in seconds: 10 and 30 minutes, 1, 2, 3 and 5 hours.
pub const DURATIONS: [u64; 6] = [600, 1_800, 3_600, 7_200, 10_800, 18_000];
/// Numbers of resources in requests.
pub const SIZES: [usize; 6] = [2, 5, 10, 15, 30, 60];

/// Computes the mean and the standard deviation of each property over all nodes, in millionths.
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

/// Amounts and duration of a request, without a window for its start (section 4.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Duration of the job.
    pub duration: SimSpan,
    /// Number of resources (N).
    pub resources: usize,
    /// Half of an equal share of each total, `d_i / 2N`, in millionths; at least 1.
    pub half_share: Box<[u64]>,
    /// Requested label by qualitative property; by default none.
    pub labels: Box<[Option<String>]>,
}

/// Rules that derive the minima of a demand from its totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Simple: each resource gives its equal share of the total.
    Simple,
    /// Collective: each resource gives at least half of its equal share.
    Collective,
}

impl Demand {
    /// Draws a demand for `resources` nodes with these [`statistics`]. Each total is uniform between
    /// N times (mean - 2 deviations) and N times (mean + 0.5 deviations) (4). Totals below the
    /// smallest possible value are raised to it.
    pub fn draw(resources: usize, statistics: &[(f64, f64)], rng: &mut Rng) -> Demand {
        let duration = SimSpan::from_secs(DURATIONS[rng.random_range(0..DURATIONS.len())]);
        let half = |&(mean, deviation): &(f64, f64)| {
            let part = mean + deviation * (2.5 * rng.random::<f64>() - 2.0);
            (part / 2.0).max(1.0) as u64
        };
        let half_share = statistics.iter().map(half).collect();
        Demand { duration, resources, half_share, labels: [].into() }
    }

    /// Creates the request of this kind with a window for its start.
    pub fn request(&self, kind: Kind, earliest: SimTime, latest: SimTime) -> Request {
        let part = |half: &u64| if kind == Kind::Simple { 2 * half } else { *half };
        Request {
            duration: self.duration,
            resources: self.resources,
            earliest,
            latest,
            minimum: self.half_share.iter().map(part).collect(),
            total: self.half_share.iter().map(|half| 2 * half * self.resources as u64).collect(),
            step: vec![1; self.half_share.len()].into(),
            labels: self.labels.clone(),
        }
    }
}

/// Draws a test case of section 4.2: a demand, an earliest start between 0:00 and 5:50, and a latest
/// start such that the job ends between 18:10 and 24:00.
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

    /// GHz that are not used leave cores and memory as they are, so that each property has its own
    /// level.
    #[test]
    fn properties_have_their_own_levels() {
        let nodes = nodes(300, Seed::new(3));
        let span = SimSpan::from_secs(3_600);
        let all = Usage { mean: 0.1, spread: 0.5, ..Usage::default() };
        let own = Usage { of_properties: [None, Some(0.0), Some(0.05)], ..all };
        let [all, own] = [all, own].map(|it| usage(&nodes, &it, span, Seed::new(4)));
        let mut memory = [0.0; 2];
        for (one, other) in all.iter().zip(&own) {
            assert_eq!((one.amounts[0], 0), (other.amounts[0], other.amounts[1]));
            let capacity = nodes[one.resource].capacity[2] as f64;
            [one, other]
                .iter()
                .zip(&mut memory)
                .for_each(|(it, sum)| *sum += it.amounts[2] as f64 / capacity);
        }
        let [all, own] = memory.map(|sum| sum / own.len() as f64);
        // The deviation of 0.1 is cut off at 0, which raises means near it.
        assert!((0.09..0.12).contains(&all) && (0.05..0.08).contains(&own), "{all}, {own}");
    }

    #[test]
    fn candidates_are_marked_by_their_properties() {
        let mut nodes = nodes(2_000, Seed::new(3));
        let opterons = Candidates { label: "AMD Opteron".to_owned(), cores: vec![2, 4], ghz: [2.0, 2.8] };
        let marked = opterons.mark(&mut nodes);
        assert!((300..700).contains(&marked), "{marked}");
        for node in &nodes {
            let [cores, ghz] = [0, 1].map(|it| node.capacity[it] as f64 / UNITS_PER_ONE as f64);
            let is_one = (cores == 2.0 || cores == 4.0) && (2.0..=2.8).contains(&ghz);
            assert_eq!(node.labels[0] == "AMD Opteron", is_one, "{node:?}");
        }
        // A request for the label takes no other node.
        let labels = [Some("AMD Opteron".to_owned())].into();
        let mut rng = Seed::new(1).rng();
        let demand = Demand { labels, ..Demand::draw(2, &[(1.0, 0.0); 3], &mut rng) };
        let request = demand.request(Kind::Simple, SimTime::ZERO, SimTime::ZERO);
        assert_eq!(nodes.iter().filter(|node| request.accepts(node)).count(), marked);
    }

    /// All nodes of a site share their levels, and without spread all levels equal the mean.
    #[test]
    fn levels_have_a_spread_and_sites() {
        let nodes = nodes(6, Seed::new(3));
        let steady = Usage { mean: 0.25, deviation: 0.0, ..Usage::default() };
        let parts = |usage_of: Usage| -> Vec<f64> {
            let used = usage(&nodes, &usage_of, MEASUREMENT_INTERVAL, Seed::new(4));
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
            // Numbers of cores are integers; their ties reduce the rank correlation slightly.
            assert!((correlation(&nodes) - wanted).abs() < 0.06, "{wanted}: {}", correlation(&nodes));
        }
    }

    /// Moments over 100,000 nodes are accurate to about half a percent.
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
