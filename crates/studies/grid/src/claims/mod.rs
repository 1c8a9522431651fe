//! What sections 4.1 to 4.3 and 6 of the text say, each checked on our values and on the published tables.
//!
//! "On average" is the mean over the workloads, "usually" and "most" more than half of the cases. A case is a workload with a
//! platform, a local policy and a heuristic.

mod check;
mod statements;

use crate::metrics::Metrics;
use crate::published;
use dfrsim_lab::{Claim, Verdict};
use statements::STATEMENTS;

/// All statements for which the scenario has what they are about.
pub(crate) fn claims(metrics: &Metrics) -> Vec<Claim> {
    let claim = |(section, text, check): &(&str, &str, check::Check)| {
        let ours = check.find(metrics)?;
        let published = check.find(published::tables());
        let claim =
            Claim::new(format!("RR-7226, {section}"), *text, Verdict::from_bool(ours.holds), ours.detail);
        let verdict = published.as_ref().map(|published| Verdict::from_bool(published.holds));
        Some(
            claim
                .with_values(ours.value, published.and_then(|published| published.value))
                .with_published_verdict(verdict),
        )
    };
    STATEMENTS.iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the text says holds on its own tables.
    #[test]
    fn statements_hold_on_the_published_tables() {
        let claims = claims(published::tables());
        assert_eq!(claims.len(), STATEMENTS.len());
        let failing: Vec<&str> = (claims.iter())
            .filter(|claim| claim.verdict_published != Some(Verdict::Holds))
            .map(|claim| claim.claim.as_str())
            .collect();
        assert_eq!(failing, [""; 0]);
    }
}
