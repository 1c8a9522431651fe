//! Short help (`-h`) of commands with many options.

use clap::Command;

/// Commands whose options are too many for a screen, and the options that their short help lists.
const LISTED: [(&str, &[&str]); 3] = [
    (
        "simulate",
        &[
            "workload",
            "nodes",
            "unit",
            "annotate",
            "load",
            "policy",
            "estimates",
            "platform",
            "priority",
            "slurm-conf",
            "jobs-out",
            "events-out",
            "format",
        ],
    ),
    (
        "bound",
        &["workload", "nodes", "unit", "annotate", "cut", "tau", "clairvoyant", "penalty", "out", "format"],
    ),
    ("site", &["sacct", "slurm-conf", "sacctmgr", "qos", "what-if", "policy", "samples", "out", "format"]),
];

/// Hides all other options of these commands from their short help; `--help` lists all.
pub(super) fn shorten(program: Command) -> Command {
    LISTED.into_iter().fold(program, |program, (command, listed)| {
        program.mut_subcommand(command, |command| {
            command.mut_args(|argument| {
                let is_listed = argument.get_long().is_none_or(|option| listed.contains(&option));
                argument.hide_short_help(!is_listed)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::LISTED;
    use clap::Command;

    /// Number of options that the short help of a command may list.
    const MOST: usize = 15;

    fn check(command: &Command, name: &str) {
        for below in command.get_subcommands() {
            check(below, &format!("{name} {}", below.get_name()));
        }
        let listed = command.get_arguments().filter(|argument| !argument.is_hide_short_help_set());
        let listed = listed.count();
        assert!(listed <= MOST, "{name}: {listed} options");
    }

    #[test]
    fn short_help_fits_on_a_screen() {
        let program = Cli::full_command();
        check(&program, "");
        for (name, listed) in LISTED {
            let command = program.find_subcommand(name).unwrap();
            for option in listed {
                assert!(command.get_arguments().any(|it| it.get_long() == Some(option)), "{name} --{option}");
            }
            let hidden = command.get_arguments().filter(|it| it.is_hide_short_help_set());
            assert!({ hidden }.all(|it| !it.is_required_set()), "{name}");
        }
    }
}
