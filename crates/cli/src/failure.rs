//! How commands fail, and with which exit code.

use crate::exit;
use crate::output::notice;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input, the arguments or the place for the output are at fault: [`exit::INPUT`].
    Input(String),
    /// The work was done, and its result is a failure: [`exit::FAILURE`].
    Result(String),
    /// The user interrupted it: [`exit::INTERRUPTED`].
    Interrupted(String),
    /// Nobody reads the output any more; no message, [`exit::CLOSED_PIPE`].
    ClosedPipe,
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
            Failure::Input(message) => (exit::INPUT, message),
            Failure::Result(message) => (exit::FAILURE, message),
            Failure::Interrupted(message) => (exit::INTERRUPTED, message),
            Failure::ClosedPipe => return ExitCode::from(exit::CLOSED_PIPE),
        };
        notice!("error: {message}");
        ExitCode::from(code)
    }
}
