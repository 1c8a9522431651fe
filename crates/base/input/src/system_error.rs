//! Errors of the operating system in the words of users.

use std::io;

/// Returns the cause of an error of reading or writing a file. The usual causes have plain words
/// instead of those and the number of the operating system.
///
/// ```
/// let error = std::fs::File::open("no/such/file").unwrap_err();
/// assert_eq!(dfrsim_input::describe_io(&error), "no such file");
/// ```
pub fn describe_io(error: &io::Error) -> String {
    let plain = match error.kind() {
        io::ErrorKind::NotFound => "no such file",
        io::ErrorKind::IsADirectory => "is a folder, expected a file",
        io::ErrorKind::NotADirectory => "a part of the path is a file, expected a folder",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::StorageFull => "no space is left on the disk",
        _ => return error.to_string(),
    };
    plain.to_owned()
}
