//! Slurm: `sbatch` and job arrays.

use super::sweep::Sweep;
use crate::commands::quoted::quoted;
use crate::failure::Failure;
use dfrsim_model::ranges;
use dfrsim_workload::formats::times::duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SBATCH: &str = "sbatch";

/// Submitted jobs, by their Slurm job numbers.
pub(super) struct Submitted {
    /// Array of the missing shards; `None` if none was missing.
    pub(super) array: Option<String>,
    /// Job that merges the shards.
    pub(super) merge: String,
}

/// Writes the scripts of a [checked](Sweep::check) sweep into [`Sweep::folder`] and submits them:
/// the missing shards, then the merge.
pub(super) fn submit(sweep: &Sweep) -> Result<Submitted, Failure> {
    let folder = sweep.folder();
    fs::create_dir_all(&folder).map_err(|error| Failure::in_file(&folder, error))?;
    let array = if sweep.missing.is_empty() {
        None
    } else {
        Some(submit_script(&write(&folder, "array.sh", &array_script(sweep))?, None)?)
    };
    let merge = write(&folder, "merge.sh", &merge_script(sweep))
        .and_then(|script| submit_script(&script, array.as_deref()));
    match (merge, array) {
        (Ok(merge), array) => Ok(Submitted { array, merge }),
        (Err(Failure::Input(error)), Some(array)) => Err(Failure::input(format!(
            "the shards are submitted as job {array}, but the merge is not: {error}; when the shards have ended, run `dfrsim results \
             merge`"
        ))),
        (Err(error), _) => Err(error),
    }
}

/// Checks that a text is a time limit as sbatch reads it.
///
/// # Errors
/// Returns the forms of a time limit if the text has none of them.
pub(super) fn check_time_limit(text: &str) -> Result<(), String> {
    let is_endless = ["unlimited", "infinite"].iter().any(|word| text.eq_ignore_ascii_case(word));
    if duration(text).is_some() || is_endless {
        return Ok(());
    }
    Err(format!(
        "--time {text}: expected minutes, M:SS, H:MM:SS, D-H, D-H:MM, D-H:MM:SS or UNLIMITED, such as 90 or 1:30:00"
    ))
}

fn write(folder: &Path, name: &str, script: &str) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    // A symbolic link is replaced, not followed.
    let removed = if path.is_symlink() { fs::remove_file(&path) } else { Ok(()) };
    removed.and_then(|()| fs::write(&path, script)).map_err(|error| Failure::in_file(&path, error))?;
    Ok(path)
}

/// Submits a script, optionally to start once another job has ended with any status; returns its job
/// number.
fn submit_script(script: &Path, after: Option<&str>) -> Result<String, Failure> {
    let mut command = Command::new(SBATCH);
    command.arg("--parsable");
    if let Some(id) = after {
        // If a shard has failed, the merge reports what is missing; with `afterok` it would wait
        // forever.
        command.arg(format!("--dependency=afterany:{id}"));
    }
    let output = command.arg(script).output().map_err(|error| {
        Failure::input(format!("{SBATCH}: {error}; is the batch system installed on this machine?"))
    })?;
    let printed = String::from_utf8_lossy(&output.stdout);
    // Slurm prints the job number, followed by a semicolon and the cluster if there are several.
    let id = printed.trim().split(';').next().unwrap_or_default();
    if output.status.success() && !id.is_empty() {
        return Ok(id.to_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::input(format!("{SBATCH} rejected {}: {message}", script.display())))
}

/// Generates the script that runs the missing shards of a [checked](Sweep::check) sweep.
pub(super) fn array_script(sweep: &Sweep) -> String {
    let mut script = script_header(sweep, "shards", "shard-%a.log");
    script += &format!("#SBATCH --array={}\n", ranges(&sweep.missing, ","));
    script += &format!("#SBATCH --cpus-per-task={}\n", sweep.cpus);
    let audit = if sweep.audit { " --audit" } else { "" };
    let allow = if sweep.allow_commands { " --allow-commands" } else { "" };
    let sets: String = sweep.overrides.iter().map(|set| format!(" --set {}", quoted(set))).collect();
    script += &format!(
        "exec {} run {} --out {} --threads {} --quiet{audit}{allow} --shard \"$SLURM_ARRAY_TASK_ID/{}\"{sets}\n",
        path(&sweep.program),
        path(&sweep.scenario),
        path(&sweep.out),
        sweep.cpus,
        sweep.shards,
    );
    script
}

/// Generates the script that merges all shards of a [checked](Sweep::check) sweep.
pub(super) fn merge_script(sweep: &Sweep) -> String {
    let mut script = script_header(sweep, "merge", "merge.log");
    script += &format!("exec {} results merge {}\n", path(&sweep.program), path(&sweep.out));
    script
}

/// Generates the lines with which both scripts begin.
fn script_header(sweep: &Sweep, what: &str, log: &str) -> String {
    let mut script = "#!/bin/sh\n".to_owned();
    let name = sweep.out.file_name().unwrap_or_default().to_string_lossy();
    script += &format!("#SBATCH --job-name={}\n", quoted(&format!("dfrsim-{name}-{what}")));
    script += &format!("#SBATCH --output={}\n", path(&sweep.folder().join(log)));
    if let Some(partition) = &sweep.partition {
        script += &format!("#SBATCH --partition={}\n", quoted(partition));
    }
    if let Some(time) = &sweep.time {
        script += &format!("#SBATCH --time={}\n", quoted(time));
    }
    script
}

fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sbatch refuses a wrong limit only when it is called, and the printed scripts would have it.
    #[test]
    fn only_time_limits_of_slurm_are_accepted() {
        for right in ["90", "90:30", "1:00:00", "2-12", "2-12:30", "2-12:30:00", "UNLIMITED", "infinite"] {
            assert_eq!(check_time_limit(right), Ok(()));
        }
        for wrong in ["1x", "", "1h", "1:00:00:00", "-1", "2-", "1::00", "1.5", "2-1-1", "2-1:2:3:4", "90 "] {
            assert!(check_time_limit(wrong).is_err_and(|error| error.contains("1:30:00")), "{wrong}");
        }
    }

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
            array_script(&sweep),
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
        assert!(merge_script(&sweep).ends_with("exec /opt/dfrsim results merge /scratch/wide\n"));
    }
}
