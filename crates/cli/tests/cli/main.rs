//! Tests `dfrsim` as a user runs it, with one module per command.

mod altered;
mod answers;
mod answers_named;
mod archive;
mod check;
#[cfg(unix)]
mod cmd;
mod coallocation;
mod compare;
mod effects;
mod every_study;
mod exit_codes;
mod explain;
mod external;
mod folders;
mod grid;
#[cfg(unix)]
mod guide;
mod hostile_archives;
mod interchange;
mod kills;
mod limits;
mod links;
mod logs;
mod man;
mod matrix;
mod offline;
mod one_line;
mod outputs;
mod pictures;
mod readme;
mod received;
mod run;
mod scenarios;
mod schema;
mod shards;
mod simulate;
mod site;
#[cfg(target_os = "linux")]
mod soak;
mod solve;
mod support;
mod validator;
