//! Dependencies between jobs.

use crate::log::DependencyCondition;

/// Dependencies of a job in its command line of `sbatch` or `srun`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dependency {
    /// Preceding jobs, and the condition for each.
    pub(super) after: Vec<(String, DependencyCondition)>,
    /// True if a single one of them suffices.
    pub(super) is_any: bool,
    /// True if the job waits for all earlier jobs of its name and user.
    pub(super) is_singleton: bool,
}

impl Dependency {
    /// Parses the value of `--dependency`. `task` is the task id of the job, if it belongs to an
    /// array.
    pub(super) fn of_list(list: &str, task: Option<&str>) -> Dependency {
        let mut found = Dependency { is_any: list.contains('?'), ..Dependency::default() };
        for part in list.split([',', '?']) {
            let (kind, jobs) = part.split_once(':').unwrap_or((part, ""));
            found.is_singleton |= kind == "singleton";
            let Some(until) = DependencyCondition::of(kind) else { continue };
            // With `aftercorr` each array task depends on the task with its own id.
            let task = task.filter(|_| kind == "aftercorr");
            let jobs = jobs.split(':').filter(|job| !job.is_empty());
            found.after.extend(jobs.map(|job| match (until, job.split_once('+')) {
                (DependencyCondition::Start(_), Some((job, minutes))) => (
                    job.to_owned(),
                    DependencyCondition::Start(minutes.parse::<u32>().unwrap_or(0).saturating_mul(60)),
                ),
                _ => (task.map_or_else(|| job.to_owned(), |task| format!("{job}_{task}")), until),
            }));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Dependency;
    use crate::formats::slurm::submission::{SubmitLine, SubmitOption};
    use crate::log::DependencyCondition;

    fn submission(line: &str) -> SubmitLine<'_> {
        SubmitLine::of_line(line)
    }

    #[test]
    fn dependencies_are_found_in_the_line_of_a_submission() {
        let (ok, any, not_ok) = (
            DependencyCondition::End(Some(true)),
            DependencyCondition::End(None),
            DependencyCondition::End(Some(false)),
        );
        let minutes = |minutes: u32| DependencyCondition::Start(60 * minutes);
        for (line, expected, is_any, is_singleton) in [
            ("sbatch --dependency=afterok:70 job.sh", &[("70", ok)][..], false, false),
            (
                "sbatch -N 2 --dependency afterany:70_3:71,afterok:72 job.sh",
                &[("70_3", any), ("71", any), ("72", ok)],
                false,
                false,
            ),
            ("sbatch -dafter:70+5?aftercorr:80 job.sh", &[("70", minutes(5)), ("80_4", ok)], true, false),
            ("sbatch -d after:70+5:71 job.sh", &[("70", minutes(5)), ("71", minutes(0))], false, false),
            ("sbatch -d singleton,afternotok:7 job.sh", &[("7", not_ok)], false, true),
            ("sbatch -d", &[], false, false),
            ("sbatch job.sh", &[], false, false),
            ("", &[], false, false),
        ] {
            let after = expected.iter().map(|&(job, until)| (job.to_owned(), until)).collect();
            let expected = Dependency { after, is_any, is_singleton };
            assert_eq!(
                Dependency::of_list(
                    submission(line).value(SubmitOption::DEPENDENCY).unwrap_or_default(),
                    Some("4")
                ),
                expected,
                "{line}"
            );
        }
    }
}
