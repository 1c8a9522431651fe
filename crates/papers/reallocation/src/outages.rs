//! Outages of clusters.

use crate::engine::Outage;
use crate::scenario::{ClusterFields, FailureFields};
use dfrsim_model::platform::alternating_outages;
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;

/// Returns the outages of the clusters of a workload: given ones, and random ones that begin within
/// its length.
pub(crate) fn outages(clusters: &[&ClusterFields], length: SimSpan, seed: Seed) -> Vec<Outage> {
    let mut outages = Vec::new();
    for (cluster, fields) in clusters.iter().enumerate() {
        let outage = |from, until| Outage { cluster, from, until };
        let given = |span: SimSpan| SimTime::ZERO + span;
        outages.extend(fields.outages.iter().map(|it| outage(given(it.from_s), given(it.until_s))));
        let Some(FailureFields { mean_up_s, mean_down_s }) = fields.failures else { continue };
        let mut rng = seed.fork("failures").fork(&fields.name).rng();
        let [up, down] = [mean_up_s, mean_down_s].map(|mean_s| {
            move |rng: &mut Rng| {
                let micros = -mean_s * 1e6 * (1.0 - rng.random::<f64>()).ln();
                SimSpan::from_micros(1 + micros as u64)
            }
        });
        let drawn = alternating_outages(up, down, SimTime::ZERO + length, &mut rng);
        outages.extend(drawn.map(|(from, until)| outage(from, until)));
    }
    outages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Speed;
    use crate::scenario::OutageFields;
    use dfrsim_lab::NodeKinds;

    fn cluster(name: &str) -> ClusterFields {
        ClusterFields {
            name: name.to_owned(),
            cores: 1,
            local: None,
            outages: Vec::new(),
            failures: None,
            kinds: NodeKinds::default(),
            node_outages: None,
            priorities: None,
            speed: Speed::ONE,
        }
    }

    /// Checks that a cluster that works for 3,000 s and fails for 1,000 s on average is down for a
    /// quarter of the time, and that another one fails at other times, independently of the first.
    #[test]
    fn failures_have_the_means_that_are_asked_for() {
        let failures = Some(FailureFields { mean_up_s: 3_000.0, mean_down_s: 1_000.0 });
        let [a, b] = ["a", "b"].map(|name| ClusterFields { failures, ..cluster(name) });
        let length = SimSpan::from_secs(40_000_000);
        let both = outages(&[&a, &b], length, Seed::new(4));
        let alone = outages(&[&b], length, Seed::new(4));
        let spans = |of: usize| both.iter().filter(move |it| it.cluster == of).map(|it| (it.from, it.until));
        assert!(spans(1).eq(alone.iter().map(|it| (it.from, it.until))));
        assert!(spans(0).ne(spans(1)));
        for of in [0, 1] {
            let down: f64 = spans(of).map(|(from, until)| until.since(from).as_secs_f64()).sum();
            // 10,000 outages on average.
            let (count, share) = (spans(of).count(), down / length.as_secs_f64());
            assert!((9_600..10_400).contains(&count) && (share - 0.25).abs() < 0.01, "{count} {share}");
            assert!(spans(of).zip(spans(of).skip(1)).all(|(one, next)| one.1 < next.0));
        }
    }

    #[test]
    fn outages_are_those_given() {
        let [from_s, until_s] = [10, 20].map(SimSpan::from_secs);
        let failing = ClusterFields { outages: vec![OutageFields { from_s, until_s }], ..cluster("b") };
        let found = outages(&[&cluster("a"), &failing], SimSpan::from_secs(5), Seed::new(4));
        let [from, until] = [10, 20].map(SimTime::from_secs);
        assert_eq!(found, [Outage { cluster: 1, from, until }]);
    }
}
