//! Published statements, each checked on our rows.

use crate::table::{Table, TableLine};

dfrsim_model::named! {
    /// Whether a statement holds.
    pub enum Verdict as "verdict" {
        /// It holds here.
        Holds = "holds",
        /// It does not hold here.
        Fails = "fails",
        /// The rows do not decide it: an interval includes the limit, or too few rows are there.
        Open = "open",
    }
}

impl Verdict {
    /// [`Verdict::Holds`] or [`Verdict::Fails`].
    pub fn from_bool(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

/// A published statement and what becomes of it here.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Where it is said: paper and section or table.
    pub source: String,
    /// For which part of the results it is checked (a workload, a level of use); may be empty.
    pub scope: String,
    /// What is said, in our words.
    pub claim: String,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// Our value, where it is one number.
    pub ours: Option<f64>,
    /// The lower end of the confidence interval of our value.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The published value.
    pub published: Option<f64>,
    /// Whether the statement holds on the published tables themselves, where these exist.
    pub verdict_published: Option<Verdict>,
    /// What the verdict rests on, in words and numbers.
    pub detail: String,
}

impl Claim {
    /// A statement with a verdict, without numbers.
    pub fn new(
        source: impl Into<String>,
        claim: impl Into<String>,
        verdict: Verdict,
        detail: impl Into<String>,
    ) -> Claim {
        Claim {
            source: source.into(),
            scope: String::new(),
            claim: claim.into(),
            verdict,
            ours: None,
            low: None,
            high: None,
            published: None,
            verdict_published: None,
            detail: detail.into(),
        }
    }
    /// Of a part of the results.
    #[must_use]
    pub fn within(self, scope: impl Into<String>) -> Claim {
        Claim { scope: scope.into(), ..self }
    }
    /// With our value and the published one.
    #[must_use]
    pub fn with_values(self, ours: Option<f64>, published: Option<f64>) -> Claim {
        Claim { ours, published, ..self }
    }
    /// With the confidence interval of our value.
    #[must_use]
    pub fn with_interval(self, interval: Option<(f64, f64)>) -> Claim {
        Claim { low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high), ..self }
    }
    /// With the verdict on the published tables.
    #[must_use]
    pub fn with_published_verdict(self, verdict: Option<Verdict>) -> Claim {
        Claim { verdict_published: verdict, ..self }
    }
}

/// The table of claims, `tables/claims.csv`; the same columns for all studies.
pub fn table(claims: &[Claim]) -> Table {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let line = |claim: &Claim| {
        TableLine::new()
            .with("source", text(&claim.source))
            .with("scope", text(&claim.scope))
            .with("claim", text(&claim.claim))
            .with("verdict", claim.verdict.to_string())
            .with("ours", claim.ours)
            .with("low", claim.low)
            .with("high", claim.high)
            .with("published", claim.published)
            .with("verdict_published", claim.verdict_published.map(|verdict| verdict.to_string()))
            .with("detail", text(&claim.detail))
    };
    claims.iter().map(line).collect()
}
