//! Verdicts on statements.

use super::{Entry, Source, fill};
use crate::claims::{Claim, Verdict};
use crate::table::{Bootstrap, Estimate, mean, range};

/// What statements are judged by.
pub struct Judge<'a> {
    /// All results together: what details say is found in them.
    pub all: &'a dyn Source,
    /// The results of each replication: the value of a statement is the mean of what is found in each. Without any, it is found
    /// in all, and has no interval.
    pub each: Vec<&'a dyn Source>,
    /// The published tables, or runs.
    pub published: Vec<&'a dyn Source>,
    /// How the mean of values of replications is estimated.
    pub estimate: &'a dyn Fn(&[f64]) -> Option<Estimate>,
    /// Leaves a statement open if its value has no interval.
    pub needs_interval: bool,
    /// Whether details also say what is found in the published tables.
    pub details_published: bool,
}

impl Bootstrap {
    /// The mean of values, for [`Judge::estimate`].
    pub fn estimator(&self) -> impl Fn(&[f64]) -> Option<Estimate> + '_ {
        |values| self.mean(values)
    }
}

impl<'a> Judge<'a> {
    /// By these results alone: without replications, published tables and intervals.
    pub fn by(all: &'a dyn Source) -> Judge<'a> {
        Judge {
            all,
            each: Vec::new(),
            published: Vec::new(),
            estimate: &|_| None,
            needs_interval: false,
            details_published: false,
        }
    }

    /// The statements that the results can decide.
    pub fn claims<'e>(&self, entries: impl IntoIterator<Item = &'e Entry>) -> Vec<Claim> {
        entries.into_iter().filter_map(|entry| self.claim(entry)).collect()
    }

    /// A statement; `None` where results that it is about are missing.
    pub fn claim(&self, entry: &Entry) -> Option<Claim> {
        let found = entry.find(self.all)?;
        let values: Vec<f64> = self.each.iter().filter_map(|one| Some(entry.find(*one)?.value)).collect();
        let estimate = match self.each.is_empty() {
            true => Estimate { value: found.value, interval: None },
            false => (self.estimate)(&values)?,
        };
        let point = (estimate.value, estimate.value);
        let verdict = match estimate.interval {
            _ if !found.rest_holds => Verdict::Fails,
            None if self.needs_interval => Verdict::Open,
            interval => found.is.verdict(interval.unwrap_or(point)),
        };
        let met = values.iter().filter(|value| found.is.holds(**value)).count();
        let places = [("holding", met.into()), ("replications", values.len().into())];
        let mut detail = fill(&found.detail, &places);
        let published: Vec<_> = self.published.iter().filter_map(|table| entry.find(*table)).collect();
        let values: Vec<f64> = published.iter().map(|found| found.value).collect();
        let is = published.first().map_or(found.is, |published| published.is);
        let ends = range(values.iter().copied());
        let stated = entry.published.or(entry.is.equal);
        let on_published = match (ends, stated) {
            (Some(_), _) if !published.iter().all(|found| found.rest_holds) => Some(Verdict::Fails),
            (Some((low, high)), _) if low < high => Some(is.verdict((low, high))),
            (Some((value, _)), _) | (None, Some(value)) => Some(Verdict::from_bool(is.holds(value))),
            (None, None) => None,
        };
        let shown = published.iter().map(|found| found.shown).collect::<Option<Vec<f64>>>();
        let table = shown.filter(|shown| !shown.is_empty()).map(|shown| mean(&shown));
        // The mean over the replications takes the place of the number that decides.
        let ours = found.shown.map(|shown| if shown == found.value { estimate.value } else { shown });
        if let Some(published) = published.first().filter(|_| self.details_published) {
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
