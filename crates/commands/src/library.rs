//! Options of the commands, for programs with jobs and policies of their own, such as the Python
//! package: both share one declaration.

use crate::commands::{Cli, Simulate};
use crate::failure::Failure;
pub use crate::read_log::ReadLog;
use clap::{Arg, ArgAction, Args as _, Command, FromArgMatches as _};
use dfrsim_model::Job;
use dfrsim_policies::{Policy, Setup};
use serde_json::{Value, json};

/// Parses options of `dfrsim simulate`, except those of its log, for the given jobs (in submission
/// order) on a cluster of `nodes` nodes.
///
/// # Errors
/// Returns an error if an option is unknown, has a wrong value or is about the log, or if a file
/// that an option names is invalid.
pub fn setup(policy: Policy, arguments: &[String], nodes: u32, jobs: &[Job]) -> Result<Setup, String> {
    let simulate: Simulate = parse_simulate(&["--workload=-", "--policy=EASY"], arguments)?;
    simulate.setup(policy, nodes, jobs).map_err(message)
}

/// Reads a log according to the workload options of `dfrsim simulate`.
///
/// # Errors
/// Returns an error if an option is unknown or has a wrong value, or if the log is invalid.
pub fn read_log(path: &str, arguments: &[String]) -> Result<ReadLog, String> {
    let simulate: Simulate = parse_simulate(&[&format!("--workload={path}"), "--policy=EASY"], arguments)?;
    simulate.read_log().map_err(message)
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Input(message) | Failure::Result(message) | Failure::Interrupted(message) => message,
        Failure::ClosedPipe => "the reader of the output has closed it".to_owned(),
    }
}

fn parse_simulate(first: &[&str], arguments: &[String]) -> Result<Simulate, String> {
    let command = Simulate::augment_args(Command::new("simulate")).disable_help_flag(true);
    let words = first.iter().map(|&word| word.to_owned()).chain(arguments.iter().cloned());
    let matches = command.no_binary_name(true).try_get_matches_from(words);
    let fault = |error: clap::Error| {
        let text = error.to_string();
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:")).map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        lines.join("; ").trim_start_matches("error: ").to_owned()
    };
    Simulate::from_arg_matches(&matches.map_err(fault)?).map_err(fault)
}

/// Returns a description of all commands, each with `words`, `about`, `long`, and its `arguments`:
/// `name`, `help`, `flag` (takes no value), `many`, `required`, `default`, and `position` (true if
/// it is positional). Positional arguments are in their order.
pub fn declaration() -> Value {
    let mut found = Vec::new();
    collect_commands(&Cli::full_command(), &mut Vec::new(), &mut found);
    found.into()
}

fn collect_commands(command: &Command, words: &mut Vec<String>, found: &mut Vec<Value>) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        words.push(below.get_name().to_owned());
        if below.has_subcommands() {
            collect_commands(below, words, found);
        } else {
            let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
            let arguments = below.get_arguments().filter(|it| !it.is_hide_set() && it.get_id() != "help");
            found.push(json!({
                "words": words,
                "about": text(below.get_about()),
                "long": text(below.get_long_about()),
                "arguments": arguments.map(argument).collect::<Vec<_>>(),
            }));
        }
        words.pop();
    }
}

fn argument(argument: &Arg) -> Value {
    let name = argument.get_long().unwrap_or(argument.get_id().as_str());
    let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let values = argument.get_possible_values();
    json!({
        "name": name,
        "position": argument.is_positional(),
        "help": argument.get_help().map(ToString::to_string),
        "flag": matches!(argument.get_action(), ArgAction::SetTrue),
        "many": matches!(argument.get_action(), ArgAction::Append) || argument.get_num_args().is_some_and(|it| it.max_values() > 1),
        "required": argument.is_required_set(),
        "default": defaults.collect::<Vec<_>>().join(","),
        "values": values.iter().map(clap::builder::PossibleValue::get_name).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_are_those_of_the_command_line() {
        let made =
            setup(Policy::Equipartition, &words("--penalty 5 --tau 20 --estimates none"), 4, &[]).unwrap();
        assert_eq!((made.nodes, made.options.penalty.micros()), (4, 5_000_000));
        assert_eq!(made.figures.taus.len(), 1);
        for (wrong, fault) in [
            ("--penalti 5", "a similar argument exists: '--penalty'"),
            ("--nodes 5", "--nodes cannot be used here"),
            ("--failures exponential:0,exponential:5", "--failures"),
            ("--platform absent.toml", "absent.toml"),
        ] {
            let found = setup(Policy::Equipartition, &words(wrong), 4, &[]).unwrap_err();
            assert!(found.contains(fault), "{found}");
        }
        assert!(read_log("absent.swf", &[]).unwrap_err().contains("absent.swf"));
    }

    #[test]
    fn the_declaration_has_all_commands() {
        let all = declaration();
        let of =
            |name: &str| all.as_array().unwrap().iter().find(|it| it["words"] == json!(words(name))).unwrap();
        let info = of("log info");
        assert!(info["about"].as_str().unwrap().len() > 10);
        let simulate = of("simulate")["arguments"].as_array().unwrap().clone();
        let penalty = simulate.iter().find(|it| it["name"] == "penalty").unwrap();
        assert_eq!((&penalty["default"], &penalty["flag"]), (&json!("0"), &json!(false)));
        assert!(info["arguments"].as_array().unwrap().iter().any(|it| it["position"] == json!(true)));
    }
}
