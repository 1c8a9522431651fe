//! What is to be run.

use std::path::PathBuf;

/// A scenario cut into shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    /// `dfrsim`, as all machines see it.
    pub(super) program: PathBuf,
    /// The scenario file, as all machines see it.
    pub(super) scenario: PathBuf,
    /// `key=value`, as `dfrsim run --set` takes them.
    pub(super) overrides: Vec<String>,
    /// The result folder, as all machines see it.
    pub(super) out: PathBuf,
    /// The number of shards.
    pub(super) shards: u32,
    /// The numbers of those that are to be run, from 1, rising.
    pub(super) missing: Vec<u32>,
    /// The cores of a shard.
    pub(super) cpus: u32,
    /// Where the batch system is to run it; its default if `None`.
    pub(super) partition: Option<String>,
    /// How long a shard may take, as the batch system writes times; its default if `None`.
    pub(super) time: Option<String>,
    /// Whether an independent checker follows every run, in studies where it does not always do so.
    pub(super) audit: bool,
    /// Whether the commands that the scenario names may run.
    pub(super) allow_commands: bool,
}

impl Sweep {
    /// Checks that all texts can be in a script: without control characters, since a line of options ends with its line
    /// even inside quotes, and paths that are UTF-8.
    ///
    /// # Errors
    /// The first text that cannot.
    pub(super) fn check(&self) -> Result<(), String> {
        let paths = [
            ("the program", &self.program),
            ("the scenario", &self.scenario),
            ("the result folder", &self.out),
        ];
        for (what, path) in paths {
            let text =
                path.to_str().ok_or_else(|| unfit(what, &path.to_string_lossy(), "the path is not UTF-8"))?;
            check_text(what, text)?;
        }
        let options = [("the partition", &self.partition), ("the time", &self.time)];
        for (what, text) in options {
            text.iter().try_for_each(|text| check_text(what, text))?;
        }
        Ok(())
    }

    /// The folder of scripts and of what jobs print.
    pub(super) fn folder(&self) -> PathBuf {
        self.out.join("jobs")
    }
}

fn check_text(what: &str, text: &str) -> Result<(), String> {
    let is_fit = !text.contains(char::is_control);
    is_fit.then_some(()).ok_or_else(|| unfit(what, text, "it has control characters"))
}

fn unfit(what: &str, text: &str, fault: &str) -> String {
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
