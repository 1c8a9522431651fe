//! Examples of help that are not torn: clap breaks their lines anywhere, so that commands cannot be
//! copied.

use clap::Command;
use clap::builder::StyledStr;
use std::ffi::OsString;

/// Indentation of lines that continue a command.
const CONTINUED: &str = "      ";
/// Width without a terminal, which is clap's.
const USUAL_WIDTH: usize = 100;

/// Returns whether the arguments ask for help, or name no command, which is answered by help.
pub(super) fn are_shown(program: &Command, arguments: &[OsString]) -> bool {
    let is_help = |text: &str| {
        let is_short = text.starts_with('-') && !text.starts_with("--");
        text == "help" || text == "--help" || (is_short && text.contains('h'))
    };
    let is_group = |name: &OsString| program.find_subcommand(name).is_some_and(Command::has_subcommands);
    match arguments {
        [] | [_] => true,
        [_, name] if is_group(name) => true,
        _ => arguments.iter().filter_map(|argument| argument.to_str()).any(is_help),
    }
}

/// Returns the width at which clap breaks lines.
pub(super) fn width(most: usize) -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let own = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    own.or_else(columns).unwrap_or(USUAL_WIDTH).min(most)
}

/// Breaks the examples of a command and of those below it where the shell lets a command go on in the
/// next line.
pub(super) fn fit(command: Command, width: usize) -> Command {
    let text = command.get_after_help().map(|text| fitted(&text.to_string(), width));
    let command = match text {
        Some(text) => command.after_help(StyledStr::from(text)),
        None => command,
    };
    command.mut_subcommands(|below| fit(below, width))
}

/// Breaks the lines of a text that are commands and too long.
fn fitted(text: &str, width: usize) -> String {
    let line = |line: &str| match line.strip_prefix("  ") {
        Some(example) if is_command(example) && line.chars().count() > width => broken(example, width),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_command(example: &str) -> bool {
    ["dfrsim ", "python3 ", "cargo ", "sacct "].iter().any(|name| example.starts_with(name))
}

/// Breaks a command. A remark behind it, after two blanks or more, becomes a line before it.
fn broken(example: &str, width: usize) -> String {
    let (command, remark) = example.split_once("  ").unwrap_or((example, ""));
    // A command that goes on in the next line of the text still does.
    let (command, end) = command.strip_suffix(" \\").map_or((command, ""), |command| (command, " \\"));
    let mut lines = Vec::new();
    if !remark.is_empty() {
        lines.push(format!("  # {}", remark.trim()));
    }
    let mut line = String::from(" ");
    for word in words(command) {
        // Room is left for the sign that the command goes on.
        let is_full = line.chars().count() + 1 + word.chars().count() + 2 > width;
        if is_full && line.trim() != "" {
            lines.push(format!("{line} \\"));
            line = format!("{CONTINUED}{word}");
        } else {
            line = format!("{line} {word}");
        }
    }
    lines.push(line + end);
    lines.join("\n")
}

/// Splits a command at blanks outside of quotes; an option stays with its value.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(letter),
        }
        match quote {
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            Some(open) if open == letter => quote = None,
            _ => {}
        }
    }
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(last) if last.starts_with('-') && !last.contains(' ') && !word.starts_with('-') => {
                *last = format!("{last} {word}");
            }
            _ => joined.push(word),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::{broken, fit};
    use clap::Command;

    #[test]
    fn a_long_command_goes_on_after_a_backslash() {
        let command = "dfrsim run a.toml --set 'policies=[\"EASY\", \"CONS\"]' --out results/a   for example";
        let expected = "  # for example\n  dfrsim run a.toml \\\n      --set 'policies=[\"EASY\", \"CONS\"]' \\\n      --out results/a";
        assert_eq!(broken(command, 46), expected);
    }

    /// Checks that no line of an example is longer than the terminal, and that the commands are the
    /// same when their lines are joined.
    fn check(command: &Command, width: usize) {
        let text = |command: &Command| command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let fitted = text(&fit(command.clone(), width));
        let is_example = |line: &&str| line.starts_with("  dfrsim ") || line.starts_with("      -");
        for line in fitted.lines().filter(is_example) {
            assert!(line.chars().count() <= width, "{}: {line}", command.get_name());
        }
        let joined = fitted.replace(" \\\n      ", " ");
        for line in text(command).lines() {
            let Some(example) = line.strip_prefix("  ").filter(|line| line.starts_with("dfrsim ")) else {
                continue;
            };
            let plain = example.split_once("  ").map_or(example, |(plain, _)| plain);
            let plain = plain.trim_end_matches(" \\");
            assert!(joined.contains(plain), "{}: {plain}\n{joined}", command.get_name());
        }
        command.get_subcommands().for_each(|below| check(below, width));
    }

    #[test]
    fn examples_are_not_torn() {
        for width in [80, 100, 110] {
            check(&Cli::full_command(), width);
        }
    }
}
