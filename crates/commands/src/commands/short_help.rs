//! Short help (`-h`) of commands with many options.

use clap::Command;
use std::ffi::OsString;

/// Commands whose options are too many for a screen, and the options that their short help lists.
const LISTED: [(&str, &[&str]); 7] = [
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
    (
        "solve pack",
        &[
            "algorithm",
            "optimum",
            "time-limit",
            "fewest-nodes",
            "admit",
            "state-out",
            "plan-out",
            "mapping-out",
            "list",
            "format",
        ],
    ),
    (
        "solve plan",
        &[
            "to",
            "states",
            "decide",
            "drain",
            "check",
            "aim",
            "time-limit",
            "state-out",
            "plan-out",
            "picture",
            "format",
        ],
    ),
    (
        "forecast",
        &[
            "workload",
            "nodes",
            "unit",
            "policy",
            "at",
            "state",
            "slurm-conf",
            "node-states",
            "submit",
            "recorded",
            "backtest",
            "every",
            "out",
            "picture",
            "format",
        ],
    ),
    (
        "site",
        &[
            "sacct",
            "slurm-conf",
            "sacctmgr",
            "qos",
            "what-if",
            "policy",
            "samples",
            "copies",
            "out",
            "format",
        ],
    ),
    ("log anonymise", &["from", "to", "columns", "shift", "coarse", "k", "times", "out", "format"]),
];

/// Returns true if an argument may be `-h`, alone or among other short options.
pub(super) fn is_requested(arguments: &[OsString]) -> bool {
    let is_short = |text: &str| text.starts_with('-') && !text.starts_with("--");
    arguments.iter().filter_map(|argument| argument.to_str()).any(|text| is_short(text) && text.contains('h'))
}

/// Hides all other options of these commands from their short help; `--help` lists all.
///
/// This takes as many instructions as the rest of the start of the program, so it is done only for a
/// [requested](is_requested) short help.
pub(super) fn shorten(program: Command) -> Command {
    LISTED.into_iter().fold(program, |program, (name, listed)| match name.split_once(' ') {
        None => program.mut_subcommand(name, |command| list_only(command, listed)),
        Some((group, name)) => program.mut_subcommand(group, |commands| {
            commands.mut_subcommand(name, |command| list_only(command, listed))
        }),
    })
}

/// Hides the options that are not listed from the short help of a command.
fn list_only(command: Command, listed: &[&str]) -> Command {
    command.mut_args(|argument| {
        let is_listed = argument.get_long().is_none_or(|option| listed.contains(&option));
        argument.hide_short_help(!is_listed)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::{LISTED, shorten};
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
        let program = shorten(Cli::full_command());
        check(&program, "");
        for (name, listed) in LISTED {
            let below = |command: &Command, name: &str| command.find_subcommand(name).unwrap().clone();
            let command = name.split(' ').fold(program.clone(), |command, name| below(&command, name));
            for option in listed {
                assert!(command.get_arguments().any(|it| it.get_long() == Some(option)), "{name} --{option}");
            }
            let hidden = command.get_arguments().filter(|it| it.is_hide_short_help_set());
            assert!({ hidden }.all(|it| !it.is_required_set()), "{name}");
        }
    }
}
