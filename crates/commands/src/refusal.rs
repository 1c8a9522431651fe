//! Reports of failures: on standard error, and as JSON in place of the answer.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, json};
use crate::terminal::notice;
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

/// Error that a command with `--format json` prints if it has no answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorAnswer {
    error: Reported,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Reported {
    /// The name of the exit code: `failure`, `input` or `interrupted`.
    kind: &'static str,
    /// The exit code.
    exit: u8,
    /// The errors, one per line: what is wrong, where, and what was expected.
    message: String,
}

/// True if the arguments ask for answers as JSON.
static ASKS_FOR_JSON: AtomicBool = AtomicBool::new(false);

/// Records whether the arguments of the program ask for JSON.
pub(crate) fn note_format(arguments: &[OsString]) {
    ASKS_FOR_JSON.store(asks_for_json(arguments), Ordering::Relaxed);
}

/// Reports a failure and returns the exit status.
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

/// Ends the program because its arguments are wrong or ask for help.
pub(crate) fn end(error: &clap::Error) -> ! {
    if error.use_stderr() {
        answer(Exit::Input, error.to_string().trim_end().to_owned());
    }
    error.exit()
}

/// Prints the failure as JSON, if JSON was asked for and no answer has been printed.
fn answer(code: Exit, message: String) {
    if !output::has_printed() && ASKS_FOR_JSON.load(Ordering::Relaxed) {
        let error = Reported { kind: code.name(), exit: code.code(), message };
        // An error of printing is ignored, since the failure is on standard error already.
        let _ = output::print(&json(&ErrorAnswer { error }));
    }
}

/// Returns whether arguments ask for JSON, even if they are wrong in other ways.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let pairs = arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    pairs || arguments.iter().any(|argument| argument == "--format=json")
}
