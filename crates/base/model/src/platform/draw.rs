//! Failures that are drawn.

use crate::platform::{NodeSpan, Outage, Times};
use crate::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use std::fmt;

/// How nodes fail, each by itself, and with it perhaps the rack that it is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureModel {
    /// How long a node works from the begin or a repair to its next failure.
    pub between: Times,
    /// How long a repair takes.
    pub repair: Times,
    /// Racks, if failures may take them down.
    pub rack: Option<Rack>,
}

/// Nodes that fail together: numbers 0 to `nodes` - 1 are the first rack, and so on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rack {
    /// The nodes of a rack; at least one.
    pub nodes: u32,
    /// With which probability the failure of a node takes the whole rack down, for the same time.
    pub probability: f64,
}

crate::parses!(Rack, "`{text}` describes no racks; expected NODES:PROBABILITY, as 16:0.1", |text| {
    let (nodes, probability) = text.split_once(':')?;
    let (nodes, probability) = (nodes.parse().ok()?, probability.parse().ok()?);
    (nodes > 0 && (0.0..=1.0).contains(&probability)).then_some(Rack { nodes, probability })
});

impl fmt::Display for Rack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.nodes, self.probability)
    }
}

/// The outages of one thing that works and is repaired in turn, from time 0 on, that begin before a moment: from when until when. Both
/// kinds of times are drawn from the same stream, in turn.
pub fn alternating(
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
    /// The failures of a cluster of this many nodes that begin before a moment, by begin. Each node has a stream of its own, so
    /// that a larger cluster has the failures of a smaller one, and a longer time those of a shorter one.
    ///
    /// A node that is down since its rack failed may fail of its own as well; it is up when both are repaired.
    pub fn draw(&self, nodes: u32, until: SimTime, seed: Seed) -> Vec<Outage> {
        let mut failures = Vec::new();
        for node in 0..nodes {
            let of_node = seed.fork("failures").numbered(node.into());
            let mut racks = of_node.fork("rack").rng();
            let [between, repair] =
                [self.between, self.repair].map(|times| move |rng: &mut Rng| times.draw(rng));
            for (from, until) in alternating(between, repair, until, &mut of_node.rng()) {
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

    /// A longer time and a larger cluster have the failures of the shorter and the smaller one.
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

    /// A third of the failures take the rack of their node, and the last rack ends with the cluster.
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
