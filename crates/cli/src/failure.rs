//! How commands fail, and with which exit code.

use crate::exit::Exit;
use crate::output::{self, json};
use crate::terminal::notice;
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input, the arguments or the place for the output are at fault: [`Exit::Input`].
    Input(String),
    /// The work was done, and its result is a failure: [`Exit::Failure`].
    Result(String),
    /// The user interrupted it: [`Exit::Interrupted`].
    Interrupted(String),
    /// The reader of the output is gone; no message, [`Exit::ClosedPipe`].
    ClosedPipe,
}

/// What a command with `--format json` prints in place of its answer if it has none.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorAnswer {
    error: Reported,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Reported {
    /// The exit code in one word: `failure`, `input` or `interrupted`.
    kind: &'static str,
    /// The exit code.
    exit: u8,
    /// What is wrong, where, and what was expected; a line for each fault.
    message: String,
}

impl Failure {
    pub(crate) fn input(message: impl Display) -> Failure {
        Failure::Input(message.to_string())
    }

    /// A write to standard output or to a named file failed.
    pub(crate) fn output(target: impl Display, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Input(format!("{target}: cannot be written: {error}")),
        }
    }

    pub(crate) fn report(self) -> ExitCode {
        let (code, message) = match self {
            Failure::Input(message) => (Exit::Input, message),
            Failure::Result(message) => (Exit::Failure, message),
            Failure::Interrupted(message) => (Exit::Interrupted, message),
            Failure::ClosedPipe => return Exit::ClosedPipe.into(),
        };
        notice!("error: {message}");
        answer(code, message);
        code.into()
    }
}

/// Ends the program because of its arguments, or because they ask for help.
pub(crate) fn end(error: &clap::Error) -> ! {
    if error.use_stderr() {
        answer(Exit::Input, error.to_string().trim_end().to_owned());
    }
    error.exit()
}

/// The failure as JSON, for a program that asked for JSON and has got no answer.
fn answer(code: Exit, message: String) {
    if !output::has_printed() && asks_for_json(std::env::args_os()) {
        let error = Reported { kind: code.name(), exit: code.code(), message };
        // What cannot be printed is on standard error.
        let _ = output::print(&json(&ErrorAnswer { error }));
    }
}

/// Whether arguments ask for JSON, even if something else is wrong with them.
fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let arguments: Vec<OsString> = arguments.collect();
    let pairs = arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    pairs || arguments.iter().any(|argument| argument == "--format=json")
}
