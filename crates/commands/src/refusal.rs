//! How a failure is reported: on standard error, and as JSON where the answer would be.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, json};
use crate::terminal::notice;
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Whether the arguments ask for answers as JSON.
static ASKS_FOR_JSON: AtomicBool = AtomicBool::new(false);

/// Takes the arguments of the program.
pub(crate) fn takes(arguments: &[OsString]) {
    ASKS_FOR_JSON.store(asks_for_json(arguments), Ordering::Relaxed);
}

/// Reports a failure: how the program ends.
pub(crate) fn report(failure: Failure) -> Exit {
    let (code, message) = match failure {
        Failure::Input(message) => (Exit::Input, message),
        Failure::Result(message) => (Exit::Failure, message),
        Failure::Interrupted(message) => (Exit::Interrupted, message),
        Failure::ClosedPipe => return Exit::ClosedPipe,
    };
    notice!("error: {message}");
    answer(code, message);
    code
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
    if !output::has_printed() && ASKS_FOR_JSON.load(Ordering::Relaxed) {
        let error = Reported { kind: code.name(), exit: code.code(), message };
        // What cannot be printed is on standard error.
        let _ = output::print(&json(&ErrorAnswer { error }));
    }
}

/// Whether arguments ask for JSON, even if something else is wrong with them.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let pairs = arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    pairs || arguments.iter().any(|argument| argument == "--format=json")
}
