//! Claims of sections 7.2.1 and 7.4, and of tables 7.1 and 7.2, about the results (`claims.toml`),
//! checked with the first setting.
//!
//! A claim that a difference is positive *holds* if the 95 % interval of its mean is above zero,
//! *fails* if no part of it is above zero, and is *open* otherwise, and with a single replication.

use crate::engine::Approach::{self, Dynamic, DynamicMigration, Xen};
use crate::engine::sharing::Sharing;
use crate::published::Published::{self, Balanced};
use crate::rows::{self, AVERAGE_MINIMUM, METRICS, MINIMUM_AVERAGE, Row};
use crate::scenario::{Discovery, Setting};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::query::{Cells, ClaimChecker, Entries, Limit, sources};
use dfrsim_lab::{Bootstrap, Claim, Long, Verdict};
use std::collections::BTreeMap;
use std::sync::LazyLock;

const SOURCE: &str = "dissertation, section 7.4";

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("discovery/claims.toml", include_str!("../claims.toml")));

/// Cost of discovery less cost of migration, as a value of the column of approaches: (Xen - DYNAMIC)
/// - (DYNAMIC - DYNAMIC+MIGRATION).
const COSTS: &str = "Xen - 2 DYNAMIC + DYNAMIC+MIGRATION";

/// Builds the cells of both metrics for each replication, or published run.
fn each(values: &Values<'_>) -> Vec<Cells<'static>> {
    let columns = ["workload", "approach", "replication"];
    let mut cells = Cells::new(&columns, &METRICS, &["replication"]);
    for table in Published::ALL {
        for &approach in Approach::ALL {
            let [average, minimum] =
                METRICS.map(|metric| values(*table, approach, metric).unwrap_or_default());
            for (replication, average) in average {
                let labels = [table.workload_kind(), approach.name(), &replication.to_string()];
                cells.push(labels, [Some(average), minimum.get(&replication).copied()]);
            }
        }
    }
    for (replication, [xen, dynamic, migration]) in all_three(values, AVERAGE_MINIMUM) {
        let sum = xen - 2.0 * dynamic + migration;
        cells.push([Balanced.workload_kind(), COSTS, &replication.to_string()], [Some(sum), None]);
    }
    cells.split("replication")
}

/// Returns a metric of Xen, DYNAMIC and DYNAMIC+MIGRATION with balanced loads, for the replications
/// that have all three.
fn all_three(values: &Values<'_>, metric: &str) -> Vec<(u32, [f64; 3])> {
    let [xen, dynamic, migration] = [Xen, Dynamic, DynamicMigration]
        .map(|approach| values(Balanced, approach, metric).unwrap_or_default());
    let all =
        xen.into_iter().filter_map(|(at, xen)| Some((at, [xen, *dynamic.get(&at)?, *migration.get(&at)?])));
    all.collect()
}

/// Returns the claims for which the scenario has the workloads and approaches.
pub(crate) fn all(scenario: &Scenario<Discovery>, rows: &Long<Row>) -> Vec<Claim> {
    let ours = |table, approach, metric: &_| values(scenario, rows, table, approach, metric);
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let claims = evaluate_claims(&each(&ours), &bootstrap);
    claims.into_iter().chain(better_or_worst(&ours)).chain(caps(scenario, rows, &bootstrap)).collect()
}

fn evaluate_claims(ours: &[Cells<'_>], bootstrap: &Bootstrap) -> Vec<Claim> {
    let runs = each(&|table, approach, metric: &_| Some(by_run_number(table.runs(approach, metric)?)));
    let judge = |first: &Cells<'_>| {
        let judge = ClaimChecker {
            replications: sources(ours),
            published: sources(&runs),
            estimate: &bootstrap.estimator(),
            needs_interval: true,
            ..ClaimChecker::without_replications(first)
        };
        judge.claims(CLAIMS.iter())
    };
    ours.first().map(judge).unwrap_or_default()
}

/// Returns the claims of section 7.2.1, where a version with caps performed poorly. They compare the
/// first setting with caps with the first setting, for the policies that set weights.
fn caps(scenario: &Scenario<Discovery>, rows: &Long<Row>, bootstrap: &Bootstrap) -> Vec<Claim> {
    let standard = scenario.settings.first().filter(|setting| setting.sharing == Sharing::Weights);
    let with_caps = scenario.settings.iter().find(|setting| setting.sharing == Sharing::Caps);
    let (Some(standard), Some(with_caps)) = (standard, with_caps) else { return Vec::new() };
    let mut claims = Vec::new();
    for workload in scenario.workloads.iter().filter(|workload| workload.published.is_some()) {
        for approach in [Dynamic, DynamicMigration] {
            for metric in METRICS {
                let values = |setting: &Setting| {
                    rows::by_replication(rows, &workload.name, &setting.name, approach, metric)
                };
                let (weights, caps) = (values(standard), values(with_caps));
                let lost = weights.iter().filter_map(|(replication, own)| Some(own - caps.get(replication)?));
                let lost: Vec<f64> = lost.collect();
                let Some(estimate) = bootstrap.mean(&lost) else { continue };
                let above = lost.iter().filter(|lost| **lost > 0.0).count();
                let text = "with caps instead of weights the policies perform worse";
                let detail = format!("above 0 in {above} of {} replications", lost.len());
                let claim = Limit::above(0.0).claim("dissertation, section 7.2.1", text, estimate, detail);
                let name = metric.replace('_', " ");
                let scope = format!("{name}: {} {approach} with weights - with caps", workload.name);
                claims.push(claim.within(scope));
            }
        }
    }
    claims
}

/// Function that returns a metric of an approach in each replication.
type Values<'a> = dyn Fn(Published, Approach, &str) -> Option<BTreeMap<u32, f64>> + 'a;

/// Numbers published runs as replications.
fn by_run_number(runs: [f64; 2]) -> BTreeMap<u32, f64> {
    (0..).zip(runs).collect()
}

fn values(
    scenario: &Scenario<Discovery>,
    rows: &Long<Row>,
    table: Published,
    approach: Approach,
    metric: &str,
) -> Option<BTreeMap<u32, f64>> {
    let workload = scenario.workloads.iter().find(|workload| workload.published == Some(table))?;
    let values =
        rows::by_replication(rows, &workload.name, &scenario.settings.first()?.name, approach, metric);
    (!values.is_empty()).then_some(values)
}

/// Returns a claim about the minimum average yield of DYNAMIC+MIGRATION. In one of the published
/// runs it was better than Xen, in the other it was the worst of the three. The claim holds if each
/// happens in at least a twentieth of the replications.
fn better_or_worst(ours: &Values<'_>) -> Option<Claim> {
    let counts = |values: &Values<'_>| {
        let all = all_three(values, MINIMUM_AVERAGE);
        let better = all.iter().filter(|(_, [xen, _, migration])| migration > xen).count();
        let worst =
            all.iter().filter(|(_, [xen, dynamic, migration])| *migration < xen.min(*dynamic)).count();
        (!all.is_empty()).then_some((better, worst, all.len()))
    };
    let holds = |(better, worst, all): (usize, usize, usize)| match better.min(worst) {
        rarer if rarer * 20 >= all => Verdict::Holds,
        // The share is below one in twenty, significantly.
        rarer if binomial_cdf(rarer, all) < 0.05 => Verdict::Fails,
        _ => Verdict::Open,
    };
    let (own, runs) = (
        counts(ours)?,
        counts(&|table, approach, metric: &_| Some(by_run_number(table.runs(approach, metric)?)))?,
    );
    let (better, worst, all) = own;
    let claim = Claim::new(
        SOURCE,
        "balanced: by the minimum average yield DYNAMIC+MIGRATION is sometimes better than Xen, sometimes the worst (each \
         in 5 % of the replications or more)",
        holds(own),
        format!("better in {better}, worst in {worst} of {all} replications"),
    );
    Some(claim.with_published_verdict(Some(holds(runs))))
}

/// Computes the probability of at most `successes` successes, if each trial succeeds with
/// probability 0.05.
fn binomial_cdf(successes: usize, trials: usize) -> f64 {
    const CHANCE: f64 = 0.05;
    let mut term = (1.0 - CHANCE).powi(trials as i32);
    let mut sum = term;
    for success in 1..=successes {
        term *= (trials + 1 - success) as f64 / success as f64 * CHANCE / (1.0 - CHANCE);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that none of 8 is not significantly rare, and that none of 100 is: 0.95^8 = 0.66 and
    /// 0.95^100 = 0.006.
    #[test]
    fn rare_events_need_replications() {
        assert!((binomial_cdf(0, 8) - 0.663_420).abs() < 1e-6);
        assert!(binomial_cdf(0, 100) < 0.01 && binomial_cdf(1, 100) < 0.05 && binomial_cdf(2, 100) > 0.05);
        assert!((binomial_cdf(2, 2) - 1.0).abs() < 1e-12);
    }

    fn published(table: Published, approach: Approach, metric: &str) -> Option<BTreeMap<u32, f64>> {
        Some(by_run_number(table.runs(approach, metric)?))
    }

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&each(&published)[0]), [""; 0]);
    }

    /// Checks that differences are between values of one replication, even if some failed, and that
    /// a claim needs all of its approaches.
    #[test]
    fn differences_are_replication_by_replication() {
        let values = |table, approach, _: &_| match (table, approach) {
            (Balanced, Xen) => Some(BTreeMap::from([(0, 0.5), (2, 0.75)])),
            (Balanced, Dynamic) => Some(BTreeMap::from([(0, 0.25), (1, 0.125), (2, 1.0)])),
            _ => None,
        };
        let asked = each(&values);
        let found: Vec<Vec<f64>> = CLAIMS
            .iter()
            .take(3)
            .map(|entry| asked.iter().filter_map(|one| Some(entry.evaluate(one)?.value)).collect())
            .collect();
        assert_eq!(found, [vec![0.25, -0.25], vec![], vec![]], "there is no DYNAMIC+MIGRATION");
    }

    /// Checks that every claim holds in both published runs except one: that with hogs migration
    /// lowers the average minimum yield further, 0.124 to 0.133 and 0.123 to 0.113.
    #[test]
    fn claims_hold_on_the_published_tables() {
        let claims = evaluate_claims(&each(&published), &Bootstrap::for_tables(1));
        assert_eq!(claims.len(), 28);
        for claim in claims {
            let expected = match claim.claim.as_str() {
                "unbalanced: migration lowers the average minimum yield further" => Verdict::Open,
                _ => Verdict::Holds,
            };
            assert_eq!(claim.verdict_published, Some(expected), "{}", claim.claim);
        }
        assert_eq!(better_or_worst(&published).unwrap().verdict, Verdict::Holds);
    }
}
