//! `dfrsim completions`

use super::Cli;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use clap_complete::Shell;

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  dfrsim completions bash > ~/.local/share/bash-completion/completions/dfrsim"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, _: &Context<'_>) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::described(), "dfrsim", &mut script);
        output::print(&String::from_utf8_lossy(&script))
    }
}
