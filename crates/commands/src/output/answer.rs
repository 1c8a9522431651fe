//! Answers of commands, as text for people or as JSON for programs.

use crate::failure::Failure;
use clap::{Arg, ArgMatches, ValueEnum, value_parser};
use schemars::JsonSchema;
use serde::Serialize;

/// Answer of a command: the same data for people and for programs.
///
/// The names of fields end in their units (`_s`, `_mb`); fractions and counts have none. Missing
/// values are `null`. `dfrsim schema answer COMMAND` prints the schema.
pub(crate) trait Answer: Serialize + JsonSchema {
    /// Formats the answer for people, with a line break at the end.
    fn text(&self) -> String;
}

/// Format in which a command prints its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Printing {
    #[default]
    Text,
    Json,
}

impl Printing {
    /// Builds the option `--format`.
    pub(crate) fn option() -> Arg {
        let help =
            "Format of the answer: text, or one JSON object, described by `dfrsim schema answer COMMAND`";
        let option =
            Arg::new("format").long("format").value_name("text|json").help(help).help_heading("Output");
        option.value_parser(value_parser!(Printing)).default_value("text").hide_possible_values(true)
    }

    /// Gets the format from the arguments of a command.
    pub(crate) fn of(arguments: &ArgMatches) -> Printing {
        arguments.try_get_one("format").ok().flatten().copied().unwrap_or_default()
    }

    /// Returns whether the answer is printed as JSON.
    pub(crate) fn is_json(self) -> bool {
        self == Printing::Json
    }

    /// Prints an answer to standard output. Commands print answers in no other way.
    pub(crate) fn print(self, answer: &impl Answer) -> Result<(), Failure> {
        match self {
            Printing::Text => super::print(&answer.text()),
            Printing::Json => super::print(&json(answer)),
        }
    }
}

/// Converts a value to JSON, with a line break at the end. Control characters are escaped as JSON
/// requires.
pub(crate) fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value).expect("all keys of answers are strings");
    let mut text = String::with_capacity(json.len() + 1);
    for letter in json.chars() {
        match letter.is_control() && letter != '\n' {
            true => text += &format!("\\u{:04x}", u32::from(letter)),
            false => text.push(letter),
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn control_characters_are_escaped_as_json_has_it() {
        let text = "\u{1b}[2J\u{9b}\u{7f}ä";
        let json = json(&[text]);
        assert!(json.chars().all(|letter| letter == '\n' || !letter.is_control()), "{json}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
    }
}
