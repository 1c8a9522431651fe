//! How commands fail, and with which exit code.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input, the arguments or the place for the output are at fault: exit code 2.
    Input(String),
    /// The work was done and its result is a failure (an audit that finds faults, a policy that breaks a rule):
    /// exit code 1.
    Result(String),
    /// The user interrupted it: exit code 130, as shells have it.
    Interrupted(String),
    /// Whoever read the output has left; nothing is said, exit code 141, as for a program that SIGPIPE ends.
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
            Failure::Input(message) => (2, message),
            Failure::Result(message) => (1, message),
            Failure::Interrupted(message) => (130, message),
            Failure::ClosedPipe => return ExitCode::from(141),
        };
        eprintln!("error: {message}");
        ExitCode::from(code)
    }
}
