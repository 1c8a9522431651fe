//! Runs of mutants: does the audit find each schedule that a wrong program makes?
//!
//! `scripts/bench/mutants` patches a copy of the sources with all mutants of `list/*.txt`, each
//! switched by its number, and builds this program there. It runs every mutant in every setting of
//! its area, compares the records with those of the unchanged program, and audits those that
//! differ. Mutants whose changed records pass are printed.

#[path = "../../solver/tests/context_switch/common.rs"]
#[expect(dead_code, reason = "the tests of plans need more of it")]
mod common;
#[path = "../../simulator/tests/judge/conditions.rs"]
#[expect(dead_code, reason = "the tests of the audit need more of it")]
mod conditions;
mod grids;
mod plans;
#[path = "../../solver/tests/context_switch/random_constraints.rs"]
#[expect(dead_code, reason = "the tests of plans need more of it")]
mod random_constraints;
mod schedules;
mod setting;
#[path = "../../papers/reallocation/tests/engine/support.rs"]
#[expect(dead_code, reason = "the tests of grids need more of it")]
mod support;

use rayon::prelude::*;
use setting::{Outcome, Setting, try_mutant};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Mutant of the list: its number, its area, and its change in words.
struct Mutant {
    number: u32,
    area: String,
    change: String,
}

/// Parses a line of the list: number, area and change, separated by tabs.
fn parse(line: &str) -> Option<Mutant> {
    let mut fields = line.splitn(3, '\t');
    let (number, area, change) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
    Some(Mutant { number, area: area.to_owned(), change: change.to_owned() })
}

/// Outcomes of a mutant: how often each was seen, and some settings in which changed records passed.
#[derive(Default)]
struct Outcomes {
    counts: BTreeMap<Outcome, u64>,
    passed_in: Vec<String>,
}

/// Numbers of runs of a mutant with each workload: in all, and with changed records.
const RUNS: u64 = 60;
const CHANGED_RUNS: u64 = 8;

/// Runs a mutant in settings of its area, beginning with another one for each mutant.
fn run(mutant: &Mutant, settings: &[Box<dyn Setting>], seeds: u64) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let of_area: Vec<_> = settings.iter().filter(|setting| setting.is_of(&mutant.area)).collect();
    // Few settings have what is forced on a job.
    let most = if mutant.area == "forced" { of_area.len() as u64 } else { RUNS * seeds };
    let (mut runs, mut changed) = (0, 0);
    // The stride is a prime, so that settings which follow each other differ in policy and condition.
    for place in (0..of_area.len()).map(|at| (mutant.number as usize + at * 101) % of_area.len()) {
        if runs == most || changed == CHANGED_RUNS * seeds {
            break;
        }
        let setting = of_area[place];
        let outcome = try_mutant(mutant.number, setting.as_ref());
        runs += 1;
        changed += u64::from(outcome != Outcome::Same);
        *outcomes.counts.entry(outcome).or_default() += 1;
        if outcome == Outcome::Passed && outcomes.passed_in.len() < 3 {
            outcomes.passed_in.push(setting.name());
        }
    }
    outcomes
}

/// Formats numbers of outcomes.
fn in_words(counts: &BTreeMap<Outcome, u64>) -> String {
    counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect::<Vec<_>>().join(", ")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [list, seeds] = &arguments[..] else {
        eprintln!("usage: dfrsim-mutants LIST SEEDS");
        return ExitCode::from(2);
    };
    let (Ok(text), Ok(seeds)) = (std::fs::read_to_string(list), seeds.parse::<u64>()) else {
        eprintln!("dfrsim-mutants: {list} cannot be read, or {seeds} is no number of seeds");
        return ExitCode::from(2);
    };
    let Some(mutants) = text.lines().map(parse).collect::<Option<Vec<Mutant>>>() else {
        eprintln!("dfrsim-mutants: {list} has a line that is not `NUMBER<tab>AREA<tab>CHANGE`");
        return ExitCode::from(2);
    };
    let settings: Vec<Box<dyn Setting>> = schedules::settings(seeds)
        .into_iter()
        .chain(grids::settings(seeds))
        .chain(plans::settings(seeds))
        .collect();
    let alarms: Vec<String> = settings.par_iter().filter_map(|setting| setting.false_alarm()).collect();
    // Mutants that panic are found by the program itself; their messages are of no use.
    std::panic::set_hook(Box::new(|_| {}));
    let results = mutants.par_iter().map(|mutant| {
        let outcomes = run(mutant, &settings, seeds);
        let words = in_words(&outcomes.counts);
        println!("{}\t{words}\t{}\t{}", mutant.number, mutant.change, outcomes.passed_in.join("; "));
        outcomes
    });
    let results: Vec<Outcomes> = results.collect();
    let mut sums: BTreeMap<Outcome, u64> = BTreeMap::new();
    for (outcome, count) in results.iter().flat_map(|outcomes| &outcomes.counts) {
        *sums.entry(*outcome).or_default() += count;
    }
    let survivors = results.iter().filter(|outcomes| !outcomes.passed_in.is_empty()).count();
    println!(
        "{} mutants in {} settings: {}; {survivors} mutants passed, {} false alarms",
        mutants.len(),
        settings.len(),
        in_words(&sums),
        alarms.len()
    );
    alarms.iter().for_each(|alarm| println!("false alarm: {alarm}"));
    ExitCode::from(u8::from(!alarms.is_empty()))
}
