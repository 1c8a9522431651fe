//! Checks of the files on a command line, none of which may be overwritten by another one.

use crate::failure::Failure;
use crate::output::OverwriteGuard;
use clap::{Arg, ArgMatches, Command, ValueHint};
use dfrsim_workload::traces;
use std::path::{Path, PathBuf};

/// Refuses an output file that is also an input or another output. The value hint of each argument
/// determines its role: `FilePath` is read, `AnyPath` is written, `DirPath` is a folder, which
/// standard output cannot be. The data of a picture is written next to it.
///
/// # Errors
/// Returns an error for the first such output.
pub(super) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let named = |hint: ValueHint| {
        let with_hint = command.get_arguments().filter(move |it| it.get_value_hint() == hint);
        with_hint.flat_map(|argument| paths(argument, matches).map(move |path| (argument, path)))
    };
    if let Some((argument, _)) = named(ValueHint::DirPath).find(|(_, path)| path == Path::new("-")) {
        let name = display_name(argument);
        return Err(Failure::input(format!("{name}: expected a folder, but `-` is standard output")));
    }
    let read = named(ValueHint::FilePath).fold(OverwriteGuard::default(), |places, (argument, path)| {
        // Logs are searched for in several folders.
        places.add_input(display_name(argument), &traces::locate(&path).unwrap_or(path))
    });
    let write = |places: OverwriteGuard, (argument, path): (&Arg, PathBuf)| {
        let places = places.add_output(&display_name(argument), path.as_path())?;
        match argument.get_value_names() {
            Some([names]) if names.contains(".svg") => places.add_output(
                &format!("the data of {}", display_name(argument)),
                path.with_extension("csv").as_path(),
            ),
            _ => Ok(places),
        }
    };
    named(ValueHint::AnyPath).try_fold(read, write).map(drop)
}

fn paths<'a>(argument: &Arg, matches: &'a ArgMatches) -> impl Iterator<Item = PathBuf> + use<'a> {
    let values = matches.try_get_raw(argument.get_id().as_str()).ok().flatten();
    values.into_iter().flatten().map(|value| Path::new(value).to_owned())
}

/// Returns the name of an argument for messages: `--out`, or `the input` for a positional one.
fn display_name(argument: &Arg) -> String {
    argument.get_long().map_or_else(|| format!("the {}", argument.get_id()), |long| format!("--{long}"))
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use clap::{Command, ValueHint};
    use std::any::TypeId;
    use std::path::PathBuf;

    /// A new option with a file is protected too.
    #[test]
    fn every_path_says_whether_it_is_read_or_written() {
        fn check(command: &Command) {
            for argument in command.get_arguments() {
                let hint = argument.get_value_hint();
                let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
                let says_it = [ValueHint::FilePath, ValueHint::AnyPath, ValueHint::DirPath].contains(&hint);
                assert!(!is_path || says_it, "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::full_command());
    }
}
