//! Consent to run the commands that a scenario names.

use crate::output::notice;
use clap::Args;
use dfrsim_lab::{AnyScenario, Digest};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Permission to run the commands of a scenario.
///
/// Commands may run if the user gave them on the command line, allows them with this option, or has
/// allowed the same commands, with the same scripts, for the same result folder before. Permissions
/// are stored in the user's own folder, since results may come from another user.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Consent {
    /// Run the commands that the scenario names, as policies pipe: and batsim: do; read them first,
    /// since they can do all that you can. The permission also holds for later runs into the same
    /// folder, as long as the commands and their scripts are unchanged
    #[arg(long)]
    allow_commands: bool,
}

impl Consent {
    /// Returns whether the commands of a scenario with these overrides may run.
    pub(crate) fn covers(self, scenario: &AnyScenario, overrides: &[String], out: &Path) -> bool {
        let commands = &scenario.uses.commands;
        let is_given = |command: &String| overrides.iter().any(|set| set.contains(command.as_str()));
        if commands.iter().all(is_given) {
            return true;
        }
        let digest = digest(scenario, out);
        let kept = permissions_path();
        if self.allow_commands {
            let remembered = kept.ok_or_else(|| {
                io::Error::other("neither XDG_STATE_HOME nor HOME is set to an absolute path")
            });
            if let Err(error) = remembered.and_then(|path| remember(&path, &digest)) {
                notice!(
                    "notice: the permission for these commands could not be stored: {error}; later runs need --allow-commands again"
                );
            }
            return true;
        }
        kept.is_some_and(|path| is_remembered(&path, &digest))
    }

    /// Returns whether `--allow-commands` was given for this run.
    pub(crate) fn is_given(self) -> bool {
        self.allow_commands
    }
}

/// Computes a digest of the commands, their scripts, and the result folder.
fn digest(scenario: &AnyScenario, out: &Path) -> String {
    let uses = &scenario.uses;
    let folder =
        fs::canonicalize(out).or_else(|_| std::path::absolute(out)).unwrap_or_else(|_| out.to_owned());
    let mut text = format!("{}\n", folder.display());
    for command in &uses.commands {
        text += &format!("{command}\n");
    }
    for file in uses.files.iter().filter(|file| uses.commands.iter().any(|it| it.contains(&file.given))) {
        let content = File::open(&file.path).and_then(Digest::from_reader);
        text += &content.map_or_else(|error| format!("{error}\n"), |digest| format!("{digest}\n"));
    }
    Digest::from_bytes(text.as_bytes()).to_string()
}

/// Returns the path of the file of stored permissions, which has one digest per line.
fn permissions_path() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("dfrsim/allowed-commands"))
}

fn is_remembered(path: &Path, digest: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line == digest))
}

fn remember(path: &Path, digest: &str) -> io::Result<()> {
    if is_remembered(path, digest) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    File::options().create(true).append(true).open(path)?.write_all(format!("{digest}\n").as_bytes())
}
