//! Hints that clap does not give for wrong arguments.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use std::ffi::OsString;

/// Completes an error about the arguments of a program: describes the expected number in words, and
/// names the option that takes a file or the command that has a missing name.
pub(crate) fn complete(mut error: Error, program: &Command, arguments: &[OsString]) -> Error {
    let command = named_command(program, arguments);
    match error.kind() {
        ErrorKind::ValueValidation => in_words(error, command),
        ErrorKind::UnknownArgument => {
            // The advice to pass a misspelt option as a value is never what is meant.
            if suggestions(&error).iter().any(|text| text.contains("as a value, use")) {
                error.remove(ContextKind::Suggested);
            }
            if let Some(text) = for_argument(&text_of(&error, ContextKind::InvalidArg), command) {
                error.remove(ContextKind::SuggestedArg);
                suggest(&mut error, text);
            }
            error
        }
        ErrorKind::InvalidSubcommand => {
            let found = text_of(&error, ContextKind::InvalidSubcommand);
            let paths = with_name(program, "dfrsim", &found);
            if found == "version" {
                suggest(&mut error, "'dfrsim --version' prints the version".to_owned());
            } else if !paths.is_empty() {
                error.remove(ContextKind::SuggestedSubcommand);
                suggest(&mut error, format!("did you mean '{}'?", paths.join("' or '")));
            } else if error.get(ContextKind::SuggestedSubcommand).is_none() {
                // `dfrsim help` has no commands of its own.
                let of = if command.has_subcommands() { command } else { program };
                let names: Vec<&str> = of.get_subcommands().map(Command::get_name).collect();
                suggest(&mut error, format!("the commands are {}", names.join(", ")));
            }
            error
        }
        ErrorKind::ArgumentConflict if text_of(&error, ContextKind::InvalidArg).starts_with("--policy") => {
            suggest(&mut error, "'dfrsim run' compares the policies of a scenario".to_owned());
            error
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = error.to_string();
            if missing.contains("--policy <") {
                suggest(&mut error, "'dfrsim policies' lists the policies".to_owned());
            } else if missing.contains("\n  <B>\n") {
                suggest(&mut error, "two variants of A are given with '--variant' and '--with'".to_owned());
            }
            error
        }
        _ => error,
    }
}

/// Options of other programs, or with another syntax here, and the options that correspond to them.
const OTHER_OPTIONS: [(&[&str], &str); 8] = [
    (&["--scheduler", "--algorithm", "--policies", "-p"], "policy"),
    (&["--log", "--trace", "--swf", "--input", "--file", "-i", "-f", "-w"], "workload"),
    (&["--processors", "--procs", "--cores", "--machines", "-n"], "nodes"),
    (&["--output", "--outdir", "--output-dir", "-o"], "out"),
    (&["--jobs", "--cores", "--workers", "--parallel", "-j", "-t"], "threads"),
    (&["--output-format", "--json", "--csv"], "format"),
    (&["--seed", "--nodes", "--penalty", "--policy", "--load", "--loads"], "set"),
    (&["--force", "--overwrite", "-f"], "fresh"),
];

/// Returns the advice for an argument that a command does not have.
fn for_argument(found: &str, command: &Command) -> Option<String> {
    let has = |option: &str| command.get_arguments().any(|known| known.get_long() == Some(option));
    let positional: Vec<String> = command.get_positionals().map(ToString::to_string).collect();
    if !found.starts_with('-') {
        return Some(match positional.as_slice() {
            _ if has("workload") => format!("a log is given with '--workload {found}'"),
            [] => format!("'dfrsim {}' takes only options", command.get_name()),
            all => format!("'{}' is all that is given without an option", all.join(" ")),
        });
    }
    let outputs = command.get_arguments().filter_map(clap::Arg::get_long);
    let outputs: Vec<&str> = outputs.filter(|option| option.ends_with("-out")).collect();
    if matches!(found, "--out" | "--output" | "-o") && !has("out") && !outputs.is_empty() {
        return Some(format!("each file has an option: --{}", outputs.join(", --")));
    }
    let is_meant = |(others, meant): &&(&[&str], &str)| others.contains(&found) && has(meant);
    match OTHER_OPTIONS.iter().find(is_meant) {
        Some((_, "set")) => Some("'--set KEY=VALUE' changes a field of the scenario".to_owned()),
        Some((_, meant)) => Some(format!("did you mean '--{meant}'?")),
        None if matches!(found, "-v" | "-V") => Some("'dfrsim --version' prints the version".to_owned()),
        None if positional
            .iter()
            .any(|known| known.to_lowercase().contains(found.trim_start_matches('-'))) =>
        {
            Some(format!("'{}' is given without an option", positional.join(" ")))
        }
        None => None,
    }
}

/// Returns the command that the arguments name, inside all groups.
fn named_command<'a>(program: &'a Command, arguments: &[OsString]) -> &'a Command {
    let names = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let mut command = program;
    for name in names {
        match command.find_subcommand(name) {
            Some(below) => command = below,
            None => break,
        }
    }
    command
}

/// Returns the paths of commands inside groups that have this name, such as `dfrsim draw gantt`.
fn with_name(command: &Command, path: &str, name: &str) -> Vec<String> {
    let below = command.get_subcommands().flat_map(|below| {
        let path = format!("{path} {}", below.get_name());
        let own = (below.get_name() == name).then(|| path.clone());
        own.into_iter().chain(with_name(below, &path, name))
    });
    below.collect()
}

/// Replaces the words of Rust's parsers of numbers, which do not say what is expected.
fn in_words(error: Error, command: &Command) -> Error {
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    let expected = match cause.as_str() {
        "invalid digit found in string" => "expected a whole number, from 0, in digits",
        "invalid float literal" => "expected a number, such as 0.7",
        "number too large to fit in target type" => "the number is too large",
        "number would be zero for non-zero type" => "expected a whole number, from 1",
        _ => return error,
    };
    let (value, option) =
        (text_of(&error, ContextKind::InvalidValue), text_of(&error, ContextKind::InvalidArg));
    let message = format!("invalid value '{value}' for '{option}': {expected}\n");
    Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
}

fn text_of(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Returns the suggestions of an error.
fn suggestions(error: &Error) -> Vec<String> {
    match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

fn suggest(error: &mut Error, text: String) {
    let suggestions = ContextValue::StyledStrs(vec![StyledStr::from(text)]);
    error.insert(ContextKind::Suggested, suggestions);
}

#[cfg(test)]
mod tests {
    use super::complete;
    use crate::commands::Cli;
    use std::ffi::OsString;

    fn message(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut program = Cli::full_command();
        let error = program.try_get_matches_from_mut(&arguments).unwrap_err();
        complete(error, &program, &arguments).to_string()
    }

    #[test]
    fn wrong_arguments_have_a_remedy() {
        let cases = [
            ("dfrsim simulate week.swf", "tip: a log is given with '--workload week.swf'"),
            ("dfrsim simulate --nodes thirty", "'thirty' for '--nodes <N>': expected a whole number"),
            ("dfrsim log convert a.swf --load 90%", "'90%' for '--load <X>': expected a number, such as"),
            ("dfrsim version", "tip: 'dfrsim --version' prints the version"),
            ("dfrsim gantt", "tip: did you mean 'dfrsim draw gantt'?"),
            ("dfrsim compare results", "tip: did you mean 'dfrsim results compare'?"),
            ("dfrsim draw chart", "tip: the commands are gantt, page,"),
            ("dfrsim help simulat", "tip: the commands are run, submit, results, simulate,"),
            ("dfrsim run a.toml b.toml", "tip: '[SCENARIO.toml]' is all that is given without an option"),
            ("dfrsim run --scenario a.toml", "tip: '[SCENARIO.toml]' is given without an option"),
            ("dfrsim run a.toml --seed 3", "tip: '--set KEY=VALUE' changes a field"),
            ("dfrsim run a.toml --jobs 3", "tip: did you mean '--threads'?"),
            ("dfrsim simulate --log a.swf", "tip: did you mean '--workload'?"),
            ("dfrsim simulate --workload a.swf --scheduler EASY", "tip: did you mean '--policy'?"),
            ("dfrsim simulate --workload a.swf --policy EASY --policy FCFS", "tip: 'dfrsim run' compares"),
            ("dfrsim simulate --workload a.swf", "tip: 'dfrsim policies' lists"),
            ("dfrsim results compare a", "tip: two variants of A are given with"),
            ("dfrsim policies EASY", "tip: 'dfrsim policies' takes only options"),
            ("dfrsim -v", "tip: 'dfrsim --version' prints"),
            ("dfrsim convert", "tip: did you mean 'dfrsim log convert'?"),
            ("dfrsim solve plan state.json --out plan.json", "--plan-out"),
        ];
        for (line, expected) in cases {
            let message = message(line);
            assert!(message.contains(expected), "{line}: {message}");
            assert!(!message.contains("as a value"), "{line}: {message}");
        }
    }
}
