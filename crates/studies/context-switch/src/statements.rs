//! What the text says in words: that something is positive, judged by 95 % intervals over the replications.

use crate::rows::{LoadRow, Row, SwitchRow, loads, of_runs, pairs, simulations};
use crate::tables::mean_between;
use dfrsim_lab::query::Limit;
use dfrsim_lab::{Bootstrap, Claim, Long, Verdict, average};
use dfrsim_model::SimSpan;
use std::collections::BTreeMap;

/// A value for each replication.
type Values = Vec<f64>;

/// A statement of a section, what is to be above 0 for it, and that in each replication.
type Statement = (&'static str, &'static str, &'static str, fn(&Long<Row>) -> Values);

const STATEMENTS: [Statement; 9] = [
    (
        "5.1",
        "the more VMs there are, the more is saved by the search",
        "MB saved a VM more, by least squares over the sizes",
        gap_by_size,
    ),
    (
        "5.1",
        "plans that are searched for are cheaper than those of first-fit decreasing",
        "MB saved, mean of all sizes",
        |rows| by_replication(pairs(rows).iter().map(|it| (it.optimised.replication, saved(it)))),
    ),
    ("5.2", "switches that cost more take longer", "correlation of cost and duration", |rows| {
        of_runs(rows, |own| correlation(own.iter().map(|row| (cost(row), seconds(row)))))
    }),
    (
        "5.2",
        "dear switches suspend or resume, and cheap ones only run, stop and migrate",
        "mean cost with suspends or resumes less that without, in MB",
        |rows| of_runs(rows, |own| difference(own, cost)),
    ),
    (
        "5.2",
        "switches with suspends or resumes take longer than others",
        "mean duration with them less that without, in s",
        |rows| of_runs(rows, |own| difference(own, seconds)),
    ),
    ("5.2", "most resumes are local", "local less remote resumes", |rows| {
        let sum = |own: &[&SwitchRow]| {
            own.iter().map(|row| row.local_resumes as f64 - row.remote_resumes as f64).sum::<f64>()
        };
        of_runs(rows, |own| Some(sum(own)))
    }),
    (
        "5.2",
        "until the 30th minute VMs use more CPU under the decision module than under FCFS",
        "units in use, difference of means over 30 minutes",
        |rows| until_30_minutes(rows, |row| row.used_cpu),
    ),
    (
        "5.2",
        "until the 30th minute VMs use more memory under the decision module than under FCFS",
        "MB in use, difference of means over 30 minutes",
        |rows| until_30_minutes(rows, |row| row.memory_mb as f64),
    ),
    ("5.2", "the decision module needs less time than FCFS", "minutes saved", |rows| {
        let minutes = |policy: &str| {
            let own = simulations(rows).filter(move |row| row.policy == policy);
            own.map(|row| (row.replication, row.duration_s.as_secs_f64() / 60.0)).collect::<BTreeMap<_, _>>()
        };
        let optimised = minutes("optimised");
        let saved = |(replication, booked)| Some(booked - optimised.get(&replication)?);
        minutes("booking").into_iter().filter_map(saved).collect()
    }),
];

/// The claims for which there are results.
pub(crate) fn all(bootstrap: &Bootstrap, rows: &Long<Row>) -> Vec<Claim> {
    let claim = |(section, statement, scope, values): &Statement| {
        let values = values(rows);
        let estimate = bootstrap.mean(&values)?;
        let above = values.iter().filter(|value| **value > 0.0).count();
        let detail = format!("above 0 in {above} of {} replications", values.len());
        let verdict = estimate.interval.map_or(Verdict::Open, |it| Limit::above(0.0).verdict(it));
        let claim = Claim::new(format!("RR-6929, section {section}"), *statement, verdict, detail);
        Some(claim.within(*scope).with_values(Some(estimate.value), None).with_interval(estimate.interval))
    };
    STATEMENTS.iter().filter_map(claim).collect()
}

fn cost(row: &SwitchRow) -> f64 {
    row.cost_mb as f64
}
fn seconds(row: &SwitchRow) -> f64 {
    row.duration_s.as_secs_f64()
}
fn saved(pair: &crate::rows::Pair<'_>) -> f64 {
    pair.first_fit.cost_mb as f64 - pair.optimised.cost_mb as f64
}

/// Means by replication.
fn by_replication(values: impl Iterator<Item = (u32, f64)>) -> Values {
    let mut groups = BTreeMap::<u32, Values>::new();
    values.for_each(|(replication, value)| groups.entry(replication).or_default().push(value));
    groups.into_values().filter_map(average).collect()
}

/// How much larger something is on average for switches with suspends or resumes than for others; `None` if all are of one
/// kind.
fn difference(own: &[&SwitchRow], of: fn(&SwitchRow) -> f64) -> Option<f64> {
    let has_images = |row: &SwitchRow| row.suspends + row.local_resumes + row.remote_resumes > 0;
    let [with, without] = [true, false].map(|kind| {
        let of_kind = own.iter().filter(|row| has_images(row) == kind);
        average(of_kind.map(|row| of(row)))
    });
    Some(with? - without?)
}

/// The slope of a line through points by least squares; `None` if they have one abscissa.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let x_mean = average(points.clone().map(|(x, _)| x))?;
    let spread: f64 = points.clone().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let both: f64 = points.map(|(x, y)| (x - x_mean) * y).sum();
    (spread > 0.0).then(|| both / spread)
}

/// Pearson's coefficient; `None` if one of both does not vary.
fn correlation(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let down = slope(points.clone())?;
    let across = slope(points.map(|(x, y)| (y, x)))?;
    Some(down.signum() * (down * across).max(0.0).sqrt())
}

fn gap_by_size(rows: &Long<Row>) -> Values {
    let pairs = pairs(rows);
    let mut replications: Vec<u32> = pairs.iter().map(|pair| pair.optimised.replication).collect();
    replications.sort_unstable();
    replications.dedup();
    let of = |replication| {
        let own = pairs.iter().filter(move |pair| pair.optimised.replication == replication);
        slope(own.map(|pair| (f64::from(pair.optimised.vms), saved(pair))))
    };
    replications.into_iter().filter_map(of).collect()
}

/// How much more is used under the optimised policy than with booked units, on average over 30 minutes.
fn until_30_minutes(rows: &Long<Row>, of: fn(&LoadRow) -> f64) -> Values {
    let to = SimSpan::from_secs(1_800);
    let mean = |policy: &str, replication: u32| {
        let is_one = |row: &&LoadRow| row.policy == policy && row.replication == replication;
        let own: Vec<&LoadRow> = loads(rows).filter(is_one).collect();
        (!own.is_empty()).then(|| mean_between(&own, (SimSpan::ZERO, to, to), of))
    };
    let runs = simulations(rows).filter(|row| row.policy == "optimised").map(|row| row.replication);
    runs.filter_map(|run| Some(mean("optimised", run)? - mean("booking", run)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_correlations_are_those_of_the_points() {
        let line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        assert_eq!(slope(line.into_iter()), Some(2.0));
        assert!((correlation(line.into_iter()).unwrap() - 1.0).abs() < 1e-12);
        let falling = [(0.0, 5.0), (1.0, 3.0), (2.0, 4.0)];
        assert!((correlation(falling.into_iter()).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(slope([(1.0, 1.0), (1.0, 2.0)].into_iter()), None);
    }
}
