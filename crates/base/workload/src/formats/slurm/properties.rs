//! Counts of the special properties of jobs, and the use of the columns.

use super::amounts::begin;
use super::burst_buffer::is_known;
use super::columns::{Column, Columns, ListingRow};
use super::gres::{has_alternatives, has_licences, has_other_licences, is_whole_list};
use super::job::{NO_ELIGIBLE, NO_REQUESTED_NODES, Run};
use super::submission::{OPTIONS, SubmitLine, SubmitOption, Treatment};
use crate::log::{Account, Effect, Fate, FieldUse, Reason};

/// Lines with a delimiter in a field.
const DELIMITER: Reason = Reason {
    fate: Fate::Noted,
    text: "lines with the delimiter in a field, recognised by the forms of the other fields",
};

/// Jobs of which any one of several features suffices.
const ALTERNATIVES: Reason = Reason {
    fate: Fate::NotSimulated,
    text: "jobs with alternatives or numbers of nodes in Constraints, simulated without features",
};

/// Jobs of several tasks for which Slurm chose the number of nodes, and the tasks on each.
const ANY_NODES: Reason = Reason {
    fate: Fate::NotSimulated,
    text: "jobs of several tasks that request no number of nodes, simulated on as many nodes as in the listing, with equal parts",
};

/// Counts of jobs with special properties.
pub(super) struct Properties<'a> {
    columns: &'a Columns,
    jobs: u64,
    account: Account,
    /// Numbers of jobs with each option of [`OPTIONS`].
    options: Vec<u64>,
    /// Numbers of jobs with options that are not simulated, and that were suspended.
    restricted: u64,
    suspended: u64,
    alternatives: u64,
}

impl<'a> Properties<'a> {
    pub(super) fn new(columns: &'a Columns) -> Properties<'a> {
        let (account, options) = (Account::default(), vec![0; OPTIONS.len()]);
        let (jobs, restricted, suspended, alternatives) = (0, 0, 0, 0);
        Properties { columns, jobs, account, options, restricted, suspended, alternatives }
    }

    /// Counts a job.
    pub(super) fn count(&mut self, row: &ListingRow<'_>, submission: &SubmitLine<'_>, run: &Run) {
        let account = &mut self.account;
        let (id, job) = (row.get(Column::JobId), &run.job);
        let is_suspended = row.get(Column::Suspended).bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        let tres = [row.get(Column::ReqTres), row.get(Column::AllocTres)];
        let has_gpus =
            tres.iter().any(|tres| tres.contains("gres/gpu")) || row.get(Column::AllocGres).contains("gpu");
        let has_alternatives = has_alternatives(row.get(Column::Constraints));
        account.count_if(Reason::UNSTARTED, job.end.is_none());
        account.count_if(Reason::DEPENDENT, !job.after.is_empty());
        account.count_if(Reason::SUSPENDED, is_suspended);
        account.count_if(Reason::ARRAY_TASK, id.contains('_'));
        account.count_if(Reason::RESERVED, !row.get(Column::Reservation).is_empty());
        account.count_if(Reason::COMPONENT, id.contains('+'));
        account.count_if(Reason::WITH_GPUS, has_gpus);
        account.count_if(DELIMITER, row.has_delimiter_in_field);
        account.count_if(ALTERNATIVES, has_alternatives);
        account.count_if(ANY_NODES, lets_slurm_choose_nodes(submission));
        let has_several_nodes = job.record.nodes.is_some_and(|nodes| nodes > 1);
        account.count_if(NO_REQUESTED_NODES, has_several_nodes && !self.columns.has(Column::ReqTres));
        run.reasons.iter().for_each(|reason| account.count(*reason));
        self.jobs += 1;
        self.suspended += u64::from(is_suspended);
        self.alternatives += u64::from(has_alternatives);
        let has_space = tres.iter().any(|tres| tres.split(',').any(|part| part.starts_with("bb/")));
        let has_licenses = tres.iter().any(|tres| has_licences(tres));
        let mut is_restricted = false;
        for at in submission.options() {
            let of_job = (job.record.nodes.unwrap_or(1), has_space, has_licenses);
            if self.treatment(OPTIONS[at], submission, of_job) == Treatment::NotSimulated {
                self.options[at] += 1;
                is_restricted = true;
            }
        }
        self.restricted += u64::from(is_restricted);
    }

    /// Returns the treatment of an option in this listing: `--begin` and `--hold` are simulated if
    /// the listing has the time at which jobs became eligible, or the option itself tells it. A list of
    /// nodes is simulated if the job has exactly these, licences if it needs all of them or the accounting
    /// has them, and a burst buffer if its space is known.
    fn treatment(
        &self,
        option: SubmitOption,
        submission: &SubmitLine<'_>,
        (nodes, has_space, has_licenses): (u32, bool, bool),
    ) -> Treatment {
        let value = |name: &str| submission.value(name).unwrap_or_default();
        let has_begin = || submission.value(SubmitOption::BEGIN).and_then(|text| begin(text, 0)).is_some();
        let is_known = match option.name {
            SubmitOption::NODELIST => is_whole_list(value(SubmitOption::NODELIST), nodes),
            SubmitOption::LICENSES => {
                let list = value(SubmitOption::LICENSES);
                has_licenses || !list.is_empty() && !has_other_licences(list)
            }
            SubmitOption::BURST_BUFFER => has_space || is_known(value(SubmitOption::BURST_BUFFER)),
            _ if self.columns.has(Column::Eligible) => true,
            SubmitOption::BEGIN => has_begin(),
            SubmitOption::HOLD => false,
            _ => true,
        };
        if is_known { option.treatment } else { Treatment::NotSimulated }
    }

    /// Adds the counts, and the use of each column, to the account of the listing.
    pub(super) fn add_to(self, account: &mut Account) {
        for entry in self.account.entries() {
            account.add_text(entry.fate, entry.reason.clone(), entry.count);
        }
        if !self.columns.has(Column::Eligible) {
            account.add(NO_ELIGIBLE, self.jobs);
        }
        for (option, jobs) in OPTIONS.iter().zip(&self.options) {
            account.add_text(Fate::NotSimulated, format!("jobs with --{}", option.name), *jobs);
        }
        let names = self.columns.names().iter();
        account.fields.extend(names.map(|name| FieldUse { name: name.clone(), effect: self.effect(name) }));
    }

    fn effect(&self, name: &str) -> Effect {
        let Some(&column) = Column::ALL.iter().find(|column| column.name().eq_ignore_ascii_case(name)) else {
            return Effect::NoEffect;
        };
        let jobs = match column {
            Column::Suspended if self.suspended == 0 => return Effect::NoEffect,
            Column::Suspended => self.suspended,
            Column::Constraints => self.alternatives,
            Column::SubmitLine => self.restricted,
            _ => 0,
        };
        if jobs > 0 { Effect::WouldChange(jobs) } else { Effect::Used }
    }
}

/// Returns whether a job has several tasks, and does not say on how many nodes.
fn lets_slurm_choose_nodes(submission: &SubmitLine<'_>) -> bool {
    let tasks = submission.value("ntasks").and_then(|tasks| tasks.parse::<u32>().ok());
    let says = ["nodes", "ntasks-per-node", "nodefile", SubmitOption::NODELIST];
    tasks.is_some_and(|tasks| tasks > 1) && says.iter().all(|option| submission.value(option).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Source, Strictness};

    #[test]
    fn jobs_of_several_nodes_are_counted_if_no_column_has_those_that_they_requested() {
        let notices = |column: &str, value: &str| {
            let line = |id: u32, nodes: u32| {
                format!(
                    "{id}|COMPLETED|2026-03-01T09:00:00|2026-03-01T09:00:30|2026-03-01T09:10:30|{nodes}{value}\n"
                )
            };
            let text = format!("JobID|State|Submit|Start|End|NNodes{column}\n{}{}", line(1, 4), line(2, 1));
            let mut log = crate::formats::slurm::read_text(&text, "x", Strictness::Strict).unwrap();
            log.by_ref().for_each(drop);
            log.finish().unwrap().notices().join("\n")
        };
        let guess = "jobs of several nodes assumed to have requested as many, as the listing lacks the column ReqTRES: 1";
        assert!(notices("", "").contains(guess), "{}", notices("", ""));
        assert!(!notices("|ReqTRES", "|cpu=4,node=1").contains("ReqTRES"));
    }

    #[test]
    fn slurm_chooses_nodes_for_several_tasks_without_a_number_of_nodes() {
        for (line, is_chosen) in [
            ("sbatch -n22 x", true),
            ("sbatch --ntasks=6 --gpus-per-task=1 x", true),
            ("sbatch -n1 x", false),
            ("sbatch -c4 x", false),
            ("sbatch -n8 -N2 x", false),
            ("sbatch -n8 --ntasks-per-node=4 x", false),
        ] {
            assert_eq!(lets_slurm_choose_nodes(&SubmitLine::of_line(line)), is_chosen, "{line}");
        }
    }
}
