//! What both texts say of their results, checked on ours, and on their published tables where these decide it.
//!
//! Words such as "about" are given a number here, which is in the statement. Failure rates are those among the instances that
//! have LPBOUND unless the statement says otherwise: so the published ones are (see the readings in this crate's README).

mod greedy;
mod linear;
mod optima;
mod parameters;
mod rr6692;
mod second_phase;
mod vector;

use crate::results::{Part, Results};
use dfrsim_lab::{Claim, Verdict};
use dfrsim_offline::instances::{DissertationScenario, InstanceSet};

/// Where a statement is, what it says, and its check, which gives `None` where the scenario lacks the instances or algorithms.
struct Statement(&'static str, &'static str, fn(&Results<'_>) -> Option<Check>);

/// Whether a statement holds, and what that rests on.
struct Check {
    holds: bool,
    detail: String,
    ours: Option<f64>,
    published: Option<f64>,
    /// Whether it holds on the published tables.
    holds_published: Option<bool>,
}

impl Check {
    fn new(holds: bool, detail: impl Into<String>) -> Check {
        Check { holds, detail: detail.into(), ours: None, published: None, holds_published: None }
    }
    /// With our number and the published one.
    fn values(self, ours: f64, published: Option<f64>) -> Check {
        Check { ours: Some(ours), published, ..self }
    }
    /// With whether it holds on the published tables.
    fn published(self, holds: bool) -> Check {
        Check { holds_published: Some(holds), ..self }
    }
    /// Whether a number is this near to the published one.
    fn near(ours: f64, published: f64, by: f64, detail: impl Into<String>) -> Check {
        Check::new((ours - published).abs() <= by, detail).values(ours, Some(published)).published(true)
    }
    /// Whether a number, in percent, is this near to the published one.
    fn near_percent(ours: f64, published: f64, by: f64) -> Check {
        Check::near(ours, published, by, format!("{ours:.2} %"))
    }
    /// What a check says of ours, and of the published table.
    fn of_both<T>(ours: T, published: T, check: impl Fn(T) -> Option<(bool, String)>) -> Option<Check> {
        let (holds, detail) = check(ours)?;
        Some(Check::new(holds, detail).published(check(published)?.0))
    }
}

/// Numbers of algorithms, by their names.
type Numbers<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// All statements of which something can be said, by subject.
pub(crate) fn all(results: &Results<'_>) -> Vec<Claim> {
    let subjects = [
        greedy::STATEMENTS,
        linear::STATEMENTS,
        vector::STATEMENTS,
        parameters::STATEMENTS,
        optima::STATEMENTS,
        second_phase::STATEMENTS,
        rr6692::STATEMENTS,
    ];
    let claim = |Statement(source, text, check): &Statement| {
        let Check { holds, detail, ours, published, holds_published } = check(results)?;
        let claim = Claim::new(*source, *text, Verdict::from_bool(holds), detail);
        let on_published = holds_published.map(Verdict::from_bool);
        Some(claim.with_values(ours, published).with_published_verdict(on_published))
    };
    subjects.into_iter().flatten().filter_map(claim).collect()
}

/// Those for which a statement does not hold.
fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; not: {}", names.join(", ")) }
}

/// Names with their numbers.
fn numbered(numbers: &[(String, f64)]) -> String {
    numbers.iter().map(|(name, number)| format!("{name} {number:.2}")).collect::<Vec<_>>().join(", ")
}

/// The mean of some numbers.
fn mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    dfrsim_lab::average(numbers)
}

/// With fewer instances the statements on the dissertation's large ones are not checked.
const FEWEST: usize = 20;

/// The dissertation's large instances.
fn all_large<'a>(results: &'a Results<'_>) -> Option<Part<'a>> {
    results.of_set(InstanceSet::Dissertation).filter(|part| part.records.len() >= FEWEST)
}

/// Those of them that have LPBOUND.
fn large<'a>(results: &'a Results<'_>) -> Option<Part<'a>> {
    Some(all_large(results)?.bounded())
}

/// Those of them with these parameters; `None` if there are none.
fn large_with<'a>(
    results: &'a Results<'_>,
    keep: impl Fn(&DissertationScenario) -> bool,
) -> Option<Part<'a>> {
    Some(results.with(&large(results)?, keep)).filter(|part| !part.is_empty())
}

/// The mean relative gap to LPBOUND of an algorithm.
fn gap(results: &Results<'_>, part: &Part<'_>, name: &str) -> Option<f64> {
    part.gaps(results.column(name)?).relative.mean()
}

/// The failure rate of an algorithm; `None` if it did not run.
fn failures(results: &Results<'_>, part: &Part<'_>, name: &str) -> Option<f64> {
    part.tally(results.column(name)?).failure_rate()
}

/// Whether numbers never rise by more than a little.
fn falls(numbers: &[f64], slip: f64) -> bool {
    numbers.windows(2).all(|pair| pair[1] <= pair[0] + slip)
}
