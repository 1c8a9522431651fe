//! Hints that clap does not give for wrong arguments.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use std::ffi::OsString;

/// Completes an error about the arguments of a program: says in words which number is expected, names
/// the option that takes a file, and the command that has the name of a missing one.
pub(crate) fn complete(mut error: Error, program: &Command, arguments: &[OsString]) -> Error {
    let command = named_command(program, arguments);
    match error.kind() {
        ErrorKind::ValueValidation => in_words(error, command),
        ErrorKind::UnknownArgument => {
            // The advice to pass a misspelt option as a value is never what is meant.
            if suggestions(&error).iter().any(|text| text.contains("as a value, use")) {
                error.remove(ContextKind::Suggested);
            }
            let found = text_of(&error, ContextKind::InvalidArg);
            let has = |option: &str| command.get_arguments().any(|known| known.get_long() == Some(option));
            if !found.starts_with('-') && has("workload") {
                suggest(&mut error, format!("a log is given with '--workload {found}'"));
            } else if found == "--out" {
                let outputs = command.get_arguments().filter_map(clap::Arg::get_long);
                let outputs: Vec<&str> = outputs.filter(|option| option.ends_with("-out")).collect();
                if !outputs.is_empty() {
                    suggest(&mut error, format!("each file has an option: --{}", outputs.join(", --")));
                }
            }
            error
        }
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let found = text_of(&error, ContextKind::InvalidSubcommand);
            let paths = with_name(program, "dfrsim", &found);
            if found == "version" {
                suggest(&mut error, "'dfrsim --version' prints the version".to_owned());
            } else if !paths.is_empty() {
                suggest(&mut error, format!("did you mean '{}'?", paths.join("' or '")));
            }
            error
        }
        _ => error,
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
