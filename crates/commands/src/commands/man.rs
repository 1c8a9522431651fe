//! `dfrsim man`

use super::Cli;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::OutputFiles;
use clap::Args;
use clap_mangen::Man as Page;
use std::path::{Path, PathBuf};

/// Write the manual pages of all commands
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  dfrsim man ~/.local/share/man/man1 && man dfrsim-run")]
pub(crate) struct Man {
    /// Folder of the pages, which is created if it is missing; pages in it are replaced
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
}

impl Man {
    pub(crate) fn run(self, _: &Context<'_>) -> Result<(), Failure> {
        let mut files = OutputFiles::in_folder(&self.folder)?;
        let mut program = Cli::full_command().disable_help_subcommand(true);
        program.build();
        write(program, &self.folder, &mut files)?;
        files.finish()
    }
}

/// Writes the pages of a command and of its subcommands.
fn write(command: clap::Command, folder: &Path, files: &mut OutputFiles) -> Result<(), Failure> {
    for below in command.get_subcommands() {
        write(below.clone(), folder, files)?;
    }
    let page = Page::new(command);
    let (path, mut text) = (folder.join(page.get_filename()), Vec::new());
    page.render(&mut text).map_err(|error| Failure::output(path.display(), &error))?;
    files.add_bytes(&path, text)
}
