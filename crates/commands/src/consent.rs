//! Consent to the commands that a scenario names.

use crate::output::notice;
use clap::Args;
use dfrsim_lab::{AnyScenario, Digest};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Whether the commands of a scenario may run.
///
/// They may if the user gave them on the command line, allows them, or has allowed these commands, with these scripts, for this
/// result folder before. That is kept in the user's own folder, since results may come from another user.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Consent {
    /// Run the commands that the scenario names, as policies pipe: and batsim: do; read them first, since they may do all
    /// that you may. It holds for later runs into the same folder too, as long as the commands and their scripts are the same
    #[arg(long)]
    allow_commands: bool,
}

impl Consent {
    /// Whether the commands of a scenario with these overrides may run.
    pub(crate) fn covers(self, scenario: &AnyScenario, overrides: &[String], out: &Path) -> bool {
        let commands = &scenario.uses.commands;
        let is_given = |command: &String| overrides.iter().any(|set| set.contains(command.as_str()));
        if commands.iter().all(is_given) {
            return true;
        }
        let digest = digest(scenario, out);
        let kept = memory();
        if self.allow_commands {
            let remembered = kept.ok_or_else(|| io::Error::other("there is no home folder"));
            if let Err(error) = remembered.and_then(|path| remember(&path, &digest)) {
                notice!("notice: that the commands are allowed is not remembered: {error}");
            }
            return true;
        }
        kept.is_some_and(|path| is_remembered(&path, &digest))
    }

    /// Whether commands are allowed here and now.
    pub(crate) fn is_given(self) -> bool {
        self.allow_commands
    }
}

/// The commands, their scripts, and the folder.
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

/// Where what was allowed is kept: a digest a line.
fn memory() -> Option<PathBuf> {
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
