//! Settings in which mutants run, and the outcomes of runs.

use dfrsim_testing::mutant;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Outcome of a run of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Records equal to those of the unchanged program.
    Same,
    /// Stop by the program itself: a decision is refused, or an invariant does not hold.
    Stopped,
    /// Changed records in which the audit finds a violation.
    Found,
    /// Another right solution where several are right.
    AlsoRight,
    /// Changed records in which the audit finds nothing.
    Passed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Same => "unchanged",
            Outcome::Stopped => "stopped",
            Outcome::Found => "found",
            Outcome::AlsoRight => "also right",
            Outcome::Passed => "passed",
        })
    }
}

/// Input of one run, with the records of the unchanged program.
pub(crate) trait Setting: Send + Sync {
    /// Returns the input in words.
    fn name(&self) -> String;
    /// Returns whether mutants of this area are run in the setting.
    fn is_of(&self, area: &str) -> bool;
    /// Returns the outcome of a run of the selected mutant.
    fn run(&self) -> Outcome;
    /// Returns a violation that the audit finds in the records of the unchanged program.
    fn false_alarm(&self) -> Option<String>;
}

/// Runs a mutant in a setting.
pub(crate) fn try_mutant(number: u32, setting: &dyn Setting) -> Outcome {
    mutant::select(number);
    let outcome = catch_unwind(AssertUnwindSafe(|| setting.run()));
    mutant::select(0);
    outcome.unwrap_or(Outcome::Stopped)
}
