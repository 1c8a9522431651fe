//! Claims of the dissertation about its results and choices (sections 5.3, 5.4, 6.1 and 6.3;
//! `claims.toml`), checked on our results and on its own tables; and claims about tau, which it does
//! not name.
//!
//! The verdicts on our results are confirmed by resampling: weeks, or traces with all of their loads,
//! are drawn with replacement. A statement is open unless 97.5 % of the resamples agree with it.
//! Published values are those of the policies that were simulated.

mod burst_buffers;
mod cells;
mod checks;
mod devices;
mod numbers;
mod power;
mod sample;
mod statement;
mod vcsim;

use crate::groups::Matrix;
use cells::{ours, published};
use checks::{largest_growth, rank_agreement};
use dfrsim_lab::query::{Cells, ClaimChecker, ClaimEntry, Entries, QueryResult, Source, fill};
use dfrsim_lab::{Bootstrap, Claim, Verdict};
use dfrsim_policies::Policy;
use sample::Sample;
use statement::Statement;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const SOURCE: &str = "dissertation, sections 5.4 and 6.1";
const CHOICES: &str = "dissertation, sections 5.3 and 5.4";
const PERIODS: &str = "dissertation, section 6.3";
/// Beginning of the statements that compare the growth with the period on all sets.
const GROWTH: &str = "From a period of 600";
/// Set with the largest growth, according to the text.
const LARGEST_GROWTH: &str = "scaled";

/// Number of resamples for intervals and verdicts.
const RESAMPLES: usize = 1_000;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims.toml", include_str!("../../claims.toml")));

/// Returns all claims that a scenario can decide: those on each workload that is compared with a
/// published table of degradations, and those on its periods, penalties, taus, limits and estimates.
pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<Claim> {
    all_by(matrix, &Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(matrix.scenario.seed) })
}

fn all_by(matrix: &Matrix<'_>, bootstrap: &Bootstrap) -> Vec<Claim> {
    let groups = matrix.groups();
    let workloads = &matrix.scenario.workloads;
    let sample = |name: &String| Sample::new(groups.iter().filter(|it| it.scope.workload.name == *name));
    let samples: Vec<Sample<'_, '_>> = workloads.iter().map(|workload| sample(&workload.name)).collect();
    let cells: Vec<Cells<'static>> = samples.iter().map(|sample| ours(matrix, sample)).collect();
    let compared: Vec<(usize, Cells<'static>)> = (workloads.iter().enumerate())
        .filter_map(|(at, workload)| Some((at, workload.degradations()?)))
        .map(|(at, table)| {
            let simulated: BTreeSet<String> =
                samples[at].groups().map(|group| group.setting.policy.to_string()).collect();
            (at, published(table, |policy: Policy| simulated.contains(&policy.to_string())))
        })
        .collect();
    let named = |at: usize| workloads[at].name.as_str();
    let mut statements = Vec::new();
    for (at, theirs) in &compared {
        let entries = CLAIMS.of(SOURCE).filter_map(|entry| on_workload(entry, *at, &cells, Some(theirs)));
        statements.extend(entries.map(|statement| statement.within(named(*at))));
    }
    let with_vcsim = statements.len();
    for at in 0..workloads.len() {
        let entries = CLAIMS.of(PERIODS).filter_map(|entry| on_workload(entry, at, &cells, None));
        statements.extend(entries.map(|statement| statement.within(named(at))));
    }
    statements.extend(compare_growths(&cells).map(|statement| {
        let scope = statement.workloads.iter().map(|&at| named(at)).collect::<Vec<_>>().join(", ");
        statement.within(&scope)
    }));
    let estimates = matrix.scenario.simulation.estimates.to_string();
    for at in 0..workloads.len() {
        for mut statement in CLAIMS.of(CHOICES).filter_map(|entry| on_workload(entry, at, &cells, None)) {
            statement.claim.claim = fill(&statement.claim.claim, &[("estimates", (&estimates).into())]);
            statements.push(statement.within(named(at)));
        }
    }
    for (place, (one, first)) in compared.iter().enumerate() {
        for (other, second) in &compared[place + 1..] {
            let scope = format!("{}, {}", named(*one), named(*other));
            let published = rank_agreement(first, second);
            let entries = CLAIMS.of(SOURCE).filter_map(|entry| {
                let find = move |cells: &[Cells<'static>]| {
                    entry.evaluate(&rank_agreement(&cells[*one], &cells[*other]))
                };
                let claim = judged(entry, &rank_agreement(&cells[*one], &cells[*other]), Some(&published))?;
                Some(Statement { workloads: vec![*one, *other], ..Statement::new(entry, claim, find) })
            });
            statements.extend(entries.map(|statement| statement.within(&scope)));
        }
    }
    let mut claims = statement::confirm(&statements, &samples, &cells, bootstrap);
    let others = vcsim::all(matrix, &groups)
        .into_iter()
        .chain(devices::all(matrix, &groups))
        .chain(power::all(matrix, &groups))
        .chain(burst_buffers::all(matrix, &groups));
    claims.splice(with_vcsim..with_vcsim, others);
    claims
}

impl<'a> Statement<'a> {
    fn new(
        entry: &ClaimEntry,
        claim: Claim,
        find: impl Fn(&[Cells<'static>]) -> Option<QueryResult> + Send + Sync + 'a,
    ) -> Statement<'a> {
        Statement { claim, proven: entry.proven, workloads: Vec::new(), find: Box::new(find) }
    }
    fn within(self, scope: &str) -> Statement<'a> {
        Statement { claim: self.claim.within(scope), ..self }
    }
}

/// Checks a claim on a source, and on published tables where there are any; `None` if the source lacks
/// data that it needs.
fn judged(entry: &ClaimEntry, ours: &Cells<'_>, published: Option<&Cells<'_>>) -> Option<Claim> {
    let published = published.into_iter().map(|cells| cells as &dyn Source).collect();
    let judge =
        ClaimChecker { published, shows_published_details: true, ..ClaimChecker::without_replications(ours) };
    judge.claim(entry)
}

/// Creates the statement of a claim about one workload.
fn on_workload(
    entry: &'static ClaimEntry,
    at: usize,
    cells: &[Cells<'static>],
    published: Option<&Cells<'_>>,
) -> Option<Statement<'static>> {
    let claim = judged(entry, &cells[at], published)?;
    let find = move |cells: &[Cells<'static>]| entry.evaluate(&cells[at]);
    Some(Statement { workloads: vec![at], ..Statement::new(entry, claim, find) })
}

/// Returns the growth with the period on a workload, and whether the workload is the set of which the
/// text says that it has the largest.
fn growth(cells: &Cells<'static>) -> Option<(f64, bool)> {
    let mut entries = CLAIMS.of(PERIODS).filter(|entry| entry.text.starts_with(GROWTH));
    entries.find_map(|entry| {
        let set = entry.query.lines()?.filter.label("set");
        Some((entry.evaluate(cells)?.value, set == Some(LARGEST_GROWTH)))
    })
}

/// Creates the statement that one set has the largest growth with the period, if that set and others
/// have one.
fn compare_growths(cells: &[Cells<'static>]) -> Option<Statement<'static>> {
    let (mut here, mut others) = (None, Vec::new());
    for (at, (_, is_meant)) in cells.iter().enumerate().filter_map(|(at, cells)| Some((at, growth(cells)?))) {
        if is_meant { here = here.or(Some(at)) } else { others.push(at) }
    }
    let here = here?;
    let workloads = std::iter::once(here).chain(others.iter().copied()).collect();
    let find = move |cells: &[Cells<'static>]| {
        let value = |at: usize| Some(growth(&cells[at])?.0);
        largest_growth(value(here)?, &others.iter().map(|&at| value(at)).collect::<Option<Vec<_>>>()?)
    };
    let found = find(cells)?;
    let verdict = Verdict::from_bool(found.holds());
    let claim = Claim::new(
        PERIODS,
        "The degradation grows most with the period on the scaled set",
        verdict,
        found.detail,
    )
    .with_values(found.shown, None);
    Some(Statement { claim, proven: None, workloads, find: Box::new(find) })
}

#[cfg(test)]
mod tests {
    use super::cells::{BEST, CONDITIONS, Line, is_other_limit, query_cells};
    use super::sample::sorted_by_policy;
    use super::*;
    use crate::published::Published;
    use crate::setting::settings;
    use crate::{Online, SimulationRow};
    use dfrsim_lab::fields::{Environment, Scenario, ScenarioSource};
    use dfrsim_lab::{KeyBuilder, Long, Record};
    use dfrsim_model::{Seed, SimSpan};
    use rand_distr::{Distribution as _, StandardNormal};

    fn find(text: &str, cells: &Cells<'_>) -> Option<QueryResult> {
        CLAIMS.iter().find(|entry| entry.text.starts_with(text)).unwrap().evaluate(cells)
    }

    /// Mean degradations under some conditions.
    fn means(under: &[(&'static str, &str)], values: &[(&str, f64)]) -> Vec<Line> {
        let conditions: Vec<String> = under.iter().map(|(_, label)| (*label).to_owned()).collect();
        let line = |(name, mean): &(&str, f64)| Line {
            policy: name.parse().unwrap(),
            conditions: conditions.clone(),
            numbers: [Some(*mean), None, None, None, None],
        };
        values.iter().map(line).collect()
    }

    fn cells_of(conditions: &[&'static str], lines: Vec<Line>) -> Cells<'static> {
        query_cells(conditions, &sorted_by_policy(lines, |line| line.policy))
    }

    #[test]
    fn statements_name_what_there_is() {
        let cells = query_cells(&CONDITIONS, &[]).with("order", |_, _| None);
        assert_eq!(CLAIMS.undefined_names(&cells), [""; 0]);
    }

    #[test]
    fn partners_are_found_and_all_must_agree() {
        let mut values = vec![
            ("Greedy/per/OPT=MIN", 2.0),
            ("Greedy/per/OPT=AVG", 2.5),
            ("/per/OPT=MIN/MVT=600", 3.0),
            ("/per/OPT=AVG/MVT=600", 3.0),
            ("MCB*/OPT=MIN", 9.0),
        ];
        let check = |values: &[(&str, f64)]| find("OPT=MIN", &cells_of(&[], means(&[], values))).unwrap();
        let met = check(&values);
        assert!(met.holds());
        assert_eq!(
            met.detail,
            "2 of 2; ratios from 0.800 (Greedy/per/OPT=MIN) to 1.000 (/per/OPT=MIN/MVT=600)"
        );
        values.push(("MCB*/OPT=AVG", 6.0));
        assert!(!check(&values).holds());
    }

    /// Checks all claims on all published tables. The text says "never" and "always" of differences
    /// that it finds in nearly all pairs, and its factor of 10 is that of the HPC2N set.
    #[test]
    fn the_published_tables_agree_with_the_text_but_for_single_pairs() {
        let average = "OPT=MIN is never worse than OPT=AVG";
        let flow_time = "MVT is better than MFT of the same limit";
        let longer = "MVT=600 is at most as bad as MVT=300";
        let tickless =
            "Greedy policies without ticks are better than with /per and no limit (said of real traces)";
        let stretch = "/stretch-per with MVT=600 is more than 10 times worse than the best policy";
        let star =
            "Without MVT or MFT, `*` changes Greedy/per, GreedyP/per and GreedyPM/per by less than 10 %";
        let synthetic =
            "Greedy policies without ticks are worse than with /per and no limit (said of synthetic traces)";
        let orders = "The fractional policies of table 5.2 are at least 100 times better than EASY";
        let vary = "The standard deviations of GreedyP* and GreedyPM* are orders of magnitude larger than with `/per` and MVT=600";
        for (table, expected) in [
            (
                Published::DissertationB1,
                &[
                    (average, "42 of 53"),
                    (flow_time, "19 of 20"),
                    (longer, "9 of 10"),
                    (star, "2 of 3"),
                    (tickless, "2 of 3"),
                    (synthetic, "1 of 3"),
                    (orders, "EASY 3041.9, Greedy*/OPT=MIN 949.80"),
                    (vary, "ratios of standard deviations: GreedyP* 4.8"),
                ][..],
            ),
            (
                Published::DissertationB2,
                &[
                    (average, "43 of 53"),
                    (tickless, "0 of 3"),
                    (orders, "EASY 4955.4"),
                    (stretch, "43.0"),
                    (vary, "ratios of standard deviations: GreedyP* 53.8"),
                ],
            ),
            (
                Published::DissertationB3,
                &[
                    (average, "45 of 53"),
                    (flow_time, "19 of 20"),
                    (tickless, "0 of 3"),
                    (orders, "EASY 5262.0"),
                    (stretch, "40.2"),
                ],
            ),
        ] {
            let cells = published(table, |_| true);
            let checked = CLAIMS.of(SOURCE).filter_map(|it| Some((it.text.as_str(), it.evaluate(&cells)?)));
            let checked: Vec<(&str, QueryResult)> = checked.collect();
            // All claims except those on each simulation, the two about every load, for which there is
            // no table, and that on two tables.
            assert_eq!(checked.len() + 4, CLAIMS.of(SOURCE).count());
            let failing: Vec<_> = checked.into_iter().filter(|(_, found)| !found.holds()).collect();
            assert_eq!(failing.len(), expected.len(), "{table}");
            for ((text, check), (expected, begin)) in failing.iter().zip(expected) {
                assert_eq!(text, expected, "{table}");
                assert!(check.detail.starts_with(begin), "{table}: {text}: {}", check.detail);
            }
        }
    }

    const WITHIN_SEVEN: &str = "At every penalty the best policy is within";
    const BEATS_EASY: &str = "At every penalty the best policy is at least";
    const LIMITS: &str = "For every limit";
    const LONGER: &str = "The longer the limit";

    /// Uses the published limits, and the one penalty as if there were two.
    #[test]
    fn the_published_tables_agree_with_choices() {
        for table in [Published::DissertationB1, Published::DissertationB2, Published::DissertationB3] {
            let values: Vec<(&str, f64)> = table.means().collect();
            let lines = ["300 s", "again"].map(|penalty| means(&[("penalty", penalty)], &values));
            let cells = cells_of(&["penalty"], lines.concat());
            for text in [WITHIN_SEVEN, BEATS_EASY, LIMITS, LONGER] {
                let found = find(text, &cells).unwrap();
                assert!(found.holds(), "{table}: {text}: {}", found.detail);
            }
            assert_eq!(find(LONGER, &cells).unwrap().detail.matches(" s: ").count(), 2);
            assert!(values.iter().all(|(name, _)| !is_other_limit(name.parse().unwrap())));
        }
    }

    #[test]
    fn penalties_are_compared() {
        let none = means(&[("penalty", "0 s")], &[("EASY", 1_000.0), (BEST, 3.0), ("MCB*/per/OPT=MIN", 4.0)]);
        let both = |values: &[(&str, f64)]| {
            cells_of(&["penalty"], [none.clone(), means(&[("penalty", "300 s")], values)].concat())
        };
        let cells = both(&[("EASY", 1_000.0), (BEST, 6.0), ("MCB*/per/OPT=MIN", 44.0)]);
        let near = find(WITHIN_SEVEN, &cells).unwrap();
        assert!(near.holds());
        assert_eq!(near.detail, format!("0 s: 3.00 ({BEST}); 300 s: 6.00 ({BEST})"));
        assert!(find(BEATS_EASY, &cells).unwrap().holds());
        let growth = find("The penalty of 300 s", &cells).unwrap();
        assert_eq!((growth.holds(), growth.shown), (true, Some(11.0)));
        assert!(find("The 20 s of live migration", &cells).is_none(), "it was not simulated");

        let far = both(&[("EASY", 500.0), (BEST, 8.0)]);
        assert!(!find(WITHIN_SEVEN, &far).unwrap().holds());
        assert!(!find(BEATS_EASY, &far).unwrap().holds());
    }

    #[test]
    fn limits_are_compared_by_their_lengths() {
        let name = |limit: &str| format!("GreedyPM*/per/OPT=MIN/{limit}");
        let (half, whole, long, flow) =
            (name("MVT=300"), name("MVT=600"), name("MVT=3600"), name("MFT=3600"));
        let holds = |longest: f64| {
            let values = [(half.as_str(), 6.0), (&whole, 5.0), (&long, longest), (&flow, 5.3)];
            let cells = cells_of(&[], means(&[], &values));
            [LONGER, LIMITS].map(|text| find(text, &cells).unwrap().holds())
        };
        assert!(is_other_limit(long.parse().unwrap()) && !is_other_limit(flow.parse().unwrap()));
        assert_eq!(holds(5.2), [true; 2]);
        assert_eq!(holds(5.4), [false; 2]);
    }

    /// Rows of a scenario whose degradations are those of the published table times random factors.
    fn rows(scenario: &Scenario<Online>, traces: u32) -> Long<SimulationRow> {
        let settings = settings(scenario);
        let mut rng = Seed::new(7).rng();
        let mut records = Vec::new();
        for trace in 0..traces {
            // A trace is hard or easy for all policies.
            let hardness: f64 = StandardNormal.sample(&mut rng);
            for setting in &settings {
                let noise: f64 = StandardNormal.sample(&mut rng);
                let policy = setting.policy.to_string();
                let [mean, _, _] = Published::DissertationB2.degradation(&policy).unwrap();
                let row = SimulationRow {
                    workload: scenario.workloads[0].name.clone(),
                    instance: format!("trace-{trace:03}"),
                    tau_s: scenario.simulation.taus[0],
                    degradation: mean * (0.5 * hardness + 0.6 * noise).exp(),
                    makespan_s: SimSpan::from_secs(100_000),
                    ..setting.label()
                };
                let key = KeyBuilder::new("test", 1).key();
                records.push(Record { key, outcome: Ok(row) });
            }
        }
        Long { records }
    }

    fn claims_of(traces: u32, seed: u64) -> Vec<Claim> {
        let text = "study = 'online'\npolicies = ['FCFS', 'EASY', { matching = '^(Greedy|MCB|/).*OPT=M' }]\n\
             [[workloads]]\nname = 'plain'\nnodes = 128\npublished = 'dissertation-b2'\n\
             lublin = { replications = 1 }\n";
        let environment = Environment::new();
        let source =
            ScenarioSource { text, name: "s.toml", folder: None, overrides: &[], environment: &environment };
        let scenario = Scenario::read(&source, "online").unwrap_or_else(|errors| panic!("{errors}"));
        let rows = rows(&scenario, traces);
        all_by(&Matrix::new(&scenario, &rows), &Bootstrap { resamples: 200, ..Bootstrap::for_tables(seed) })
    }

    /// Verdicts of other seeds may be open, but never the opposite, and every statement has an interval.
    #[test]
    fn verdicts_of_three_seeds_agree() {
        let [first, second, third] = [1, 2, 3].map(|seed| claims_of(40, seed));
        for claims in [&second, &third] {
            assert_eq!(claims.len(), first.len());
            for (one, other) in first.iter().zip(claims) {
                let verdicts = [one.verdict, other.verdict];
                assert!(
                    !(verdicts.contains(&Verdict::Holds) && verdicts.contains(&Verdict::Fails)),
                    "{}: {verdicts:?}",
                    one.claim
                );
            }
        }
        for claim in &first {
            let (ours, low, high) = (claim.ours.unwrap(), claim.low.unwrap(), claim.high.unwrap());
            assert!(low <= high && low.is_finite() && ours.is_finite(), "{claim:?}");
        }
        let count = |verdict| first.iter().filter(|claim| claim.verdict == verdict).count();
        let counts = [Verdict::Holds, Verdict::Fails, Verdict::Open].map(count);
        assert!(counts.iter().all(|count| *count > 2), "{counts:?}");
    }

    #[test]
    fn few_traces_decide_nothing() {
        let claims = claims_of(5, 1);
        assert!(
            claims.iter().all(|claim| claim.verdict == Verdict::Open && claim.low.is_none()),
            "{claims:?}"
        );
    }

    /// The published side has the policies of the run alone: of the fifty-three pairs of all policies,
    /// this run has none with OPT=AVG.
    #[test]
    fn published_values_are_of_the_same_policies() {
        let cells = published(Published::DissertationB2, |policy| !policy.to_string().contains("AVG"));
        assert!(find("OPT=MIN", &cells).is_none());
        assert!(find("GreedyP is better", &cells).is_some());
    }
}
