//! What a reader must know before trusting a figure.

use dfrsim_legacy::{Results, TabledResults};

/// How many failed simulations are listed one by one.
const SHOWN: usize = 50;

const OUTDATED: &str = "A later run in this folder is unfinished; this page shows the one before.";

/// All warnings, in words.
pub(crate) fn warnings(results: &Results, manifest: &toml::Table) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(results.is_outdated.then(|| OUTDATED.to_owned()));
    let inputs = manifest.get("inputs").and_then(toml::Value::as_array);
    warnings.extend(inputs.into_iter().flatten().filter_map(|input| altered(input.as_table()?)));
    warnings.extend(failures(results));
    warnings
}

/// The same of a study that has tables only.
pub(crate) fn of_tables(results: &TabledResults, invalid: i64) -> Vec<String> {
    let outdated = results.is_outdated.then(|| OUTDATED.to_owned());
    let refused = (invalid > 0).then(|| format!("The independent checker refused {invalid} results."));
    outdated.into_iter().chain(refused).collect()
}

/// What was left out or changed of a log.
fn altered(input: &toml::Table) -> Option<String> {
    let text = |key: &str| input.get(key).and_then(toml::Value::as_str).unwrap_or_default();
    let mut parts = Vec::new();
    for (key, words) in
        [("broken_lines", "lines that cannot be read"), ("lines_out_of_order", "lines out of order")]
    {
        let count = input.get(key).and_then(toml::Value::as_integer).unwrap_or(0);
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    }
    for (rule, hits) in input.get("rules").and_then(toml::Value::as_table).into_iter().flatten() {
        for (what, count) in hits.as_table().into_iter().flatten() {
            if let Some(count) = count.as_integer().filter(|&count| count > 0) {
                parts.push(format!("{rule}: {count} {what}"));
            }
        }
    }
    let (workload, file) = (text("workload"), text("file"));
    (!parts.is_empty()).then(|| format!("{workload} ({file}): {}.", parts.join(", ")))
}

fn failures(results: &Results) -> Vec<String> {
    let failure = |row: &dfrsim_legacy::Row| {
        let message = row.outcome.as_ref().err()?;
        let cell = &row.cell;
        Some(format!("Failed: {} on {}, {}: {message}", cell.policy, cell.workload, cell.instance))
    };
    let mut failures: Vec<String> = results.rows.iter().filter_map(failure).collect();
    if failures.len() > SHOWN {
        let more = failures.len() - SHOWN;
        failures.truncate(SHOWN);
        failures.push(format!("{more} more simulations failed; rows.csv has all of them."));
    }
    failures
}
