//! Failures of commands and their exit codes.

use dfrsim_input::describe_io;
use std::fmt::Display;
use std::io;
use std::path::Path;

/// Reason for which a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input, the arguments or the output path are wrong: [`Exit::Input`].
    Input(String),
    /// The work was done, but its result is a failure: [`Exit::Failure`].
    Result(String),
    /// The user interrupted the command: [`Exit::Interrupted`].
    Interrupted(String),
    /// The reader of the output has closed it; there is no message: [`Exit::ClosedPipe`].
    ClosedPipe,
}

impl Failure {
    pub(crate) fn input(message: impl Display) -> Failure {
        Failure::Input(message.to_string())
    }

    /// Creates the failure for an error in a file, or in a request that concerns it.
    pub(crate) fn in_file(path: &Path, fault: impl Display) -> Failure {
        Failure::Input(format!("{}: {fault}", path.display()))
    }

    /// Creates the failure for a file that cannot be opened or read to its end.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
        Failure::in_file(path, format_args!("cannot be read: {}", describe_io(error)))
    }

    /// Creates the failure for an error of writing to standard output or to a named file.
    pub(crate) fn output(target: impl Display, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            io::ErrorKind::NotFound => {
                let target = target.to_string();
                let folder = Path::new(&target).parent().unwrap_or(Path::new("")).display();
                Failure::Input(format!("{target}: cannot be written: there is no folder {folder}"))
            }
            _ => Failure::Input(format!("{target}: cannot be written: {}", describe_io(error))),
        }
    }
}
