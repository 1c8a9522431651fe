//! Verdicts confirmed by resampling.

use super::QueryResult;
use crate::claims::{Claim, Verdict};
use crate::table::Bootstrap;

impl Bootstrap {
    /// Adds the percentile interval of the claim's number over the resamples.
    ///
    /// The verdict becomes `Open` unless at least the fraction `1 - tail` of the resamples agrees
    /// with it, where `tail` is half of the error probability. A verdict that a single result
    /// [proves](super::ClaimEntry::proven) needs no agreement. A missing example refutes nothing, because
    /// further results may contain one.
    pub fn confirm(&self, proven: Option<Verdict>, claim: Claim, resamples: &[QueryResult]) -> Claim {
        if proven == Some(claim.verdict) {
            return claim;
        }
        let holding = resamples.iter().filter(|found| found.holds()).count();
        let part = holding as f64 / resamples.len().max(1) as f64;
        let agreeing = match claim.verdict {
            Verdict::Holds => part,
            Verdict::Fails if proven == Some(Verdict::Holds) => 0.0,
            Verdict::Fails => 1.0 - part,
            Verdict::Open | Verdict::Undecided => 0.0,
        };
        let shown: Vec<f64> = resamples.iter().filter_map(|found| found.shown).collect();
        let interval = claim.ours.and_then(|_| self.percentiles(shown));
        let claim = claim.with_interval(interval);
        if agreeing >= 1.0 - self.tail() {
            return claim;
        }
        let detail = format!("{}; so in {:.1} % of the resamples", claim.detail, 100.0 * part);
        Claim { verdict: Verdict::Open, detail, ..claim }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Limit;

    #[test]
    fn a_verdict_needs_most_of_the_resamples() {
        let bootstrap = Bootstrap { resamples: 100, ..Bootstrap::for_tables(1) };
        let judged_by = |proven: Option<Verdict>, verdict, holding: usize| {
            let found = |at| QueryResult::new(if at < holding { 0.1 } else { 0.9 }, Limit::at_most(0.5), "");
            let claim = Claim::new("", "", verdict, "detail").with_values(Some(0.1), None);
            bootstrap.confirm(proven, claim, &(0..100).map(found).collect::<Vec<_>>())
        };
        let judged = |verdict, holding| judged_by(None, verdict, holding);
        assert_eq!([97, 98, 100].map(|holding| judged(Verdict::Holds, holding).verdict), {
            use Verdict::{Holds, Open};
            [Open, Holds, Holds]
        });
        assert_eq!([0, 2, 3, 100].map(|holding| judged(Verdict::Fails, holding).verdict), {
            use Verdict::{Fails, Open};
            [Fails, Fails, Open, Open]
        });
        let open = judged(Verdict::Holds, 60);
        assert_eq!((open.low, open.high), (Some(0.1), Some(0.9)));
        assert_eq!(open.detail, "detail; so in 60.0 % of the resamples");
        assert_eq!(judged(Verdict::Holds, 98).detail, "detail");
        // One example proves existence, and one counter-example refutes a universal claim.
        let (example, counter) = (Some(Verdict::Holds), Some(Verdict::Fails));
        assert_eq!(judged_by(example, Verdict::Holds, 60).verdict, Verdict::Holds);
        assert_eq!(judged_by(example, Verdict::Fails, 0).verdict, Verdict::Open);
        assert_eq!(judged_by(counter, Verdict::Fails, 40).verdict, Verdict::Fails);
        assert_eq!(judged_by(counter, Verdict::Holds, 100).verdict, Verdict::Holds);
    }
}
