//! Outline of a run that is not begun: its numbers of runs, and its files.

use super::instance_work::InstanceWork;
use super::manifest::{Counts, Host, Manifest};
use super::options::RunOptions;
use super::plan::Plan;
use crate::RunError;
use crate::study::{AnyScenario, Input};

/// Outline of a run.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Number of runs.
    pub runs: usize,
    /// Plural name of the runs.
    pub unit: &'static str,
    /// Number of instances and of runs for each value of the first label of the instances.
    pub groups: Vec<(String, usize, usize)>,
    /// Files that were read, with remarks about them.
    pub inputs: Vec<Input>,
    /// Least memory that a run needs, in bytes, as far as it is known before the run.
    pub memory: u64,
    /// Counts and times of the finished run whose results are in the folder, if it is of this study.
    pub earlier: Option<(Counts, Host)>,
}

impl AnyScenario {
    /// Reads the files of the scenario and lays out its runs, without running or writing anything.
    ///
    /// # Errors
    /// Returns an error if a file cannot be used, or a condition selects no run.
    pub fn outline(&self, options: &RunOptions) -> Result<Outline, RunError> {
        let mut inputs = Vec::new();
        let study = (self.open)(&mut inputs)?;
        let plan = Plan::new(study.as_ref(), &options.part, &self.only)?;
        let mut groups: Vec<(String, usize, usize)> = Vec::new();
        for InstanceWork { at, own } in &plan.work {
            let first = plan.instances[*at].labels.first();
            let name = first.map(|(column, value)| format!("{column} {value:?}")).unwrap_or_default();
            let runs = match own {
                Some(own) => own.iter().filter(|is_own| **is_own).count(),
                None => study.variants(*at).len(),
            };
            match groups.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, instances, sum)) => (*instances, *sum) = (*instances + 1, *sum + runs),
                None => groups.push((name, 1, runs)),
            }
        }
        let earlier = Manifest::read(&options.out).ok().flatten();
        let earlier = earlier.filter(|manifest| manifest.study == self.study.name);
        Ok(Outline {
            runs: plan.runs,
            unit: self.study.runs,
            groups,
            inputs,
            memory: (self.memory_and_rows)().0,
            earlier: earlier.map(|manifest| (manifest.rows, manifest.host)),
        })
    }
}
