//! Checks for claims that no query expresses.

use dfrsim_lab::query::{Cells, LabelledValues, Limit, NamedCheck, QueryResult};
use dfrsim_lab::rank_correlation;
use std::collections::BTreeMap;

/// Adds the checks to cells.
pub(super) fn add(cells: Cells<'static>) -> Cells<'static> {
    cells
        .with("bandwidth with MCB", mcb_needs_more)
        .with("longer limits", longer_limits)
        .with("growth with the period", growth)
        .with("early fall", early_fall)
        .with("levelling off", levelling_off)
        .with("an hour and a bit", after_an_hour)
}

/// Checks that each policy with MCB on submission and MVT=600 needs more bandwidth than its
/// counterparts with Greedy, which are otherwise alike. Pairs of labels do not express it, as the
/// limit of the counterparts depends on their ticks.
fn mcb_needs_more(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let all = check.lines.series(cells)?;
    let has = |at: usize, column: &str, labels: &[&str]| labels.contains(&all.label(at, column));
    let is_same = |one: usize, other: usize| {
        ["star", "periodic", "rest"].iter().all(|column| all.label(one, column) == all.label(other, column))
    };
    let counterparts = |one: usize| {
        // Without ticks, Greedy never calls MCB, so there is no limit to choose.
        let limit = if has(one, "periodic", &["none"]) { ["none", ""] } else { ["MVT", "600"] };
        let greedy = ["Greedy", "GreedyP", "GreedyPM"];
        let others =
            (0..all.points.len()).filter(move |&at| is_same(one, at) && has(at, "submission", &greedy));
        let others =
            others.filter(move |&at| has(at, "limit", &limit[..1]) && has(at, "limit_s", &limit[1..]));
        others.map(move |other| (one, other)).collect::<Vec<_>>()
    };
    let mcb = (0..all.points.len()).filter(|&at| {
        has(at, "submission", &["Mcb"]) && has(at, "limit", &["MVT"]) && has(at, "limit_s", &["600"])
    });
    let ratio = |(one, other): (usize, usize)| {
        (all.points[one].1 / all.points[other].1.max(f64::MIN_POSITIVE), all.name(one), all.name(other))
    };
    let pairs: Vec<_> = mcb.flat_map(counterparts).map(ratio).collect();
    let (ratio, policy, other) = pairs.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let met = pairs.iter().filter(|(ratio, ..)| check.is.holds(*ratio)).count();
    let detail = format!("{met} of {}; least {ratio:.2} times ({policy}, {other})", pairs.len());
    Some(QueryResult::new(*ratio, check.is, detail))
}

/// Computes the largest factor from the mean with one limit to that with the next longer one: the only
/// claim about such factors.
fn longer_limits(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let limits = by_number(&check.lines.series(cells)?, "limit_s");
    let growth = limits.windows(2).map(|pair| pair[1].1 / pair[0].1).reduce(f64::max)?;
    let texts: Vec<String> = limits.iter().map(|(limit, mean)| format!("{limit} s: {mean:.2}")).collect();
    Some(QueryResult::new(growth, check.is, texts.join(", ")))
}

/// Returns the values with their labels in a column of numbers, by increasing label.
fn by_number(values: &LabelledValues, column: &str) -> Vec<(f64, f64)> {
    let point = |at: usize| Some((values.label(at, column).parse().ok()?, values.points[at].1));
    let mut points: Vec<(f64, f64)> = (0..values.points.len()).filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Computes the rank correlation of the policies' means on two workloads, which are two sources.
pub(super) fn rank_agreement<'a>(one: &'a Cells<'_>, other: &'a Cells<'_>) -> Cells<'a> {
    Cells::default().with("order", |_, check| {
        let (one, other) = (check.lines.series(one)?, check.lines.series(other)?);
        let places: BTreeMap<&str, f64> = other
            .points
            .iter()
            .enumerate()
            .map(|(at, (_, mean))| (other.label(at, "policy"), *mean))
            .collect();
        let pair = |(at, (_, mean)): (usize, &(_, f64))| Some((*mean, *places.get(one.label(at, "policy"))?));
        let value = rank_correlation(&one.points.iter().enumerate().filter_map(pair).collect::<Vec<_>>())?;
        Some(QueryResult::new(value, check.is, format!("rank correlation {value:.3}")))
    })
}

/// Values by period, from which those that the text names are chosen.
struct Periods(Vec<(f64, f64)>);

/// Shortest and longest period of figure 6.1, in seconds.
const SHORTEST: f64 = 600.0;
const LONGEST: f64 = 12_000.0;
/// Further periods that the text names. Those of the figure, in steps of 300 s from 600, are only near
/// to them.
const MIDDLE: f64 = 2_000.0;
const LATER: f64 = 4_000.0;
/// Largest distance of a simulated period from the one that the text names.
const NEAR: f64 = 150.0;

impl Periods {
    fn read(cells: &Cells<'_>, check: &NamedCheck) -> Option<Periods> {
        Some(Periods(by_number(&check.lines.series(cells)?, "period")))
    }
    /// Returns the simulated period that is nearest to one of the text, with its value; `None` if it is
    /// not near.
    fn near(&self, wanted: f64) -> Option<(f64, f64)> {
        let distance = |period: f64| (period - wanted).abs();
        let nearest = self.0.iter().min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
        nearest.copied().filter(|(period, _)| distance(*period) <= NEAR)
    }
}

/// Computes the ratio of the value with the longest period to that with the shortest.
fn growth(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let periods = Periods::read(cells, check)?;
    let ((_, short), (_, long)) = (periods.near(SHORTEST)?, periods.near(LONGEST)?);
    Some(QueryResult::new(long / short, check.is, format!("from {short:.2} to {long:.2}")))
}

/// Computes how much more the value falls from the shortest period to the middle one than from there
/// to a later one.
fn early_fall(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let periods = Periods::read(cells, check)?;
    let (first, middle, later) = (periods.near(SHORTEST)?, periods.near(MIDDLE)?, periods.near(LATER)?);
    let value = (first.1 - middle.1) - (middle.1 - later.1);
    Some(QueryResult::new(value, check.is, list(&[first, middle, later])))
}

/// Computes how much faster the value falls, per 1,000 s of the period, from the middle period to a
/// later one than from there to the longest.
fn levelling_off(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let periods = Periods::read(cells, check)?;
    let (middle, later, last) = (periods.near(MIDDLE)?, periods.near(LATER)?, periods.near(LONGEST)?);
    let slope = |from: (f64, f64), to: (f64, f64)| 1_000.0 * (from.1 - to.1) / (to.0 - from.0);
    Some(QueryResult::new(slope(middle, later) - slope(later, last), check.is, list(&[middle, later, last])))
}

/// Computes the ratio of the value with a period of slightly over an hour to that with the shortest.
fn after_an_hour(cells: &Cells<'_>, check: &NamedCheck) -> Option<QueryResult> {
    let periods = Periods::read(cells, check)?;
    let (first, later) = (periods.near(SHORTEST)?, periods.near(LATER)?);
    Some(QueryResult::new(later.1 / first.1, check.is, list(&[first, later])))
}

fn list(points: &[(f64, f64)]) -> String {
    points.iter().map(|(period, value)| format!("{value:.3} at {period} s")).collect::<Vec<_>>().join(", ")
}

/// Computes the largest growth with the period on other sets, divided into that on this one.
pub(super) fn largest_growth(here: f64, others: &[f64]) -> Option<QueryResult> {
    let other = others.iter().copied().reduce(f64::max)?;
    let detail = format!("{here:.2} here, at most {other:.2} on the other sets");
    Some(QueryResult::new(here / other, Limit::above(1.0), detail))
}
