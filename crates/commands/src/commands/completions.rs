//! `dfrsim completions`

use super::Cli;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  dfrsim completions bash > ~/.local/share/bash-completion/completions/dfrsim"
)]
pub(crate) struct Completions {
    /// Shell to generate the script for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, _: &Context<'_>) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::full_command(), "dfrsim", &mut script);
        output::print(&String::from_utf8_lossy(&script))
    }
}
