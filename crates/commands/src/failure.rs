//! How commands fail, and with which exit code.

use std::fmt::Display;
use std::io;
use std::path::Path;

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

impl Failure {
    pub(crate) fn input(message: impl Display) -> Failure {
        Failure::Input(message.to_string())
    }

    /// Something is wrong with a file, or with what is asked of it.
    pub(crate) fn of(path: &Path, fault: impl Display) -> Failure {
        Failure::Input(format!("{}: {fault}", path.display()))
    }

    /// A file cannot be opened, or not be read to its end.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
        Failure::of(path, format_args!("cannot be read: {error}"))
    }

    /// A write to standard output or to a named file failed.
    pub(crate) fn output(target: impl Display, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Input(format!("{target}: cannot be written: {error}")),
        }
    }
}
