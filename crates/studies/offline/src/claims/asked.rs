//! What statements ask of results: numbers of algorithms on parts of the instances.

use super::part::part;
use crate::published::{RR_FIGURE_7, RR_TABLE_1};
use crate::published::{TABLE_4_1, TABLE_4_3, TABLE_4_4, TABLE_4_5, TABLE_4_6, TABLE_4_7};
use crate::results::{PARAMETERS, Part, Record, Results};
use crate::solve::passes;
use crate::tables::{mcb, parameters};
use dfrsim_lab::Reference;
use dfrsim_lab::query::{Cells, Entry, Finding, Series, Source, Where};
use dfrsim_model::Yield;

/// What algorithms differ by: their name; the one that they are compared with; for greedy passes the order, the rule, whether its
/// gaps are small, and whether order and rule go by sums or by maxima.
const LABELS: [&str; 8] = ["algorithm", "other", "kind", "order", "rule", "cluster", "sorting", "choosing"];

/// The metrics, whose values are those of [`Asked::metric`].
const METRICS: [&str; 28] = [
    "gap",
    "gap_absolute",
    "gap_p75_above_mean",
    "gap_p90",
    "gap_max",
    "failures",
    "solved",
    "infeasible",
    "instances",
    "infeasible_percent",
    "infeasible_of_1440",
    "yield",
    "average_yield",
    "utilisation",
    "raised_utilisation",
    "below_bound",
    "below_bound_where_solved",
    "bound_above",
    "optimum_above",
    "success",
    "missed",
    "advantage",
    "advantage_median",
    "better",
    "as_good",
    "gain",
    "degradation",
    "degradation_max",
];

/// That what is stated of a number holds, or not, beside what else is stated.
pub(super) fn number(entry: &Entry, value: f64, detail: impl Into<String>) -> Option<Finding> {
    Some(Finding::new(value, entry.is, detail))
}

/// That a statement without a number holds, or not.
pub(super) fn fact(holds: bool, detail: impl Into<String>) -> Option<Finding> {
    Some(Finding::fact(holds, detail))
}

/// Whether as many are so as there are.
pub(super) fn all_of(count: usize, wrong: &[String]) -> Option<Finding> {
    fact(wrong.is_empty(), format!("{} of {count}{}", count - wrong.len(), listed(wrong)))
}

/// Those for which a statement does not hold.
pub(super) fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; not: {}", names.join(", ")) }
}

/// A check: `None` where the scenario lacks the instances or algorithms.
pub(super) type Find = fn(&Results<'_>, &Entry) -> Option<Finding>;

/// The results of a run; without any it only says what can be asked.
pub(super) struct Asked<'a> {
    pub(super) results: Option<&'a Results<'a>>,
    /// The checks, by the names that statements give them.
    pub(super) checks: &'static [(&'static str, Find)],
}

/// The [`LABELS`] of an algorithm.
fn labels(name: &str, other: &str) -> [String; 8] {
    let parts = name.strip_prefix("GREEDY_").and_then(|pass| pass.split_once('_'));
    let packing = TABLE_4_4.lines::<1, 5>().any(|([each], _)| each == name && each.starts_with("VP_"));
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

impl Asked<'_> {
    /// The algorithms, or pairs, that are asked for; `None` if a greedy pass, or one of a pair, is missing.
    fn algorithms(&self, metric: &str, filter: &Where) -> Option<Vec<[String; 8]>> {
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

    /// A number of an algorithm on a part of the instances, in percent where it is a part of something.
    fn metric(&self, part: &Part<'_>, metric: &str, labels: &[String; 8], filter: &Where) -> Option<f64> {
        let results = self.results?;
        let (name, other) = match labels[0].split_once(", ") {
            Some(pair) => pair,
            None => (labels[0].as_str(), labels[1].as_str()),
        };
        let column = results.column(name)?;
        let gaps = || match other {
            "" | "LPBOUND" => Some(part.relative_gaps(column)),
            other => Some(part.gaps_between(column, results.column(other)?)),
        };
        let advantage = || Some(part.advantage(column, results.column(other)?));
        let tally = part.tally(column);
        let all = tally.instances as f64;
        let of_second_phase = |metric| Some(100.0 * part.values(results.metric(name, metric)?).mean()?);
        let mcb = || -> Option<Vec<usize>> {
            (1..=8).map(|number| results.column(&format!("MCB{number}"))).collect()
        };
        match metric {
            "gap" => gaps()?.mean(),
            "gap_absolute" => part.gaps(column).absolute.mean(),
            "gap_p75_above_mean" => Some(gaps()?.percentile(75)? - gaps()?.mean()?),
            "gap_p90" => gaps()?.percentile(90),
            "gap_max" => gaps()?.max(),
            "failures" => tally.failure_rate(),
            _ if metric.starts_with("in") || metric == "solved" => (all > 0.0).then(|| match metric {
                "solved" => tally.solved as f64,
                "infeasible" => tally.infeasible as f64,
                "infeasible_percent" => 100.0 * tally.infeasible as f64 / all,
                "infeasible_of_1440" => tally.infeasible as f64 * 1_440.0 / all,
                _ => all,
            }),
            "yield" => part.yields(column).mean(),
            // Over the instances on which all that are asked for have one.
            "average_yield" => {
                let columns = filter.labels("algorithm").iter().map(|name| results.metric(name, metric));
                let columns: Vec<usize> = columns.collect::<Option<_>>()?;
                let part =
                    part.filter(|record| columns.iter().all(|column| record.number(*column).is_some()));
                part.values(results.metric(name, metric)?).mean()
            }
            "utilisation" | "raised_utilisation" => of_second_phase(metric),
            "below_bound" => Some(100.0 * (1.0 - part.yields(column).mean()? / part.bounds().mean()?)),
            "below_bound_where_solved" => {
                let above = above(part, |record| record.bound, column)?;
                Some(100.0 - 100.0 / (1.0 + above / 100.0))
            }
            "bound_above" => above(part, |record| record.bound, column),
            "optimum_above" => {
                let optimum = results.column("OPT")?;
                above(part, |record| record.solved(optimum), column)
            }
            "success" => Some(advantage()?.success),
            "missed" => Some(advantage()?.success * all / tally.solved.max(1) as f64),
            "advantage" => Some(advantage()?.minimum_yield),
            "advantage_median" => advantage()?.median,
            "better" => Some(advantage()?.better),
            "as_good" => Some(advantage()?.as_good),
            "gain" => Some(advantage()?.gain),
            "degradation" => {
                let set = filter.label("set")?.parse().ok()?;
                mcb::degradations(results, set).into_iter().find(|(each, _)| each == name).map(|each| each.1)
            }
            "degradation_max" => part.degradation(column, &mcb()?).max(),
            _ => None,
        }
    }
}

/// By how much the mean of something is above that of an algorithm, in percent, over what both have.
fn above(part: &Part<'_>, of: impl Fn(&Record<'_>) -> Option<Yield>, column: usize) -> Option<f64> {
    let both = part.records.iter().filter_map(|record| of(record).zip(record.solved(column)));
    let (best, own) =
        both.fold((0.0, 0.0), |sums, (best, own)| (sums.0 + best.as_f64(), sums.1 + own.as_f64()));
    (own > 0.0).then(|| 100.0 * (best / own - 1.0))
}

impl Source for Asked<'_> {
    fn columns(&self) -> Vec<&'static str> {
        ["set", "bounded", "ran", "solved", "bound", "table"]
            .into_iter()
            .chain(PARAMETERS)
            .chain(LABELS)
            .collect()
    }
    fn metrics(&self) -> Vec<&'static str> {
        METRICS.to_vec()
    }
    fn checks(&self) -> Vec<&'static str> {
        self.checks.iter().map(|(name, _)| *name).collect()
    }
    fn series(&self, metric: &str, filter: &Where) -> Option<Series> {
        let results = self.results?;
        let part = part(results, filter)?;
        let columns: Vec<&'static str> = PARAMETERS.into_iter().chain(LABELS).collect();
        let metrics: Vec<&'static str> = METRICS.into_iter().filter(|of| *of == metric).collect();
        let mut cells = Cells::new(&columns, &metrics, &[]).named_by("algorithm");
        let algorithms = self.algorithms(metric, filter)?;
        let mut parts = vec![(Vec::new(), part)];
        for (place, name) in PARAMETERS.into_iter().enumerate() {
            let mut split = Vec::new();
            for (labels, part) in parts {
                let mut push =
                    |label: &str, part| split.push(([labels.as_slice(), &[label.to_owned()]].concat(), part));
                for label in filter.labels(name) {
                    push(label, results.labelled(&part, place, |text| text == label));
                }
                if filter.labels(name).is_empty() {
                    push("", part);
                }
            }
            parts = split;
        }
        for (values, part) in &parts {
            for labels in &algorithms {
                if let Some(number) = self.metric(part, metric, labels, filter) {
                    cells.push(values.iter().chain(labels).map(String::as_str), [Some(number)]);
                }
            }
        }
        cells.series(metric, &Where::default())
    }
    fn check(&self, name: &str, entry: &Entry) -> Option<Finding> {
        let (_, check) = self.checks.iter().find(|(known, _)| *known == name)?;
        check(self.results?, entry)
    }
}

/// The published tables, each of which answers only those who name it.
pub(super) struct Table(Cells);

impl Table {
    pub(super) fn all() -> Vec<Table> {
        let gaps = |name: &'static str, table: Reference| {
            let mut cells =
                Cells::new(&["table", "algorithm", "kind"], &["gap", "failures"], &[]).named_by("algorithm");
            for ([algorithm], [_, gap, _, _, rate]) in table.lines::<1, 5>() {
                cells.push([name, algorithm, &labels(algorithm, "")[2]], [Some(gap), Some(rate)]);
            }
            Table(cells)
        };
        let mut pairs =
            Cells::new(&["table", "algorithm"], &["success", "advantage"], &[]).named_by("algorithm");
        for ([measure, one, other], [value]) in TABLE_4_5.lines::<3, 1>() {
            let of = |name: &str| (measure == name).then_some(value);
            pairs.push(["4.5", &format!("{one}, {other}")], [of("S"), of("Y")]);
        }
        let columns: Vec<&'static str> = ["table"].into_iter().chain(PARAMETERS).collect();
        let mut fixed = Cells::new(&columns, &["gap_absolute", "gap"], &[]);
        for ([name, value], [slack, absolute, gap, ..]) in TABLE_4_6.lines::<2, 5>() {
            let number: f64 = value.parse().unwrap_or(f64::NAN);
            let of = |parameter| {
                if name == parameters::short(parameter) { number.to_string() } else { String::new() }
            };
            let [dimensions, jobs, rho, sigma] = ["dimensions", "jobs", "rho", "sigma"].map(of);
            fixed.push(
                ["4.6", &slack.to_string(), &dimensions, &jobs, &rho, &sigma],
                [Some(absolute), Some(gap)],
            );
        }
        let mut used =
            Cells::new(&["table", "dimensions", "jobs"], &["utilisation", "raised_utilisation"], &[]);
        for ([dimensions, jobs], numbers) in TABLE_4_7.lines::<2, 2>() {
            used.push(["4.7", dimensions, jobs], numbers.map(Some));
        }
        let mut degradation =
            Cells::new(&["table", "set", "algorithm"], &["degradation", "degradation_max"], &[])
                .named_by("algorithm");
        for (set, table) in [("rr6692-small", RR_TABLE_1), ("rr6692-large", RR_FIGURE_7)] {
            for ([algorithm], [mean, max]) in table.lines::<1, 2>() {
                degradation.push(["MCB", set, algorithm], [Some(mean), Some(max)]);
            }
        }
        let programs = [gaps("4.1", TABLE_4_1), gaps("4.3", TABLE_4_3), gaps("4.4", TABLE_4_4)];
        programs.into_iter().chain([pairs, fixed, used, degradation].map(Table)).collect()
    }
}

impl Source for Table {
    fn columns(&self) -> Vec<&'static str> {
        self.0.columns()
    }
    fn metrics(&self) -> Vec<&'static str> {
        self.0.metrics()
    }
    fn series(&self, metric: &str, filter: &Where) -> Option<Series> {
        filter
            .label("table")
            .and_then(|_| self.0.series(metric, filter))
            .filter(|series| !series.points.is_empty())
    }
}
