//! Random failures.

use crate::platform::{NodeSpan, Outage, TimeDistribution};
use crate::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use std::fmt;

/// Failure model: each node fails independently, and may take down the rack that it is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureModel {
    /// Time from the start or a repair to the next failure of a node.
    pub between: TimeDistribution,
    /// Duration of a repair.
    pub repair: TimeDistribution,
    /// Racks, if failures may take them down.
    pub rack: Option<Rack>,
}

/// Groups of nodes that fail together: nodes 0 to `nodes` - 1 are the first rack, and so on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rack {
    /// Number of nodes of a rack; at least one.
    pub nodes: u32,
    /// Probability that the failure of a node takes down the whole rack for the duration of its
    /// repair.
    pub probability: f64,
}

crate::parses!(Rack, "invalid racks `{text}`; expected NODES:PROBABILITY such as 16:0.1", |text| {
    let (nodes, probability) = text.split_once(':')?;
    let (nodes, probability) = (nodes.parse().ok()?, probability.parse().ok()?);
    (nodes > 0 && (0.0..=1.0).contains(&probability)).then_some(Rack { nodes, probability })
});

impl fmt::Display for Rack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.nodes, self.probability)
    }
}

/// Draws the outages, as (start, end), of one component that alternates between operation and
/// repair, from time 0 on. Outages begin before `until`. Both kinds of times are drawn alternately
/// from one stream.
pub fn alternating_outages(
    mut between: impl FnMut(&mut Rng) -> SimSpan,
    mut repair: impl FnMut(&mut Rng) -> SimSpan,
    until: SimTime,
    rng: &mut Rng,
) -> impl Iterator<Item = (SimTime, SimTime)> {
    let mut works_from = SimTime::ZERO;
    std::iter::from_fn(move || {
        let from = works_from.saturating_add(between(rng));
        (from < until).then(|| {
            works_from = from.saturating_add(repair(rng));
            (from, works_from)
        })
    })
}

impl FailureModel {
    /// Draws the failures of a cluster that begin before `until`, ordered by start. Each node has
    /// its own stream, so that a larger cluster includes the failures of a smaller one, and a longer
    /// time those of a shorter one.
    ///
    /// A node that is down with its rack may also fail itself; it is up after both repairs.
    pub fn draw(&self, nodes: u32, until: SimTime, seed: Seed) -> Vec<Outage> {
        let mut failures = Vec::new();
        for node in 0..nodes {
            let of_node = seed.fork("failures").numbered(node.into());
            let mut racks = of_node.fork("rack").rng();
            let [between, repair] =
                [self.between, self.repair].map(|times| move |rng: &mut Rng| times.draw(rng));
            for (from, until) in alternating_outages(between, repair, until, &mut of_node.rng()) {
                let alone = NodeSpan { first: node, nodes: 1 };
                let drawn: f64 = racks.random();
                let rack = self.rack.filter(|rack| drawn < rack.probability);
                let nodes = rack.map_or(alone, |rack| {
                    let first = node - node % rack.nodes;
                    NodeSpan { first, nodes: rack.nodes.min(nodes - first) }
                });
                failures.push(Outage { from, until, nodes });
            }
        }
        failures.sort_unstable();
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(rack: Option<Rack>) -> FailureModel {
        FailureModel {
            between: "exponential:1000".parse().unwrap(),
            repair: "fixed:50".parse().unwrap(),
            rack,
        }
    }

    /// A longer time and a larger cluster include the failures of the shorter time and the smaller
    /// cluster.
    #[test]
    fn streams_do_not_shift() {
        let (seed, second) = (Seed::new(3), SimTime::from_secs);
        let small = model(None).draw(4, second(10_000), seed);
        let large = model(None).draw(8, second(20_000), seed);
        let kept: Vec<Outage> = large
            .into_iter()
            .filter(|outage| outage.nodes.first < 4 && outage.from < second(10_000))
            .collect();
        assert_eq!(small, kept);
        assert!(small.len() > 20 && small != model(None).draw(4, second(10_000), Seed::new(4)));
    }

    /// A third of the failures take down the rack of their node, and the last rack ends with the
    /// cluster.
    #[test]
    fn failures_take_racks_with_their_probability() {
        let rack: Rack = "4:0.333".parse().unwrap();
        let (seed, until) = (Seed::new(3), SimTime::from_secs(1_000_000));
        let failures = model(Some(rack)).draw(6, until, seed);
        let whole = failures.iter().filter(|failure| failure.nodes.nodes > 1).count();
        let part = whole as f64 / failures.len() as f64;
        assert!((part - 0.333).abs() < 0.02, "{part}");
        for failure in &failures {
            let NodeSpan { first, nodes } = failure.nodes;
            assert!(nodes == 1 || (first, nodes) == (0, 4) || (first, nodes) == (4, 2), "{failure:?}");
        }
        let mut alone = model(None).draw(6, until, seed);
        let mut times: Vec<_> = failures.iter().map(|it| (it.from, it.until)).collect();
        alone.sort_unstable();
        times.sort_unstable();
        assert_eq!(times, alone.iter().map(|it| (it.from, it.until)).collect::<Vec<_>>());
    }

    #[test]
    fn racks_print_as_they_parse() {
        assert_eq!("16:0.25".parse::<Rack>().unwrap().to_string(), "16:0.25");
        for text in ["", "16", "0:0.5", "16:1.5", "16:nan", "x:0"] {
            assert!(text.parse::<Rack>().is_err(), "{text}");
        }
    }
}
