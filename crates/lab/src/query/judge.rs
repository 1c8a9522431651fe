//! Verdicts on claims.

use super::{ClaimEntry, Source, fill};
use crate::claims::{Claim, Verdict};
use crate::table::{Bootstrap, Estimate, mean, range};

/// Data and settings with which claims are checked.
pub struct ClaimChecker<'a> {
    /// All results pooled: the basis of the details.
    pub pooled: &'a dyn Source,
    /// Results of each replication: the value of a claim is the mean over the replications. If there
    /// are none, the value is that of the pooled results and has no interval.
    pub replications: Vec<&'a dyn Source>,
    /// Published tables, or published results of runs.
    pub published: Vec<&'a dyn Source>,
    /// Function that estimates the mean over the replications.
    pub estimate: &'a dyn Fn(&[f64]) -> Option<Estimate>,
    /// True if a claim without a confidence interval gets the verdict `Open`.
    pub needs_interval: bool,
    /// True if details include the result on the published tables.
    pub shows_published_details: bool,
}

impl Bootstrap {
    /// Returns an estimator of the mean, for [`ClaimChecker::estimate`].
    pub fn estimator(&self) -> impl Fn(&[f64]) -> Option<Estimate> + '_ {
        |values| self.mean(values)
    }
}

impl<'a> ClaimChecker<'a> {
    /// Creates a checker for these results alone, without replications, published tables and
    /// intervals.
    pub fn without_replications(pooled: &'a dyn Source) -> ClaimChecker<'a> {
        ClaimChecker {
            pooled,
            replications: Vec::new(),
            published: Vec::new(),
            estimate: &|_| None,
            needs_interval: false,
            shows_published_details: false,
        }
    }

    /// Checks the claims for which the results have the necessary data.
    pub fn claims<'e>(&self, entries: impl IntoIterator<Item = &'e ClaimEntry>) -> Vec<Claim> {
        entries.into_iter().filter_map(|entry| self.claim(entry)).collect()
    }

    /// Checks a claim; `None` if the results lack data that it needs.
    pub fn claim(&self, entry: &ClaimEntry) -> Option<Claim> {
        let found = entry.evaluate(self.pooled)?;
        let values: Vec<f64> =
            self.replications.iter().filter_map(|one| Some(entry.evaluate(*one)?.value)).collect();
        let estimate = match self.replications.is_empty() {
            true => Estimate { value: found.value, interval: None },
            false => (self.estimate)(&values)?,
        };
        let point = (estimate.value, estimate.value);
        let verdict = match estimate.interval {
            _ if !found.rest_holds => Verdict::Fails,
            None if self.needs_interval => Verdict::Open,
            interval => found.limit.verdict(interval.unwrap_or(point)),
        };
        let met = values.iter().filter(|value| found.limit.holds(**value)).count();
        let places = [("holding", met.into()), ("replications", values.len().into())];
        let mut detail = fill(&found.detail, &places);
        let published: Vec<_> = self.published.iter().filter_map(|table| entry.evaluate(*table)).collect();
        let values: Vec<f64> = published.iter().map(|found| found.value).collect();
        let is = published.first().map_or(found.limit, |published| published.limit);
        let ends = range(values.iter().copied());
        let stated = entry.stated();
        let on_published = match (ends, stated) {
            (Some(_), _) if !published.iter().all(|found| found.rest_holds) => Some(Verdict::Fails),
            (Some((low, high)), _) if low < high => Some(is.verdict((low, high))),
            (Some((value, _)), _) | (None, Some(value)) => Some(Verdict::from_bool(is.holds(value))),
            (None, None) => None,
        };
        let shown = published.iter().map(|found| found.shown).collect::<Option<Vec<f64>>>();
        let table = shown.filter(|shown| !shown.is_empty()).map(|shown| mean(&shown));
        // The mean over the replications replaces the deciding number of the pooled results.
        let ours = found.shown.map(|shown| if shown == found.value { estimate.value } else { shown });
        if let Some(published) = published.first().filter(|_| self.shows_published_details) {
            detail = format!("{detail}; published: {}", published.detail);
        }
        let claim = Claim::new(&entry.source, &entry.text, verdict, detail).within(&entry.scope);
        Some(
            claim
                .with_values(ours, table.or(stated))
                .with_interval(estimate.interval)
                .with_published_verdict(on_published),
        )
    }
}
