//! Small random grids, audited as a whole.

use crate::setting::{Outcome, Setting};
use crate::support;
use dfrsim_model::grid_event::Record;
use dfrsim_paper_reallocation::audit::Auditor;
use dfrsim_paper_reallocation::engine::{GridJob, Options, Platform, simulate};
use dfrsim_testing::mutant;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRng, TestRunner};

/// Number of grids for each seed.
const GRIDS: usize = 150;

/// Number of records of a grid beyond which a wrong program is assumed not to end; right ones make a few
/// hundred.
const MAX_RECORDS: usize = 100_000;

struct Grid {
    number: usize,
    platform: Platform,
    jobs: Vec<GridJob>,
    options: Options,
    records: Vec<String>,
    said: Option<String>,
}

/// Simulates a grid; returns its records, and the violations that the audit finds. Panics if it does not
/// end.
fn simulated(platform: &Platform, jobs: &[GridJob], options: &Options) -> (Vec<String>, Option<String>) {
    let (mut auditor, mut records): (Option<Auditor>, _) = (None, Vec::new());
    let outcome = simulate(platform, jobs, options, |record: Record<'_>| {
        assert!(records.len() < MAX_RECORDS, "the program does not end");
        records.push(serde_json::to_string(&record).unwrap_or_default());
        match &mut auditor {
            Some(auditor) => auditor.record(&record),
            None => auditor = Auditor::begin(&record).ok(),
        }
    });
    let said = match (outcome, auditor.map(Auditor::finish)) {
        (Ok(_), Some(Ok(_))) => None,
        (Ok(_), Some(Err(faults))) => Some(faults.to_string()),
        (Err(error), _) => Some(error.to_string()),
        (_, None) => Some("no records".to_owned()),
    };
    (records, said)
}

impl Setting for Grid {
    fn name(&self) -> String {
        format!("grid {}: {:?}", self.number, self.options)
    }
    fn is_of(&self, area: &str) -> bool {
        area == "grid"
    }
    fn run(&self) -> Outcome {
        let (records, said) = simulated(&self.platform, &self.jobs, &self.options);
        mutant::select(0);
        match said {
            None if records == self.records => Outcome::Same,
            None => Outcome::Passed,
            Some(_) => Outcome::Found,
        }
    }
    fn false_alarm(&self) -> Option<String> {
        self.said.as_ref().map(|said| format!("{}: {said}", self.name()))
    }
}

/// Returns the settings: failing grids of clusters under all policies and options.
pub(crate) fn settings(seeds: u64) -> Vec<Box<dyn Setting>> {
    let rng = TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let input = (support::failing_platform(support::all_policies()), support::jobs(), support::options());
    let made = (0..GRIDS * seeds as usize).filter_map(|number| {
        mutant::select(0);
        let (platform, jobs, options) = input.new_tree(&mut runner).ok()?.current();
        let (records, said) = simulated(&platform, &jobs, &options);
        Some(Box::new(Grid { number, platform, jobs, options, records, said }) as Box<dyn Setting>)
    });
    made.collect()
}
