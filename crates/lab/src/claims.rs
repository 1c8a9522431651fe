//! Published claims, each checked against our rows.

use crate::table::{Table, TableLine};

dfrsim_model::named! {
    /// Verdict on a claim.
    pub enum Verdict as "verdict" {
        /// Our rows confirm the claim.
        Holds = "holds",
        /// Our rows contradict the claim.
        Fails = "fails",
        /// Our rows do not decide the claim: a confidence interval includes the limit, or there are
        /// too few rows.
        Open = "open",
        /// The paper's own numbers do not decide the claim, and our rows do not confirm it: too few
        /// resamples of the published tables agree with it.
        Undecided = "undecided",
    }
}

impl Verdict {
    /// Converts a boolean to [`Verdict::Holds`] or [`Verdict::Fails`].
    pub fn from_bool(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

/// A published claim and our verdict on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Source of the claim: paper and section or table.
    pub source: String,
    /// Subset of the results for which the claim is checked (a workload, a load); may be empty.
    pub scope: String,
    /// The claim in our words.
    pub claim: String,
    /// Verdict on our rows.
    pub verdict: Verdict,
    /// Our value, if the claim is about a single number.
    pub ours: Option<f64>,
    /// Lower end of the confidence interval of our value.
    pub low: Option<f64>,
    /// Upper end of the confidence interval of our value.
    pub high: Option<f64>,
    /// The published value.
    pub published: Option<f64>,
    /// Verdict on the published tables themselves, where these exist.
    pub verdict_published: Option<Verdict>,
    /// Evidence for the verdict, in words and numbers.
    pub detail: String,
}

impl Claim {
    /// Least fraction of the resamples of published tables that must agree with a claim on them.
    pub const DECIDED: f64 = 0.95;

    /// Creates a claim with a verdict, without numbers.
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
    /// Sets the subset of the results for which the claim is checked.
    #[must_use]
    pub fn within(self, scope: impl Into<String>) -> Claim {
        Claim { scope: scope.into(), ..self }
    }
    /// Sets our value and the published one.
    #[must_use]
    pub fn with_values(self, ours: Option<f64>, published: Option<f64>) -> Claim {
        Claim { ours, published, ..self }
    }
    /// Sets the confidence interval of our value.
    #[must_use]
    pub fn with_interval(self, interval: Option<(f64, f64)>) -> Claim {
        Claim { low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high), ..self }
    }
    /// Notes that the claim holds in the fraction `support` of the resamples of the published tables.
    /// Below [`Claim::DECIDED`], the published tables do not decide it. Then no rows can contradict
    /// it, and the verdict is `Undecided` unless it is `Holds`.
    #[must_use]
    pub fn with_published_support(self, support: f64) -> Claim {
        if support >= Claim::DECIDED {
            return self;
        }
        let verdict = if self.verdict == Verdict::Holds { Verdict::Holds } else { Verdict::Undecided };
        let detail = format!(
            "{}; so in {:.0} % of the resamples of the published tables",
            self.detail,
            100.0 * support
        );
        Claim { verdict, verdict_published: Some(Verdict::Undecided), detail, ..self }
    }
    /// Sets the verdict on the published tables.
    #[must_use]
    pub fn with_published_verdict(self, verdict: Option<Verdict>) -> Claim {
        Claim { verdict_published: verdict, ..self }
    }
}

/// Builds the table of claims, `tables/claims.csv`; all studies have the same columns.
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
