//! Command line of `dfrsim`, for any set of studies and policies.
//!
//! [`main_with`] is the whole program. A registry of your own provides your policies and studies in
//! addition to the standard ones, or instead of them:
//!
//! ```no_run
//! use dfrsim_lab::Registry;
//!
//! fn main() -> std::process::ExitCode {
//!     // `dfrsim::registry()` has the standard studies.
//!     dfrsim_commands::main_with(Registry::new())
//! }
//! ```
//!
//! Each command is a module of `commands`; `arguments` has the arguments that several commands
//! share. Results go to standard output or into files; notices, progress and times go to standard
//! error. Exit codes are in [`exit`].

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod archive;
mod arguments;
mod commands;
mod consent;
mod context;
pub mod exit;
mod failure;
mod figure_size;
mod hints;
pub mod interchange;
pub mod library;
mod memory;
mod output;
mod picture_files;
mod read_log;
mod refusal;
mod slurm_site;
mod temporary;
mod terminal;

use dfrsim_lab::Registry;
use exit::Exit;
use std::ffi::OsString;
use std::process::ExitCode;

/// True if `dfrsim results export --parquet` is built in: a Cargo feature, which one package enables
/// for all packages that are built with it.
pub const HAS_PARQUET: bool = cfg!(feature = "parquet");

/// Returns the options of all commands, as pairs of the command and the option with its hyphens:
/// `("log info", "--nodes")`.
pub fn options() -> Vec<(String, String)> {
    commands::all_options()
}

/// Runs the program with the arguments of the process and with the studies, policies and readers of
/// a registry.
pub fn main_with(registry: Registry) -> ExitCode {
    main_from(std::env::args_os(), registry).into()
}

/// Runs the program with the given arguments, the first of which is the name of the program. A
/// request for help and wrong arguments end the process.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the registry is created for the program and dropped with it"
)]
pub fn main_from(arguments: impl IntoIterator<Item = OsString>, registry: Registry) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    refusal::note_format(&arguments);
    match commands::Cli::from_arguments(&arguments).and_then(|program| program.run(&registry)) {
        Ok(()) => Exit::Success,
        Err(failure) => refusal::report(failure),
    }
}
