//! Source of the numbers that claims query: metrics of algorithms on subsets of the instances.

use super::part::select_instances;
use crate::published::{RR_FIGURE_7, RR_TABLE_1};
use crate::published::{TABLE_4_1, TABLE_4_3, TABLE_4_4, TABLE_4_5, TABLE_4_6, TABLE_4_7};
use crate::results::{Advantage, PARAMETERS, Record, Results, Sample, Subset, Tally};
use crate::solve::passes;
use crate::tables::{mcb, parameters};
use dfrsim_lab::Reference;
use dfrsim_lab::query::{Cells, LabelFilter, LabelledValues, NamedCheck, QueryResult, Source};
use dfrsim_model::Yield;

/// Label columns of algorithms: the name; the algorithm to compare with; and for greedy passes the
/// order, the rule, the cluster of gaps (near or far), and if order and rule use sums or maxima.
const LABELS: [&str; 8] = ["algorithm", "other", "kind", "order", "rule", "cluster", "sorting", "choosing"];

/// Creates a finding with a number, to be compared with the claimed value.
pub(super) fn number(check: &NamedCheck, value: f64, detail: impl Into<String>) -> Option<QueryResult> {
    Some(QueryResult::new(value, check.is, detail))
}

/// Creates a finding that a claim without a number holds, or not.
pub(super) fn fact(holds: bool, detail: impl Into<String>) -> Option<QueryResult> {
    Some(QueryResult::fact(holds, detail))
}

/// Creates a finding that holds if `wrong` is empty, with the number of correct cases.
pub(super) fn all_of(count: usize, wrong: &[String]) -> Option<QueryResult> {
    fact(wrong.is_empty(), format!("{} of {count}{}", count - wrong.len(), list_failures(wrong)))
}

/// Formats the cases for which a claim does not hold.
pub(super) fn list_failures(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; not: {}", names.join(", ")) }
}

/// Function of a check; it returns `None` if the scenario lacks the instances or algorithms.
pub(super) type CheckFunction = fn(&Results<'_>, &NamedCheck) -> Option<QueryResult>;

/// Results of a run as a source of claims. Without results it only lists the columns, metrics and
/// checks.
pub(super) struct ResultSource<'a> {
    pub(super) results: Option<&'a Results<'a>>,
    /// Checks, by the names used in claims.
    pub(super) checks: &'static [(&'static str, CheckFunction)],
}

/// Returns the [`LABELS`] of an algorithm.
fn labels(name: &str, other: &str) -> [String; 8] {
    let parts = name.strip_prefix("GREEDY_").and_then(|pass| pass.split_once('_'));
    let packing = name.starts_with("VP_") && TABLE_4_4.lines::<1, 0>().any(|([each], _)| each == name);
    let [order, rule] = parts.map_or([""; 2], |(order, rule)| [order, rule]);
    let kind = if parts.is_some() {
        "pass"
    } else if packing {
        "packing"
    } else {
        "other"
    };
    let sums = |label: &str, from: &[&str], to: &[&str]| match label {
        _ if from.contains(&label) => "sum",
        _ if to.contains(&label) => "max",
        _ => "",
    };
    let cluster = if ["P1", "P2", "P5", "P6"].contains(&rule) { "near" } else { "far" };
    let sorting = sums(order, &["S3", "S5", "S7"], &["S2", "S4", "S6"]);
    let choosing = sums(rule, &["P2", "P4", "P6"], &["P1", "P3", "P5"]);
    [name, other, kind, order, rule, cluster, sorting, choosing].map(str::to_owned)
}

impl ResultSource<'_> {
    /// Returns the selected algorithms or pairs; `None` if a greedy pass, or a member of a pair, is
    /// missing.
    fn algorithms(&self, metric: &str, filter: &LabelFilter) -> Option<Vec<[String; 8]>> {
        let results = self.results?;
        let is_meant = |labels: &[String; 8]| {
            LABELS.iter().zip(labels).all(|(column, label)| filter.allows(column, label))
        };
        let names: Vec<String> = match filter.labels("algorithm") {
            [] if filter.label("kind") == Some("pass") => passes().map(|pass| pass.to_string()).collect(),
            [] if filter.label("table") == Some("4.5") => {
                let measure = if metric == "success" { "S" } else { "Y" };
                let lines = TABLE_4_5.lines::<3, 1>().filter(|([of, ..], _)| *of == measure);
                lines.map(|([_, one, other], _)| format!("{one}, {other}")).collect()
            }
            [] => {
                let tables = [("4.1", TABLE_4_1), ("4.3", TABLE_4_3), ("MCB", RR_TABLE_1)];
                let table = tables.into_iter().find(|(name, _)| filter.label("table") == Some(name));
                let lines = table.map_or(TABLE_4_4, |(_, table)| table).lines::<1, 0>();
                lines.map(|([name], _)| name.to_owned()).collect()
            }
            names => names.to_vec(),
        };
        let others = filter.labels("other");
        let others = if others.is_empty() { &[String::new()] } else { others };
        let pairs = names.iter().flat_map(|name| others.iter().map(move |other| labels(name, other)));
        let meant: Vec<[String; 8]> = pairs.filter(is_meant).collect();
        let is_there = |name: &str| name.split(", ").all(|name| results.column(name).is_some());
        let all_are_needed = |labels: &[String; 8]| labels[2] == "pass" || labels[0].contains(", ");
        meant.iter().all(|labels| !all_are_needed(labels) || is_there(&labels[0])).then_some(meant)
    }
}

/// An algorithm on a subset of the instances, with another one to compare with if a claim names one.
struct EvaluatedAlgorithm<'a> {
    results: &'a Results<'a>,
    part: &'a Subset<'a>,
    name: &'a str,
    other: &'a str,
    column: usize,
    filter: &'a LabelFilter,
}

/// Function that computes a metric of an algorithm on a subset of the instances.
type Metric = fn(&EvaluatedAlgorithm<'_>) -> Option<f64>;

/// Metrics by name; proportions are in percent.
const METRICS: [(&str, Metric); 32] = [
    ("gap", |on| on.gaps()?.mean()),
    ("gap_absolute", |on| on.part.gaps(on.column).absolute.mean()),
    ("gap_p75_above_mean", |on| Some(on.gaps()?.percentile(75)? - on.gaps()?.mean()?)),
    ("gap_p90", |on| on.gaps()?.percentile(90)),
    ("gap_max", |on| on.gaps()?.max()),
    ("failures", |on| on.part.tally(on.column).failure_rate()),
    // Fewer failures than those of the other algorithm.
    ("fewer_failures", |on| {
        let rate = |column| on.part.tally(column).failure_rate();
        Some(100.0 * (1.0 - rate(on.column)? / rate(on.results.column(on.other)?)?))
    }),
    ("failed", |on| on.count(|tally| tally.instances - tally.solved)),
    ("failed_of_1380", |on| {
        let failed = on.count(|tally| tally.instances - tally.solved)?;
        Some(failed * 1_380.0 / on.count(|tally| tally.instances)?)
    }),
    ("solved", |on| on.count(|tally| tally.solved)),
    ("infeasible", |on| on.count(|tally| tally.infeasible)),
    ("instances", |on| on.count(|tally| tally.instances)),
    ("infeasible_percent", |on| {
        Some(100.0 * on.count(|tally| tally.infeasible)? / on.count(|tally| tally.instances)?)
    }),
    ("infeasible_of_1440", |on| {
        Some(on.count(|tally| tally.infeasible)? * 1_440.0 / on.count(|tally| tally.instances)?)
    }),
    ("yield", |on| on.part.yields(on.column).mean()),
    // Averages over the instances on which all selected algorithms have a value.
    ("average_yield", |on| {
        let metric = |name: &str| on.results.metric(name, "average_yield");
        let columns = on.filter.labels("algorithm").iter().map(|name| metric(name));
        let columns: Vec<usize> = columns.collect::<Option<_>>()?;
        let part = on.part.filter(|record| columns.iter().all(|column| record.number(*column).is_some()));
        part.values(metric(on.name)?).mean()
    }),
    ("utilisation", |on| on.percent("utilisation")),
    ("raised_utilisation", |on| on.percent("raised_utilisation")),
    ("utilisation_gain", |on| Some(on.percent("raised_utilisation")? - on.percent("utilisation")?)),
    ("below_bound", |on| Some(100.0 * (1.0 - on.part.yields(on.column).mean()? / on.part.bounds().mean()?))),
    ("below_bound_where_solved", |on| {
        let above = excess_percent(on.part, |record| record.bound, on.column)?;
        Some(100.0 - 100.0 / (1.0 + above / 100.0))
    }),
    ("bound_above", |on| excess_percent(on.part, |record| record.bound, on.column)),
    ("optimum_above", |on| {
        let optimum = on.results.column("OPT")?;
        excess_percent(on.part, |record| record.solved(optimum), on.column)
    }),
    ("success", |on| Some(on.advantage()?.success)),
    ("missed", |on| {
        let tally = on.part.tally(on.column);
        Some(on.advantage()?.success * tally.instances as f64 / tally.solved.max(1) as f64)
    }),
    ("advantage", |on| Some(on.advantage()?.minimum_yield)),
    ("advantage_median", |on| on.advantage()?.median),
    ("better", |on| Some(on.advantage()?.better)),
    ("as_good", |on| Some(on.advantage()?.as_good)),
    ("gain", |on| Some(on.advantage()?.gain)),
    ("degradation", |on| {
        let all = mcb::degradations(on.results, on.filter.label("set")?.parse().ok()?);
        all.into_iter().find(|(each, _)| each == on.name).map(|(_, degradation)| degradation)
    }),
    ("degradation_max", |on| {
        let mcb = (1..=8).map(|number| on.results.column(&format!("MCB{number}")));
        on.part.degradation(on.column, &mcb.collect::<Option<Vec<usize>>>()?).max()
    }),
];

impl EvaluatedAlgorithm<'_> {
    fn gaps(&self) -> Option<Sample> {
        match self.other {
            "" | "LPBOUND" => Some(self.part.relative_gaps(self.column)),
            other => Some(self.part.gaps_between(self.column, self.results.column(other)?)),
        }
    }
    fn advantage(&self) -> Option<Advantage> {
        Some(self.part.advantage(self.column, self.results.column(self.other)?))
    }
    /// Returns one of the counts of the tally; `None` without instances.
    fn count(&self, of: fn(&Tally) -> usize) -> Option<f64> {
        let tally = self.part.tally(self.column);
        (tally.instances > 0).then(|| of(&tally) as f64)
    }
    fn percent(&self, metric: &str) -> Option<f64> {
        Some(100.0 * self.part.values(self.results.metric(self.name, metric)?).mean()?)
    }
}

/// Computes the excess of the mean of `of` above that of an algorithm, in percent, over the records
/// that have both.
fn excess_percent(
    part: &Subset<'_>,
    of: impl Fn(&Record<'_>) -> Option<Yield>,
    column: usize,
) -> Option<f64> {
    let both = part.records.iter().filter_map(|record| of(record).zip(record.solved(column)));
    let (best, own) =
        both.fold((0.0, 0.0), |sums, (best, own)| (sums.0 + best.as_f64(), sums.1 + own.as_f64()));
    (own > 0.0).then(|| 100.0 * (best / own - 1.0))
}

impl Source for ResultSource<'_> {
    fn columns(&self) -> Vec<&'static str> {
        ["set", "bounded", "ran", "solved", "bound", "table"]
            .into_iter()
            .chain(PARAMETERS)
            .chain(LABELS)
            .collect()
    }
    fn metrics(&self) -> Vec<&'static str> {
        METRICS.map(|(name, _)| name).to_vec()
    }
    fn checks(&self) -> Vec<&'static str> {
        self.checks.iter().map(|(name, _)| *name).collect()
    }
    fn series(&self, metric: &str, filter: &LabelFilter) -> Option<LabelledValues> {
        let results = self.results?;
        let part = select_instances(results, filter)?;
        let columns: Vec<&'static str> = PARAMETERS.into_iter().chain(LABELS).collect();
        let (metric, of) = METRICS.into_iter().find(|(name, _)| *name == metric)?;
        let mut cells = Cells::new(&columns, &[metric], &[]).named_by("algorithm");
        let algorithms = self.algorithms(metric, filter)?;
        let mut parts = vec![(Vec::new(), part)];
        for name in PARAMETERS {
            let mut split = Vec::new();
            for (labels, part) in parts {
                let mut push =
                    |label: &str, part| split.push(([labels.as_slice(), &[label.to_owned()]].concat(), part));
                for label in filter.labels(name) {
                    push(label, part.with_label(name, |text| text == label));
                }
                if filter.labels(name).is_empty() {
                    push("", part);
                }
            }
            parts = split;
        }
        for (values, part) in &parts {
            for labels in &algorithms {
                let (name, other) = labels[0].split_once(", ").unwrap_or((&labels[0], &labels[1]));
                let Some(column) = results.column(name) else { continue };
                if let Some(number) = of(&EvaluatedAlgorithm { results, part, name, other, column, filter }) {
                    cells.push(values.iter().chain(labels).map(String::as_str), [Some(number)]);
                }
            }
        }
        cells.series(metric, &LabelFilter::default())
    }
    fn check(&self, check: &NamedCheck) -> Option<QueryResult> {
        let (_, function) = self.checks.iter().find(|(known, _)| *known == check.name)?;
        function(self.results?, check)
    }
}

/// Returns the published tables, each of which answers only queries that name it.
pub(super) fn published() -> Vec<Cells<'static>> {
    let cells = |columns: &[&'static str], metrics: &[&'static str]| {
        Cells::new(columns, metrics, &[]).named_by("algorithm").only_if_asked_for("table")
    };
    let gaps = |name: &'static str, table: Reference| {
        let mut cells = cells(&["table", "algorithm", "kind"], &["gap", "gap_p90", "failures"]);
        for ([algorithm], [_, gap, _, percentile, rate]) in table.lines::<1, 5>() {
            let numbers = [gap, percentile, rate].map(Some);
            cells.push([name, algorithm, &labels(algorithm, "")[2]], numbers);
        }
        cells
    };
    let mut pairs = cells(&["table", "algorithm"], &["success", "advantage"]);
    for ([measure, one, other], [value]) in TABLE_4_5.lines::<3, 1>() {
        let of = |name: &str| (measure == name).then_some(value);
        pairs.push(["4.5", &format!("{one}, {other}")], [of("S"), of("Y")]);
    }
    let columns: Vec<&'static str> = ["table"].into_iter().chain(PARAMETERS).collect();
    let mut fixed = cells(&columns, &["gap_absolute", "gap"]);
    for ([name, value], [slack, absolute, gap, ..]) in TABLE_4_6.lines::<2, 5>() {
        let of = |parameter| {
            if parameter == parameters::parameter_name(name) {
                parameters::plain_number(value)
            } else {
                String::new()
            }
        };
        let [dimensions, jobs, rho, sigma] = ["dimensions", "jobs", "rho", "sigma"].map(of);
        fixed
            .push(["4.6", &slack.to_string(), &dimensions, &jobs, &rho, &sigma], [Some(absolute), Some(gap)]);
    }
    let mut used = cells(&["table", "dimensions", "jobs"], &["utilisation", "raised_utilisation"]);
    for ([dimensions, jobs], numbers) in TABLE_4_7.lines::<2, 2>() {
        used.push(["4.7", dimensions, jobs], numbers.map(Some));
    }
    let mut degradation = cells(&["table", "set", "algorithm"], &["degradation", "degradation_max"]);
    for (set, table) in [("rr6692-small", RR_TABLE_1), ("rr6692-large", RR_FIGURE_7)] {
        for ([algorithm], [mean, max]) in table.lines::<1, 2>() {
            degradation.push(["MCB", set, algorithm], [Some(mean), Some(max)]);
        }
    }
    let programs = [gaps("4.1", TABLE_4_1), gaps("4.3", TABLE_4_3), gaps("4.4", TABLE_4_4)];
    programs.into_iter().chain([pairs, fixed, used, degradation]).collect()
}
