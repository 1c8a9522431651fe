//! Jobs of a state as lines of a `sacct` listing, so that they are read like the jobs of its
//! history.

use super::read::{Job as StateJob, State};
use super::{Fault, Field};
use dfrsim_workload::formats::slurm::PresentJob;

impl StateJob {
    /// Returns the line of the job, as if it had started by the time of the state and then run
    /// until its time limit.
    ///
    /// # Errors
    /// If its number is not known, or that of its processors.
    pub fn listed(&self, at: i64) -> Result<PresentJob, Fault> {
        let fault = |field: Field, message: &str| Fault {
            place: self.place,
            job: Some(self.name.clone()),
            message: format!("{field}: {message}"),
        };
        if self.name.parse::<u64>().is_err() {
            return Err(fault(
                Field::Id,
                "expected a whole number, as of `squeue --array --format %A`, by which the history names jobs, too",
            ));
        }
        let expected = "expected the number of processors, which decides where the job fits (%C)";
        let processors = self.processors.ok_or_else(|| fault(Field::Processors, expected))?.to_string();
        let start = self.start.unwrap_or(at);
        let end = start.saturating_add_unsigned(self.limit);
        let other = |field| self.other(field).unwrap_or_default().to_owned();
        // `squeue` writes `gres:gpu:2`, `scontrol` writes `gres/gpu:2`.
        let per_node = other(Field::TresPerNode).replace("gres:", "");
        let allocated = if self.start.is_some() { other(Field::AllocTres) } else { String::new() };
        let requested = match other(Field::ReqTres) {
            // Before a job runs, older versions write what it requests as `TRES`.
            text if text.is_empty() && self.start.is_none() => other(Field::AllocTres),
            text => text,
        };
        Ok(vec![
            ("JobID", self.name.clone()),
            ("JobIDRaw", self.name.clone()),
            ("User", self.user.clone().unwrap_or_default()),
            ("Account", other(Field::Account)),
            ("QOS", other(Field::Qos)),
            ("Partition", other(Field::Partition)),
            ("State", "COMPLETED".to_owned()),
            ("Submit", self.submit.to_string()),
            ("Eligible", self.submit.to_string()),
            ("Start", start.to_string()),
            ("End", end.to_string()),
            ("ElapsedRaw", self.limit.to_string()),
            ("Timelimit", limit(self.limit)),
            ("TimelimitRaw", self.limit.div_ceil(60).to_string()),
            ("NNodes", self.size.to_string()),
            ("ReqCPUS", processors.clone()),
            ("AllocCPUS", processors),
            ("ReqTRES", requested),
            ("AllocTRES", allocated),
            ("ReqGRES", per_node),
            ("Constraints", other(Field::Features)),
            ("Reservation", other(Field::Reservation)),
        ])
    }
}

/// Writes a time limit.
fn limit(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!("{days}-{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
}

impl State {
    /// Returns the lines of the jobs that are not held.
    ///
    /// # Errors
    /// A fault for each job whose number is not known, or that of its processors.
    pub fn listed(&self) -> Result<Vec<PresentJob>, Vec<Fault>> {
        let jobs = self.jobs.iter().filter(|job| job.start.is_some() || !job.is_held());
        let (mut lines, mut faults) = (Vec::new(), Vec::new());
        for line in jobs.map(|job| job.listed(self.at)) {
            match line {
                Ok(line) => lines.push(line),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(lines) } else { Err(faults) }
    }
}
