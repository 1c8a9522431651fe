//! Tests the study through the framework.

mod assumptions;
mod author;
mod easy_spare;
mod formats;
mod outages;
mod platform;
mod policies;
mod priorities;
mod rows;
mod run;
mod scenario;
mod settings;

use dfrsim_lab::fields::{Faults, FileLocator, LocatedFile, Scenario};
use dfrsim_lab::{DataFrame, Registry, Results, RunOptions, RunReport};
use dfrsim_paper_dfrs::{Online, register};
use dfrsim_workload::traces::{Found, locate_beside};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn registry() -> Registry {
    register(Registry::new()).with(FileLocator::new(|request| {
        if !request.is_log {
            return request.locate();
        }
        let Found { path, others } =
            locate_beside(request.name, request.folder).map_err(|missing| missing.to_string())?;
        Ok(LocatedFile { given: request.name.to_owned(), path, others })
    }))
}

fn overrides(set: &[&str]) -> Vec<String> {
    set.iter().map(|&set| set.to_owned()).collect()
}

/// Reads the fields of a scenario.
fn read(text: &str, folder: Option<&Path>, set: &[&str]) -> Result<Scenario<Online>, Faults> {
    let (registry, overrides) = (registry(), overrides(set));
    let source = dfrsim_lab::fields::ScenarioSource {
        text,
        name: "s.toml",
        folder,
        overrides: &overrides,
        environment: registry.environment(),
    };
    Scenario::read(&source, "online")
}

fn run_with(
    registry: &Registry,
    text: &str,
    set: &[&str],
    folder: Option<&Path>,
    options: &RunOptions,
) -> RunReport {
    let scenario = registry.parse(text, "test.toml", folder, &overrides(set));
    let scenario = scenario.unwrap_or_else(|errors| panic!("{errors}"));
    scenario.run(options, &AtomicBool::new(false), &()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(text: &str, set: &[&str], out: &Path) -> RunReport {
    run_with(&registry(), text, set, None, &RunOptions { threads: 2, ..RunOptions::new(out) })
}

/// Returns the rows of a folder.
fn frame(out: &Path) -> DataFrame {
    let registry = registry();
    let results = Results::read(out, &registry).unwrap_or_else(|error| panic!("{error}"));
    results.rows().unwrap().remove(0)
}

/// Returns the numbers of a column, for the rows of this policy.
fn numbers(frame: &DataFrame, policy: &str, column: &str) -> Vec<f64> {
    let (own, policies) = (frame.column_index(column).unwrap(), frame.column_index("policy").unwrap());
    let rows = (0..frame.len()).filter(|&row| frame.text(row, policies) == policy);
    rows.map(|row| frame.number(row, own).unwrap()).collect()
}

/// Returns the table of this name.
fn table<'a>(report: &'a RunReport, name: &str) -> &'a dfrsim_lab::Table {
    &report.tables.iter().find(|table| table.name == name).unwrap().table
}
