//! Claims of the text about the results (`claims.toml`): numbers, compared with ours if the
//! experiment is as large as that of the text, and claims that a value is positive.
//!
//! A claim *holds* if the 95 % interval of our mean over the replications is within its limits,
//! *fails* if the interval is outside, and is *open* if the interval is partly within. A claim
//! without a number is also open if there is no interval. Each metric is computed here: from the rows
//! of a simulation, a replication, or both runs of one, which are blocks of values for the bootstrap.

use crate::model;
use crate::rows::{LoadRow, Pair, Row, SimulationRow, SwitchRow, pairs, per_simulation, reduction_percent};
use crate::scenario::ContextSwitches;
use crate::tables::{mean_between, minutes};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::query::{ClaimEntry, Entries, Query, fill};
use dfrsim_lab::{Bootstrap, Claim, Estimate, Long, Verdict, average, by_key, by_sorted_key};
use dfrsim_model::SimSpan;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("context-switch/claims.toml", include_str!("../claims.toml")));

/// Returns the claims for which there are results.
pub(crate) fn all(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<Claim> {
    // About the model alone, so that it holds without an interval.
    let costs = model::costs();
    let agree = costs.iter().filter(|cost| cost.cost_mb == cost.published_mb).count();
    let table_1 = Claim::new(
        "RR-6929, table 1",
        "the cost of an action is a multiple of the memory of its VM",
        Verdict::from_bool(agree == costs.len()),
        format!("{agree} of {} costs agree", costs.len()),
    );
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let claim = |entry: &ClaimEntry| {
        let Query::Single(query) = &entry.query else { return None };
        let values = values(&query.lines.of, rows).filter(|_| is_comparable(scenario, entry))?;
        let Estimate { value, interval } = bootstrap.estimates(&values)?.mean;
        let above = values.iter().filter(|values| values[0] > 0.0).count();
        let ratio = entry.published.map(|stated| ("ratio", (value / stated).into()));
        let places = [("above", above.into()), ("replications", values.len().into())];
        let places: Vec<_> = places.into_iter().chain(ratio).collect();
        let detail = fill(query.detail.as_deref().unwrap_or_default(), &places);
        let point = entry.published.map(|_| (value, value));
        let verdict = interval.or(point).map_or(Verdict::Open, |interval| query.is.verdict(interval));
        let claim = Claim::new(&entry.source, &entry.text, verdict, detail).within(&entry.scope);
        Some(claim.with_values(Some(value), entry.published).with_interval(interval))
    };
    std::iter::once(table_1).chain(CLAIMS.iter().filter_map(claim)).collect()
}

/// Checks that an experiment is as large as that of the section, so that its numbers can be
/// compared, if there are any.
fn is_comparable(scenario: &ContextSwitches, entry: &ClaimEntry) -> bool {
    let is_so = if entry.source.ends_with("5.1") {
        scenario.samples.as_ref().is_some_and(|part| part.nodes == 200 && part.busy.is_none())
    } else {
        scenario.cluster.as_ref().is_some_and(|part| (part.nodes, part.cpu, part.vjobs) == (11, 2, 8))
    };
    is_so || entry.published.is_none()
}

/// Returns our values of a metric, in independent blocks; `None` if there is no such metric.
fn values(metric: &str, rows: &Long<Row>) -> Option<Vec<Vec<f64>>> {
    let durations = |is_one: fn(&SwitchRow) -> bool| {
        let own = |own: &[&SwitchRow]| own.iter().filter(|row| is_one(row)).map(|row| seconds(row)).collect();
        per_simulation(rows, |run| Some(own(run)).filter(|own: &Vec<f64>| !own.is_empty()))
    };
    let a_run = |of: fn(&SwitchRow) -> u64| per_simulation(rows, |own| Some(sum(own, of)));
    let single = match metric {
        "mean_switch_s" => return Some(durations(|_| true)),
        "three_migrations_s" => {
            return Some(durations(|row| row.migrations == 3 && row.suspends + resumes(row) == 0));
        }
        "nine_resumes_s" => return Some(durations(|row| resumes(row) >= 9)),
        "cost_reduction_percent" => pairs(rows).iter().filter_map(reduction_percent).collect(),
        "fcfs_min" => minutes(rows, "booking"),
        "optimised_min" => minutes(rows, "optimised"),
        "time_reduction_percent" => both_minutes(rows, |ours, booked| 100.0 - 100.0 * ours / booked),
        "switches" => a_run(|_| 1),
        "local_percent" => per_simulation(rows, |own| {
            let all = sum(own, resumes);
            (all > 0.0).then(|| 100.0 * sum(own, |row| row.local_resumes) / all)
        }),
        "free_switches" => a_run(|row| u64::from(row.cost_mb == 0)),
        "max_free_switch_s" => {
            let own = rows.of::<SwitchRow>().filter(|row| row.policy == "optimised" && row.cost_mb == 0);
            own.map(seconds).reduce(f64::max).into_iter().collect()
        }
        "local_resumes" => a_run(|row| row.local_resumes),
        "resumes" => a_run(resumes),
        "peak_demand" => {
            let own = rows.of::<LoadRow>().filter(|row| row.policy == "optimised");
            let peak =
                |own: Vec<&LoadRow>| own.iter().map(|row| row.demanded_cpu).max().map(|peak| peak as f64);
            by_key(own, |row| row.replication).into_iter().filter_map(peak).collect()
        }
        "saved_by_size" => per_replication(rows, |own| {
            slope(own.iter().map(|pair| (f64::from(pair.optimised.vms), saved(pair))))
        }),
        "saved" => per_replication(rows, |own| average(own.iter().map(saved))),
        "cost_and_duration" => {
            per_simulation(rows, |own| correlation(own.iter().map(|row| (cost(row), seconds(row)))))
        }
        "cost_of_images" => per_simulation(rows, |own| difference(own, cost)),
        "duration_of_images" => per_simulation(rows, |own| difference(own, seconds)),
        "local_less_remote" => per_simulation(rows, |own| {
            Some(own.iter().map(|row| row.local_resumes as f64 - row.remote_resumes as f64).sum())
        }),
        "cpu_until_30_min" => difference_in_30_minutes(rows, |row| row.used_cpu),
        "memory_until_30_min" => difference_in_30_minutes(rows, |row| row.memory_mb as f64),
        "minutes_saved" => both_minutes(rows, |ours, booked| booked - ours),
        _ => return None,
    };
    Some(single.into_iter().map(|value| vec![value]).collect())
}

fn cost(row: &SwitchRow) -> f64 {
    row.cost_mb as f64
}
fn seconds(row: &SwitchRow) -> f64 {
    row.duration_s.as_secs_f64()
}
fn resumes(row: &SwitchRow) -> u64 {
    row.local_resumes + row.remote_resumes
}
fn saved(pair: &Pair<'_>) -> f64 {
    pair.first_fit.cost_mb as f64 - pair.optimised.cost_mb as f64
}

/// Combines the minutes under the optimised policy and with booked units, for the replications that
/// have both.
fn both_minutes(rows: &Long<Row>, of: fn(f64, f64) -> f64) -> Vec<f64> {
    let runs = |policy| rows.of::<SimulationRow>().filter(move |row| row.policy == policy);
    let minutes = |row: &SimulationRow| row.duration_s.as_secs_f64() / 60.0;
    let optimised: BTreeMap<u32, f64> =
        runs("optimised").map(|row| (row.replication, minutes(row))).collect();
    runs("booking").filter_map(|row| Some(of(*optimised.get(&row.replication)?, minutes(row)))).collect()
}

/// Sums a count over the switches of a simulation.
fn sum(own: &[&SwitchRow], of: fn(&SwitchRow) -> u64) -> f64 {
    own.iter().map(|row| of(row)).sum::<u64>() as f64
}

/// Evaluates a function on the pairs of plans of each replication.
fn per_replication(rows: &Long<Row>, of: impl Fn(&[Pair<'_>]) -> Option<f64>) -> Vec<f64> {
    let all = by_sorted_key(pairs(rows), |pair| pair.optimised.replication);
    all.values().filter_map(|own| of(own)).collect()
}

/// Computes the difference of the mean of a quantity between switches with suspends or resumes and
/// others; `None` if all are of one kind.
fn difference(own: &[&SwitchRow], of: fn(&SwitchRow) -> f64) -> Option<f64> {
    let has_images = |row: &SwitchRow| row.suspends + row.local_resumes + row.remote_resumes > 0;
    let [with, without] = [true, false].map(|kind| {
        let of_kind = own.iter().filter(|row| has_images(row) == kind);
        average(of_kind.map(|row| of(row)))
    });
    Some(with? - without?)
}

/// Computes the slope of a line through points by least squares; `None` if all have the same
/// abscissa.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let x_mean = average(points.clone().map(|(x, _)| x))?;
    let spread: f64 = points.clone().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let both: f64 = points.map(|(x, y)| (x - x_mean) * y).sum();
    (spread > 0.0).then(|| both / spread)
}

/// Computes Pearson's correlation coefficient; `None` if one of the coordinates does not vary.
fn correlation(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let down = slope(points.clone())?;
    let across = slope(points.map(|(x, y)| (y, x)))?;
    Some(down.signum() * (down * across).max(0.0).sqrt())
}

/// Computes the difference in use between the optimised policy and booked units, on average over the
/// first 30 minutes.
fn difference_in_30_minutes(rows: &Long<Row>, of: fn(&LoadRow) -> f64) -> Vec<f64> {
    let to = SimSpan::from_secs(1_800);
    let mean = |policy: &str, replication: u32| {
        let is_one = |row: &&LoadRow| row.policy == policy && row.replication == replication;
        let own: Vec<&LoadRow> = rows.of::<LoadRow>().filter(is_one).collect();
        (!own.is_empty()).then(|| mean_between(&own, (SimSpan::ZERO, to, to), of))
    };
    let runs = rows.of::<SimulationRow>().filter(|row| row.policy == "optimised").map(|row| row.replication);
    runs.filter_map(|run| Some(mean("optimised", run)? - mean("booking", run)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::{KeyBuilder, Record};

    #[test]
    fn lines_and_correlations_are_those_of_the_points() {
        let line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        assert_eq!(slope(line.into_iter()), Some(2.0));
        assert!((correlation(line.into_iter()).unwrap() - 1.0).abs() < 1e-12);
        let falling = [(0.0, 5.0), (1.0, 3.0), (2.0, 4.0)];
        assert!((correlation(falling.into_iter()).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(slope([(1.0, 1.0), (1.0, 2.0)].into_iter()), None);
    }

    fn metric(entry: &ClaimEntry) -> &str {
        let Query::Single(query) = &entry.query else { panic!("not a single metric: {entry:?}") };
        &query.lines.of
    }

    #[test]
    fn statements_name_what_there_is() {
        let rows = Long { records: Vec::new() };
        let unknown = CLAIMS.iter().filter(|entry| values(metric(entry), &rows).is_none());
        assert_eq!(unknown.map(metric).collect::<Vec<_>>(), [""; 0]);
    }

    /// Checks that the first replication is left out, as it has no simulation with booked units; in
    /// the second one, 150 of 250 minutes are 40 % less.
    #[test]
    fn times_are_compared_replication_by_replication() {
        let run = |policy: &str, replication: u32, minutes: u64| {
            let (policy, duration_s) = (policy.to_owned(), SimSpan::from_secs(60 * minutes));
            let row = SimulationRow { policy, replication, duration_s, ..SimulationRow::default() };
            Record { key: KeyBuilder::new("test", 1).key(), outcome: Ok(Row::Simulation(row)) }
        };
        let records = vec![run("optimised", 0, 100), run("optimised", 1, 150), run("booking", 1, 250)];
        let values = |metric| values(metric, &Long { records: records.clone() });
        assert_eq!(values("minutes_saved"), Some(vec![vec![100.0]]));
        assert_eq!(values("time_reduction_percent"), Some(vec![vec![40.0]]));
    }

    /// Checks that the published numbers agree with each other: 150 of 250 minutes are 40 % less.
    #[test]
    fn the_published_reduction_is_that_of_the_published_times() {
        let number = |of| CLAIMS.iter().find(|entry| metric(entry) == of).unwrap().published.unwrap();
        let reduction = 100.0 - 100.0 * number("optimised_min") / number("fcfs_min");
        assert!((reduction - number("time_reduction_percent")).abs() < 1e-9);
    }
}
