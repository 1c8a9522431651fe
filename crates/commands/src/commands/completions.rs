//! `dfrsim completions`

use super::Cli;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;
use clap::{Args, Command, ValueHint};
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
        let mut program = without_files(Cli::full_command());
        clap_complete::generate(self.shell, &mut program, "dfrsim", &mut script);
        output::print(&String::from_utf8_lossy(&script))
    }
}

/// Marks the values of options that are not files, for which shells would offer files.
fn without_files(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let is_unknown =
            argument.get_action().takes_values() && argument.get_value_hint() == ValueHint::Unknown;
        if is_unknown { argument.value_hint(ValueHint::Other) } else { argument }
    });
    command.mut_subcommands(without_files)
}

#[cfg(test)]
mod tests {
    use super::{Cli, without_files};
    use clap_complete::Shell;

    #[test]
    fn files_are_offered_where_files_are_read() {
        let mut script = Vec::new();
        clap_complete::generate(Shell::Zsh, &mut without_files(Cli::full_command()), "dfrsim", &mut script);
        let script = String::from_utf8(script).unwrap();
        let line = |option: &str| script.lines().find(|line| line.contains(option)).unwrap().to_owned();
        assert!(line("--policy=[").contains(":NAME:'"), "{}", line("--policy=["));
        assert!(line("--workload=[").contains(":FILE:_files"), "{}", line("--workload=["));
    }
}
