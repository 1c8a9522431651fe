//! `dfrsim`: the command line.
//!
//! Each command is a module of `commands`; `arguments` holds what several of them share. Results go to standard
//! output or into files; notices, progress and times go to standard error. Exit codes are in `failure`.

mod arguments;
mod commands;
mod failure;
mod output;
mod picture_files;
mod utc;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
