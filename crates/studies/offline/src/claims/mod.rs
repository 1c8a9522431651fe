//! What both texts say of their results, checked on ours, and on their published tables where these decide it.
//!
//! Words such as "about" are given a number here, which is in the statement.

mod algorithms;
mod domination;
mod optima;
mod rr6692;
mod table_4_4;

use crate::results::Results;
use dfrsim_lab::{Claim, Verdict};

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
}

/// All statements of which something can be said, by subject.
pub(crate) fn all(results: &Results<'_>) -> Vec<Claim> {
    let subjects = [
        table_4_4::STATEMENTS,
        domination::STATEMENTS,
        algorithms::STATEMENTS,
        optima::STATEMENTS,
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
