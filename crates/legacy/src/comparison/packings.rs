//! Comparisons of off-line results: the minimum yields of two runs, or of two algorithms of one, packing by packing.

use super::bootstrap::Bootstrap;
use super::compare::CompareOptions;
use super::report::with_interval;
use crate::tables::{Cell, Table};
use crate::{ResultTable, TableLine, TabledResults};
use dfrsim_model::{Seed, Yield};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why two off-line results cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum ComparePackingsError {
    /// A folder has no instances.
    #[error("{}: these are no results of the off-line study", path.display())]
    Instances {
        /// The file that is not there.
        path: PathBuf,
    },
    /// No instance and algorithm of the one is in the other.
    #[error("A and B have no instance and algorithm in common{}",
        if *other_instances > 0 { format!("; {other_instances} instances are of the same name, but others") } else { String::new() })]
    NothingCommon {
        /// Instances of the same name with another LPBOUND.
        other_instances: usize,
    },
}

/// What an algorithm made of the same instance in A and in B; nothing where it found no packing.
type Pair = (Option<f64>, Option<f64>);

/// Compares the minimum yields of two off-line results: for each group of instances and each algorithm on how many
/// instances it succeeds in A only and in B only, and of those where it does in both on how many its minimum yield is larger
/// in B, with mean and median of the differences B - A. With `policy` and `with`, two algorithms take the places of one.
///
/// Instances belong together by group, scenario and sample; those with another LPBOUND are others, and are left out.
///
/// # Errors
/// If a folder has no instances, or nothing belongs together.
pub fn compare_packings(
    a: &TabledResults,
    b: &TabledResults,
    options: &CompareOptions,
) -> Result<Table, ComparePackingsError> {
    let (a, b) = (instances(a)?, instances(b)?);
    let others: BTreeMap<_, _> = b.lines().map(|line| (place(line), line)).collect();
    let mut other_instances = 0;
    let mut pairs = Vec::new();
    for line in a.lines() {
        match others.get(&place(line)) {
            Some(other) if other.text("bound") == line.text("bound") => pairs.push((line, *other)),
            Some(_) => other_instances += 1,
            None => {}
        }
    }
    let algorithms: Vec<(&str, &str)> = match (&options.policy, &options.with) {
        (Some(one), with) => vec![(one, with.as_ref().unwrap_or(one))],
        (None, _) => a.columns().filter(|&name| is_algorithm(name)).map(|name| (name, name)).collect(),
    };
    let mut groups: BTreeMap<(&str, usize), Vec<Pair>> = BTreeMap::new();
    for (own, other) in &pairs {
        for (number, (of_a, of_b)) in algorithms.iter().enumerate() {
            let (own_text, other_text) = (own.text(of_a), other.text(of_b));
            if !own_text.is_empty() && !other_text.is_empty() {
                let pair = (minimum_yield(own_text), minimum_yield(other_text));
                groups.entry((own.text("instances"), number)).or_default().push(pair);
            }
        }
    }
    if groups.is_empty() {
        return Err(ComparePackingsError::NothingCommon { other_instances });
    }
    let lines = groups.into_par_iter().map(|((group, number), pairs)| {
        let (of_a, of_b) = algorithms[number];
        let start = [group, of_a, of_b].map(|text| Cell::Text(text.to_owned()));
        start.into_iter().chain(figures(&pairs, [group, of_a, of_b], options)).collect()
    });
    let header = [
        "instances",
        "algorithm",
        "with",
        "pairs",
        "only_a_succeeds",
        "only_b_succeeds",
        "both_succeed",
        "wins",
        "ties",
        "losses",
        "mean_difference",
        "median_difference",
    ];
    let note = (other_instances > 0)
        .then(|| format!("{other_instances} instances are left out: in B others have their names"));
    Ok(Table::new(header.to_vec(), lines.collect()).with_notes(note.into_iter().collect()))
}

fn instances(results: &TabledResults) -> Result<ResultTable, ComparePackingsError> {
    let path = || results.folder.join("instances.csv");
    results.table("instances").ok_or_else(|| ComparePackingsError::Instances { path: path() })
}

fn place(line: TableLine<'_>) -> (&str, &str, &str) {
    (line.text("instances"), line.text("scenario"), line.text("sample"))
}

/// Whether a column is of an algorithm: not one of the first, nor one of the second phase.
fn is_algorithm(column: &str) -> bool {
    !["key", "instances", "scenario", "sample", "bound"].contains(&column) && !column.contains(':')
}

/// A yield as it stands in its file; nothing for what is no success.
fn minimum_yield(cell: &str) -> Option<f64> {
    Some(Yield::try_from_units(cell.parse().ok()?)?.as_f64())
}

/// Pairs to the median of the differences.
fn figures(pairs: &[Pair], path: [&str; 3], options: &CompareOptions) -> [Cell; 9] {
    let count = |is_meant: fn(&Pair) -> bool| pairs.iter().filter(|pair| is_meant(pair)).count();
    let differences: Vec<f64> = pairs.iter().filter_map(|(a, b)| Some((*b)? - (*a)?)).collect();
    let (wins, losses) = (
        differences.iter().filter(|&&difference| difference > 0.0).count(),
        differences.iter().filter(|&&difference| difference < 0.0).count(),
    );
    let seed = path.iter().fold(Seed::new(options.seed).fork("compare"), |seed, name| seed.fork(name));
    let bootstrap = Bootstrap { seed, resamples: options.resamples, confidence: options.confidence };
    let clusters: Vec<Vec<f64>> = differences.iter().map(|&difference| vec![difference]).collect();
    let estimates = bootstrap.estimates(&clusters);
    let text = |estimate| Cell::Formatted(with_interval(estimate));
    [
        Cell::Count(pairs.len()),
        Cell::Count(count(|pair| matches!(pair, (Some(_), None)))),
        Cell::Count(count(|pair| matches!(pair, (None, Some(_))))),
        Cell::Count(differences.len()),
        Cell::Count(wins),
        Cell::Count(differences.len() - wins - losses),
        Cell::Count(losses),
        estimates.map_or(Cell::Nothing, |estimates| text(estimates.mean)),
        estimates.map_or(Cell::Nothing, |estimates| text(estimates.median)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn results(folder: &std::path::Path, lines: &str) -> TabledResults {
        fs::write(
            folder.join("instances.csv"),
            format!("key,instances,scenario,sample,bound,X,Y,X:average\n{lines}"),
        )
        .unwrap();
        TabledResults {
            folder: folder.to_owned(),
            study: "offline".into(),
            scenario: String::new(),
            manifest: String::new(),
            is_outdated: false,
        }
    }

    /// Half of the yield units is 2^19 of 2^20. X: of three instances in common one has another bound; of the others B
    /// alone succeeds on one and gains a quarter on the other. Y did not run in B.
    #[test]
    fn pairs_are_those_of_the_same_instances() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let a = results(
            a.path(),
            "k,few,0,0,1048576,524288,failed,\nk,few,0,1,1048576,failed,1,\nk,few,0,2,9,5,5,\n",
        );
        let b = results(b.path(), "k,few,0,0,1048576,786432,,\nk,few,0,1,1048576,3,,\nk,few,0,2,8,5,,\n");
        let options = CompareOptions { resamples: 10, ..CompareOptions::default() };
        let table = compare_packings(&a, &b, &options).unwrap();
        let csv = table.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 2, "{csv}");
        assert!(lines[1].starts_with("few,X,X,2,0,1,1,1,0,0,0.25"), "{csv}");
        assert!(table.markdown().contains("1 instances are left out"));

        let options = CompareOptions { policy: Some("X".into()), with: Some("Y".into()), ..options };
        let csv = compare_packings(&a, &a, &options).unwrap().csv();
        assert!(csv.lines().nth(1).unwrap().starts_with("few,X,Y,3,1,1,1,0,1,0,0"), "{csv}");

        let options = CompareOptions { policy: Some("Y".into()), ..options };
        let options = CompareOptions { with: None, ..options };
        let error = compare_packings(&a, &b, &options).unwrap_err();
        assert!(matches!(error, ComparePackingsError::NothingCommon { other_instances: 1 }));
    }
}
