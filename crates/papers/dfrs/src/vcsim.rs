//! Results of the simulator of the dissertation's author on the unscaled traces of seed 1
//! (`reference/vcsim_unscaled.csv`).
//!
//! The simulator is vcsim (M. Stillwell, 2010; <https://github.com/marklee77/vcsim>,
//! `results/scripts/sim.py`). FCFS and EASY are its own runs. The fractional policies were run by a
//! program with its rules that was made for this comparison and gives equal results on single
//! traces. `OPT=AVG`, for which vcsim needs a solver, is missing.

use dfrsim_lab::Reference;

dfrsim_model::named! {
    /// Measure that the reference has for each trace.
    pub(crate) enum Measure as "measure" {
        /// Degradation from the bound.
        Degradation = "degradation",
        /// Number of times that a paused job was resumed.
        Resumes = "resumes",
        /// Number of times that a job was migrated.
        Migrations = "migrations",
    }
}

/// Returns the values of a policy by trace; `None` if the reference has none.
pub(crate) fn values(policy: &str, measure: Measure) -> Option<[f64; 100]> {
    Reference(include_str!("../reference/vcsim_unscaled.csv")).find([policy, measure.name()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_policies::Policy;

    #[test]
    fn the_reference_has_a_hundred_traces_of_each_policy() {
        let lines = include_str!("../reference/vcsim_unscaled.csv").lines().skip(1);
        assert!(lines.clone().all(|line| line.split(',').count() == 2 + 100));
        let mut names: Vec<&str> = lines.map(|line| line.split(',').next().unwrap()).collect();
        names.dedup();
        assert_eq!(names.len(), 55);
        for name in names {
            assert!(name == crate::easy_spare::NAME || name.parse::<Policy>().is_ok(), "{name}");
            let values = values(name, Measure::Degradation).unwrap();
            assert!(values.iter().all(|value| value.is_finite()), "{name}");
        }
        // Mean of FCFS; it equals that of the published program to the digits that it prints.
        let fcfs = values("FCFS", Measure::Degradation).unwrap();
        assert!((fcfs.iter().sum::<f64>() / 100.0 - 4942.65).abs() < 0.01);
        assert!(values("FCFS", Measure::Resumes).is_none());
    }
}
