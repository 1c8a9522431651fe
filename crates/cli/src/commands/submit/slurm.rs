//! Slurm: `sbatch` and job arrays.

use super::engine::{Engine, JobId, SubmitError};
use super::sweep::Sweep;
use crate::commands::quoted::quoted;
use dfrsim_model::ranges;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const SBATCH: &str = "sbatch";

/// The batch system Slurm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slurm;

impl Engine for Slurm {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn array_script(&self, sweep: &Sweep) -> String {
        let mut script = head(sweep, "shards", "shard-%a.log");
        line(&mut script, &format!("#SBATCH --array={}", ranges(&sweep.missing, ",")));
        line(&mut script, &format!("#SBATCH --cpus-per-task={}", sweep.cpus));
        let audit = if sweep.audit { " --audit" } else { "" };
        let allow = if sweep.allow_commands { " --allow-commands" } else { "" };
        let sets: String = sweep.overrides.iter().map(|set| format!(" --set {}", quoted(set))).collect();
        line(
            &mut script,
            &format!(
                "exec {} run {} --out {} --threads {} --quiet{audit}{allow} --shard \"$SLURM_ARRAY_TASK_ID/{}\"{sets}",
                path(&sweep.program),
                path(&sweep.scenario),
                path(&sweep.out),
                sweep.cpus,
                sweep.shards,
            ),
        );
        script
    }

    fn merge_script(&self, sweep: &Sweep) -> String {
        let mut script = head(sweep, "merge", "merge.log");
        line(&mut script, &format!("exec {} results merge {}", path(&sweep.program), path(&sweep.out)));
        script
    }

    fn submit(&self, script: &Path, after: Option<&JobId>) -> Result<JobId, SubmitError> {
        let mut command = Command::new(SBATCH);
        command.arg("--parsable");
        if let Some(JobId(id)) = after {
            // A merge after a failed shard says what is missing; with `afterok` it would wait for ever.
            command.arg(format!("--dependency=afterany:{id}"));
        }
        let output =
            command.arg(script).output().map_err(|error| SubmitError::Program { program: SBATCH, error })?;
        let printed = String::from_utf8_lossy(&output.stdout);
        // The number, and behind a semicolon the cluster if there are several.
        let id = printed.trim().split(';').next().unwrap_or_default();
        if output.status.success() && !id.is_empty() {
            return Ok(JobId(id.to_owned()));
        }
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(SubmitError::Refused { program: SBATCH, script: script.to_owned(), message })
    }
}

/// What both scripts begin with.
fn head(sweep: &Sweep, what: &str, log: &str) -> String {
    let mut script = "#!/bin/sh\n".to_owned();
    let name = sweep.out.file_name().unwrap_or_default().to_string_lossy();
    line(&mut script, &format!("#SBATCH --job-name={}", quoted(&format!("dfrsim-{name}-{what}"))));
    line(&mut script, &format!("#SBATCH --output={}", path(&sweep.folder().join(log))));
    if let Some(partition) = &sweep.partition {
        line(&mut script, &format!("#SBATCH --partition={}", quoted(partition)));
    }
    if let Some(time) = &sweep.time {
        line(&mut script, &format!("#SBATCH --time={}", quoted(time)));
    }
    script
}

fn line(script: &mut String, text: &str) {
    writeln!(script, "{text}").expect("writing to a string cannot fail");
}

fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_say_all_that_was_asked() {
        let sweep = Sweep {
            program: "/opt/dfrsim".into(),
            scenario: "/a b/s.toml".into(),
            overrides: vec!["policies=[\"EASY\"]".to_owned()],
            out: "/scratch/wide".into(),
            shards: 4,
            missing: vec![2, 4],
            cpus: 2,
            partition: Some("short".to_owned()),
            time: Some("1:00:00".to_owned()),
            audit: true,
            allow_commands: true,
        };
        assert_eq!(
            Slurm.array_script(&sweep),
            "#!/bin/sh\n\
             #SBATCH --job-name=dfrsim-wide-shards\n\
             #SBATCH --output=/scratch/wide/jobs/shard-%a.log\n\
             #SBATCH --partition=short\n\
             #SBATCH --time=1:00:00\n\
             #SBATCH --array=2,4\n\
             #SBATCH --cpus-per-task=2\n\
             exec /opt/dfrsim run '/a b/s.toml' --out /scratch/wide --threads 2 --quiet --audit \
             --allow-commands --shard \"$SLURM_ARRAY_TASK_ID/4\" --set 'policies=[\"EASY\"]'\n"
        );
        assert!(Slurm.merge_script(&sweep).ends_with("exec /opt/dfrsim results merge /scratch/wide\n"));
    }
}
