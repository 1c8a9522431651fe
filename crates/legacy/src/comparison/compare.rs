//! Differences and ratios of pairs, group by group.

use super::bootstrap::{Bootstrap, Confidence, Estimates};
use super::pairing::{Pairing, Policies, pair};
use crate::column::Columns as _;
use crate::instance::unscaled_name;
use crate::row::{Figures, Row};
use crate::setting::Label;
use crate::tables::GroupKey;
use crate::tables::groups::{LeastLoads, Scope, scopes};
use crate::{Results, UnknownFigure, manifest};
use dfrsim_model::{Seed, SimSpan};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A figure that rows have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(&'static str);

impl Column {
    /// The degradation from the bound.
    pub const DEGRADATION: Column = Column("degradation");

    /// Its name in `rows.csv`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
    /// Whether more of it is better; of most figures less is.
    #[must_use]
    pub fn more_is_better(self) -> bool {
        matches!(self.0, "utilisation" | "counted")
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl FromStr for Column {
    type Err = UnknownFigure;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Figures::COLUMNS.iter().find(|column| **column == name);
        known.map(|column| Column(column)).ok_or_else(|| UnknownFigure::new(name, Figures::COLUMNS))
    }
}

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// The policy of A; nothing for all.
    pub policy: Option<String>,
    /// The policy of B; nothing for the same as that of A.
    pub with: Option<String>,
    /// The figures.
    pub figures: Vec<Column>,
    /// The seed of the bootstrap.
    pub seed: u64,
    /// How many resamples an interval is made from; at least one.
    pub resamples: usize,
    /// The confidence of intervals.
    pub confidence: Confidence,
}

impl Default for CompareOptions {
    /// The degradation of all policies, 10,000 resamples, 95 %.
    fn default() -> CompareOptions {
        CompareOptions {
            policy: None,
            with: None,
            figures: vec![Column::DEGRADATION],
            seed: 1,
            resamples: 10_000,
            confidence: Confidence::default(),
        }
    }
}

/// Why two results cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A policy is not among the results.
    #[error("{}: there is no policy `{policy}`; there are: {}", folder.display(), known.join(", "))]
    Policy {
        /// The folder of the results.
        folder: PathBuf,
        /// What was asked for.
        policy: String,
        /// The policies of the results.
        known: Vec<String>,
    },
    /// A manifest cannot be understood.
    #[error("{}: {message}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No row of the one belongs to a row of the other.
    #[error(
        "no row of A ({only_in_a}) has the workload, instance and setting of a row of B ({only_in_b}){}",
        if *other_jobs > 0 { format!("; {other_jobs} pairs are of the same name, but of other jobs") } else { String::new() }
    )]
    NothingCommon {
        /// Rows of A.
        only_in_a: usize,
        /// Rows of B.
        only_in_b: usize,
        /// Pairs of instances with the same name and other jobs.
        other_jobs: usize,
    },
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The policies that were asked for: of A, of B.
    pub policies: (Option<String>, Option<String>),
    /// The confidence of intervals.
    pub confidence: Confidence,
    /// How many resamples intervals are made from.
    pub resamples: usize,
    /// For each group of the tables the figures that were asked for.
    pub groups: Vec<GroupComparison>,
    /// Rows of A that have none in B.
    pub only_in_a: usize,
    /// Rows of B that have none in A.
    pub only_in_b: usize,
    /// Pairs that are left out because an instance of the same name has other jobs in B.
    pub other_jobs: usize,
    /// Pairs that are left out because a simulation of them failed.
    pub failed: usize,
    /// The semantics versions of A and B.
    pub semantics: (u32, u32),
}

/// One figure of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupComparison {
    /// The group, with the policy of A; what matters to one of the policies only is from that one.
    pub key: GroupKey,
    /// The policy of B.
    pub with: String,
    /// The figure.
    pub figure: Column,
    /// The pairs, in the order of A.
    pub pairs: Vec<Pair>,
    /// Pairs in which B is better.
    pub wins: usize,
    /// Pairs in which both are equal.
    pub ties: usize,
    /// Pairs in which B is worse.
    pub losses: usize,
    /// The differences B - A.
    pub difference: Estimates,
    /// The ratios B / A of those pairs in which both are above zero, with their geometric mean, and that of the two in the
    /// middle where the median lies between them; nothing if there is no such pair.
    pub ratio: Option<Estimates>,
    /// Of how many pairs.
    pub ratios: usize,
}

/// A figure of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The instance.
    pub instance: String,
    /// The load that its trace was scaled to.
    pub load: Option<f64>,
    /// The figure in A.
    pub a: f64,
    /// The figure in B.
    pub b: f64,
}

impl Pair {
    /// B - A.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
    /// B / A, if both are above zero.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.a > 0.0 && self.b > 0.0).then(|| self.b / self.a)
    }
}

/// Compares two results, which may be the same with two policies of it.
///
/// The intervals depend on the rows and the options only, those of one group not on what other groups there are.
///
/// # Errors
/// If a policy is not there, a manifest is damaged, or no rows belong together.
pub fn compare(a: &Results, b: &Results, options: &CompareOptions) -> Result<Comparison, CompareError> {
    let policies = Policies { of_a: options.policy.as_deref(), of_b: options.with.as_deref() };
    has_policy(a, policies.of_a)?;
    has_policy(b, policies.of_b.or(policies.of_a))?;
    let (origin_a, origin_b) = (origin(a)?, origin(b)?);
    let Pairing { mut pairs, only_in_a, only_in_b } = pair(&a.rows, &b.rows, policies);
    let found = pairs.len();
    let (jobs_a, jobs_b) = (jobs(&origin_a), jobs(&origin_b));
    pairs.retain(|(a, b)| jobs_a.get(&instance(a)) == jobs_b.get(&instance(b)));
    let other_jobs = found - pairs.len();
    if pairs.is_empty() {
        let (only_in_a, only_in_b) = (only_in_a + other_jobs, only_in_b + other_jobs);
        return Err(CompareError::NothingCommon { only_in_a, only_in_b, other_jobs });
    }
    let finished: Vec<FinishedPair<'_>> = pairs.iter().filter_map(|&pair| FinishedPair::of(pair)).collect();
    let groups = groups(&finished);
    let tasks: Vec<(&Group<'_>, Column)> =
        groups.iter().flat_map(|group| options.figures.iter().map(move |&figure| (group, figure))).collect();
    // In the order of the tasks, on however many threads.
    let compared =
        tasks.into_par_iter().filter_map(|(group, figure)| group.compare(figure, options)).collect();
    Ok(Comparison {
        policies: (options.policy.clone(), options.with.clone()),
        confidence: options.confidence,
        resamples: options.resamples,
        groups: compared,
        only_in_a,
        only_in_b,
        other_jobs,
        failed: pairs.len() - finished.len(),
        semantics: (origin_a.semantics, origin_b.semantics),
    })
}

fn has_policy(results: &Results, policy: Option<&str>) -> Result<(), CompareError> {
    let Some(policy) = policy else { return Ok(()) };
    let mut known: Vec<String> = Vec::new();
    for row in &results.rows {
        if row.cell.policy == policy {
            return Ok(());
        }
        if !known.contains(&row.cell.policy) {
            known.push(row.cell.policy.clone());
        }
    }
    Err(CompareError::Policy { folder: results.folder.clone(), policy: policy.to_owned(), known })
}

fn origin(results: &Results) -> Result<manifest::Origin, CompareError> {
    manifest::read(&results.manifest).map_err(|error| CompareError::Manifest {
        path: results.folder.join("manifest.toml"),
        message: error.to_string(),
    })
}

/// The digest of the jobs of each instance.
fn jobs(origin: &manifest::Origin) -> BTreeMap<(&str, &str), &str> {
    let instances = origin.instances.iter();
    instances
        .map(|instance| ((instance.workload.as_str(), instance.name.as_str()), instance.sha256.as_str()))
        .collect()
}

fn instance(row: &Row) -> (&str, &str) {
    (&row.cell.workload, &row.cell.instance)
}

/// A pair of rows that both have figures.
#[derive(Clone, Copy)]
struct FinishedPair<'a> {
    a_row: &'a Row,
    b_row: &'a Row,
    a: &'a Figures,
    b: &'a Figures,
}

impl<'a> FinishedPair<'a> {
    fn of((a, b): (&'a Row, &'a Row)) -> Option<FinishedPair<'a>> {
        let figures = |row: &'a Row| row.outcome.as_deref().ok();
        Some(FinishedPair { a_row: a, b_row: b, a: figures(a)?, b: figures(b)? })
    }
}

/// Pairs of the same settings in one scope.
struct Group<'a> {
    key: GroupKey,
    with: String,
    pairs: Vec<FinishedPair<'a>>,
}

/// All groups, in the order of A and then of B.
fn groups<'a>(pairs: &[FinishedPair<'a>]) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    for scope in scopes(pairs.iter().map(|pair| pair.a_row), LeastLoads::NONE) {
        let mut places: Vec<(SimSpan, Label, Label)> = Vec::new();
        let begin = groups.len();
        for pair in pairs.iter().filter(|pair| scope.has(pair.a_row)) {
            let settings = (pair.a_row.cell.tau_s, pair.a_row.cell.label(), pair.b_row.cell.label());
            let place = places.iter().position(|known| *known == settings).unwrap_or_else(|| {
                groups.push(Group::new(&scope, &settings));
                places.push(settings);
                places.len() - 1
            });
            groups[begin + place].pairs.push(*pair);
        }
    }
    groups
}

impl<'a> Group<'a> {
    fn new(scope: &Scope<'_>, (tau, a, b): &(SimSpan, Label, Label)) -> Group<'a> {
        let key = GroupKey {
            workload: scope.workload.to_owned(),
            load: scope.load(),
            policy: a.policy.clone(),
            penalty_s: a.penalty,
            period_s: a.period.or(b.period),
            packing: a.packing.clone().or_else(|| b.packing.clone()),
            drop: a.drop.clone().or_else(|| b.drop.clone()),
            tau_s: *tau,
        };
        Group { key, with: b.policy.clone(), pairs: Vec::new() }
    }

    fn compare(&self, figure: Column, options: &CompareOptions) -> Option<GroupComparison> {
        let pair = |pair: &FinishedPair<'_>| {
            let cell = &pair.a_row.cell;
            let (a, b) = (pair.a.number(figure.name())?, pair.b.number(figure.name())?);
            Some(Pair { instance: cell.instance.clone(), load: cell.load, a, b })
        };
        let pairs: Vec<Pair> = self.pairs.iter().filter_map(pair).collect();
        let path = [self.key.to_string(), self.with.clone(), figure.name().to_owned()];
        let seed = path.iter().fold(Seed::new(options.seed).fork("compare"), |seed, name| seed.fork(name));
        let bootstrap = |stream: &str| Bootstrap {
            seed: seed.fork(stream),
            resamples: options.resamples,
            confidence: options.confidence,
        };
        let differences = clusters(&pairs, |pair| Some(pair.difference()));
        let logarithms = clusters(&pairs, |pair| Some(pair.ratio()?.ln()));
        let more = pairs.iter().filter(|pair| pair.b > pair.a).count();
        let less = pairs.iter().filter(|pair| pair.b < pair.a).count();
        let (wins, losses) = if figure.more_is_better() { (more, less) } else { (less, more) };
        Some(GroupComparison {
            key: self.key.clone(),
            with: self.with.clone(),
            figure,
            wins,
            ties: pairs.len() - wins - losses,
            losses,
            difference: bootstrap("difference").estimates(&differences)?,
            ratio: bootstrap("ratio").estimates(&logarithms).map(|estimates| estimates.map(f64::exp)),
            ratios: logarithms.iter().map(Vec::len).sum(),
            pairs,
        })
    }
}

/// Values of pairs, those of one trace at several loads together.
fn clusters(pairs: &[Pair], value: impl Fn(&Pair) -> Option<f64>) -> Vec<Vec<f64>> {
    let mut clusters: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        if let Some(value) = value(pair) {
            clusters.entry(unscaled_name(&pair.instance, pair.load)).or_default().push(value);
        }
    }
    clusters.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::pairing::tests::row;
    use super::*;

    fn results(rows: Vec<Row>, manifest: &[(&str, &str)]) -> Results {
        let mut text = String::from("semantics = 1\n");
        for (instance, sha256) in manifest {
            text += &format!("[[instances]]\nworkload = 'w'\nname = '{instance}'\nsha256 = '{sha256}'\n");
        }
        if manifest.is_empty() {
            text += "instances = []\n";
        }
        Results {
            folder: PathBuf::from("results"),
            rows,
            scenario: String::new(),
            manifest: text,
            is_outdated: false,
        }
    }

    /// Degradations of A 2, 4, 8 and of B 1, 4, 32: differences -1, 0, 24 with mean 23 / 3 and median 0; ratios 1/2, 1,
    /// 4 with geometric mean (1/2 * 1 * 4)^(1/3) = 2^(1/3) and median 1; B wins, ties and loses once.
    #[test]
    fn figures_by_hand() {
        let a = vec![row("w", "1", "P", 2.0), row("w", "2", "P", 4.0), row("w", "3", "P", 8.0)];
        let b = vec![row("w", "1", "P", 1.0), row("w", "2", "P", 4.0), row("w", "3", "P", 32.0)];
        let options = CompareOptions { resamples: 500, ..CompareOptions::default() };
        let comparison = compare(&results(a, &[]), &results(b, &[]), &options).unwrap();
        let [group] = &comparison.groups[..] else { panic!("{:?}", comparison.groups) };
        assert_eq!(group.difference.mean.value, 23.0 / 3.0);
        assert_eq!(group.difference.median.value, 0.0);
        let ratio = group.ratio.unwrap();
        assert!((ratio.mean.value - 2_f64.cbrt()).abs() < 1e-12);
        assert_eq!(ratio.median.value, 1.0);
        assert_eq!((group.wins, group.ties, group.losses, group.ratios), (1, 1, 1, 3));
        let (low, high) = group.difference.mean.interval.unwrap();
        assert!((-1.0..=0.0).contains(&low) && (8.0..=24.0).contains(&high), "{low} {high}");
    }

    /// Zero pauses make no ratio, and more utilisation is better.
    #[test]
    fn other_figures() {
        let mut a = row("w", "1", "P", 2.0);
        let mut b = row("w", "1", "Q", 2.0);
        let set = |row: &mut Row, pauses, utilisation| {
            let figures = row.outcome.as_mut().unwrap();
            (figures.pauses, figures.utilisation) = (pauses, utilisation);
        };
        set(&mut a, 0, 0.5);
        set(&mut b, 3, 0.75);
        let both = results(vec![a, b], &[]);
        let figures = ["pauses", "utilisation"].map(|name| name.parse().unwrap()).to_vec();
        let options = CompareOptions {
            policy: Some("P".into()),
            with: Some("Q".into()),
            figures,
            resamples: 100,
            ..CompareOptions::default()
        };
        let comparison = compare(&both, &both, &options).unwrap();
        let [pauses, utilisation] = &comparison.groups[..] else { panic!("{:?}", comparison.groups) };
        assert_eq!((pauses.wins, pauses.losses, pauses.ratios, pauses.ratio), (0, 1, 0, None));
        assert_eq!((pauses.difference.mean.value, pauses.with.as_str()), (3.0, "Q"));
        assert_eq!((utilisation.wins, utilisation.losses), (1, 0));
        assert_eq!(utilisation.ratio.unwrap().mean.value, 1.5_f64.ln().exp());
        assert_eq!(utilisation.ratio.unwrap().mean.interval, None);
        assert!("degredation".parse::<Column>().unwrap_err().to_string().contains("`degradation`"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut failed = row("w", "2", "P", 1.0);
        failed.outcome = Err("it failed".into());
        let rows = |extra: &str, second: Row| {
            vec![row("w", "1", "P", 1.0), second, row("w", "3", "P", 1.0), row("w", extra, "P", 1.0)]
        };
        let a = results(rows("4", failed), &[("1", "aa"), ("2", "bb"), ("3", "cc")]);
        let b = results(rows("5", row("w", "2", "P", 1.0)), &[("1", "aa"), ("2", "bb"), ("3", "other")]);
        let comparison = compare(&a, &b, &CompareOptions::default()).unwrap();
        let Comparison { only_in_a, only_in_b, other_jobs, failed, .. } = comparison;
        assert_eq!((only_in_a, only_in_b, other_jobs, failed), (1, 1, 1, 1));
        assert_eq!(comparison.groups[0].pairs.len(), 1);

        let nothing = compare(&a, &results(vec![row("v", "1", "P", 1.0)], &[]), &CompareOptions::default());
        let told = nothing.unwrap_err().to_string();
        assert_eq!(told, "no row of A (4) has the workload, instance and setting of a row of B (1)");
        let options = CompareOptions { with: Some("R".into()), ..CompareOptions::default() };
        let told = compare(&a, &b, &options).unwrap_err().to_string();
        assert_eq!(told, "results: there is no policy `R`; there are: P");
    }

    /// One more group leaves the intervals of the others as they are, and another seed does not.
    #[test]
    fn intervals_hang_on_their_group_and_the_seed() {
        let rows = |policy: &str, shift: f64| -> Vec<Row> {
            let degradation = |number: i32| shift + f64::from(number * number % 7);
            (0..12).map(|number| row("w", &number.to_string(), policy, degradation(number))).collect()
        };
        let results = |shift: f64, more: bool| {
            let mut all = if more { rows("Other", shift) } else { Vec::new() };
            all.extend(rows("P", shift * 2.0));
            results(all, &[])
        };
        let run = |seed, more| {
            let options = CompareOptions { seed, resamples: 200, ..CompareOptions::default() };
            let mut groups = compare(&results(1.0, more), &results(3.5, more), &options).unwrap().groups;
            groups.pop().unwrap()
        };
        assert_eq!(run(1, false), run(1, true));
        assert_ne!(run(1, false).ratio, run(2, false).ratio);
    }
}
