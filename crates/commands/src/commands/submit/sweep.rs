//! Description of a sweep.

use std::path::PathBuf;

/// Scenario cut into shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    /// Path of `dfrsim`, which is the same on all machines.
    pub(super) program: PathBuf,
    /// Path of the scenario file, which is the same on all machines.
    pub(super) scenario: PathBuf,
    /// Overrides of the form `key=value`, as for `dfrsim run --set`.
    pub(super) overrides: Vec<String>,
    /// Path of the result folder, which is the same on all machines.
    pub(super) out: PathBuf,
    /// Number of shards.
    pub(super) shards: u32,
    /// Numbers of the shards to run, from 1, in increasing order.
    pub(super) missing: Vec<u32>,
    /// Number of cores per shard.
    pub(super) cpus: u32,
    /// Partition of the batch system; `None` for its default.
    pub(super) partition: Option<String>,
    /// Time limit of a shard, in the format of the batch system; `None` for its default.
    pub(super) time: Option<String>,
    /// True if an independent checker audits every run, in studies that do not always do so.
    pub(super) audit: bool,
    /// True if the commands that the scenario names may run.
    pub(super) allow_commands: bool,
}

impl Sweep {
    /// Checks that all texts can be used in a script: paths must be UTF-8, and no text may have
    /// control characters, since an option line ends at a line break even inside quotes.
    ///
    /// # Errors
    /// Returns an error for the first text that cannot be used.
    pub(super) fn check(&self) -> Result<(), String> {
        let paths = [
            ("the program", &self.program),
            ("the scenario", &self.scenario),
            ("the result folder", &self.out),
        ];
        for (what, path) in paths {
            let text = path
                .to_str()
                .ok_or_else(|| unusable(what, &path.to_string_lossy(), "the path is not UTF-8"))?;
            check_text(what, text)?;
        }
        let options = [("the partition", &self.partition), ("the time", &self.time)];
        for (what, text) in options {
            text.iter().try_for_each(|text| check_text(what, text))?;
        }
        Ok(())
    }

    /// Returns the folder of the scripts and of the jobs' output.
    pub(super) fn folder(&self) -> PathBuf {
        self.out.join("jobs")
    }
}

fn check_text(what: &str, text: &str) -> Result<(), String> {
    let is_fit = !text.contains(char::is_control);
    is_fit.then_some(()).ok_or_else(|| unusable(what, text, "it has control characters"))
}

fn unusable(what: &str, text: &str, fault: &str) -> String {
    format!("{what}: {text:?} cannot be used in a script: {fault}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep() -> Sweep {
        Sweep {
            program: "/opt/dfrsim".into(),
            scenario: "/s.toml".into(),
            overrides: vec!["title=\"two\\nlines\"".to_owned()],
            out: "/out".into(),
            shards: 4,
            missing: vec![1],
            cpus: 1,
            partition: None,
            time: None,
            audit: false,
            allow_commands: false,
        }
    }

    /// `#SBATCH` lines are comments of the shell, which a newline ends even within quotes.
    #[test]
    fn a_line_that_ends_early_becomes_no_command() {
        assert!(sweep().check().is_ok());
        let harmful = "x\ntouch INJECTED #";
        let sweeps = [
            Sweep { scenario: harmful.into(), ..sweep() },
            Sweep { out: harmful.into(), ..sweep() },
            Sweep { partition: Some("x\n#SBATCH --uid=0".to_owned()), ..sweep() },
            Sweep { time: Some("1:00\r".to_owned()), ..sweep() },
        ];
        for sweep in sweeps {
            let refused = sweep.check().unwrap_err();
            assert!(refused.ends_with("cannot be used in a script: it has control characters"), "{refused}");
            assert!(!refused.contains('\n'));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf8_is_not_changed_to_another() {
        use std::os::unix::ffi::OsStringExt as _;
        let out = std::ffi::OsString::from_vec(b"/out\xff".to_vec()).into();
        let refused = Sweep { out, ..sweep() }.check().unwrap_err();
        assert!(refused.contains("the result folder") && refused.contains("not UTF-8"), "{refused}");
    }
}
