//! What commands answer, as text for people or as JSON for programs.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

/// What a command answers: the same data for people and for programs.
///
/// The names of fields end in their units (`_s`, `_mb`), and shares and counts have none. What is missing is `null`. `dfrsim schema
/// answer COMMAND` prints the schema.
pub(crate) trait Answer: Serialize + JsonSchema {
    /// As people read it, with a line break at the end.
    fn text(&self) -> String;
}

/// How a command prints its answer.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Printing {
    /// How the answer is printed: text, or one JSON object, described by `dfrsim schema answer COMMAND`
    #[arg(long, value_enum, value_name = "text|json", default_value_t = Format::Text, hide_possible_values = true)]
    #[arg(help_heading = "Output")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Printing {
    /// Whether the answer is printed as JSON.
    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Prints an answer to standard output: the only way in which commands do.
    pub(crate) fn print(self, answer: &impl Answer) -> Result<(), Failure> {
        match self.format {
            Format::Text => super::print(&answer.text()),
            Format::Json => super::print(&json(answer)),
        }
    }
}

/// A value as JSON, with a line break at the end. Control characters are escaped as JSON has it.
pub(crate) fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value).expect("answers have texts as keys");
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
