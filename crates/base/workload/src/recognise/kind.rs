//! Kinds of files, with the message for those that are no logs.

use super::foreign::{self, Foreign};
use crate::formats::table::{self, Shape};

/// Kind of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A log in the Standard Workload Format.
    Swf,
    /// A log in the Grid Workloads Format.
    Gwf,
    /// A listing of Slurm's `sacct`, in any of its forms.
    Slurm,
    /// Accounting of PBS, OpenPBS or Torque.
    Pbs,
    /// A Batsim workload.
    Batsim,
    /// A table, which needs a map of its columns.
    Table(Shape),
    /// Another kind of file.
    Foreign(&'static Foreign),
    /// A text of an unknown kind, with its start.
    Text(String),
}

impl Kind {
    /// Returns the description of the kind, with its article.
    pub fn description(&self) -> String {
        match self {
            Kind::Swf => "a log in SWF".to_owned(),
            Kind::Gwf => "a log in GWF".to_owned(),
            Kind::Slurm => "a listing of sacct".to_owned(),
            Kind::Pbs => "accounting of PBS".to_owned(),
            Kind::Batsim => "a workload of Batsim".to_owned(),
            Kind::Table(shape) => shape.to_string(),
            Kind::Foreign(foreign) => foreign.what.to_owned(),
            Kind::Text(start) => format!("a text that starts with `{start}`"),
        }
    }

    /// Returns the message for a file of this kind where a log is expected; `None` for a log.
    pub fn refusal(&self) -> Option<String> {
        let advice = match self {
            Kind::Swf | Kind::Gwf | Kind::Slurm | Kind::Pbs | Kind::Batsim => return None,
            Kind::Table(shape) => match (table::fitting(shape), table::similar(shape)) {
                (Some(map), _) => format!("its columns are those of the map `{map}`: give `--columns {map}`"),
                (_, Some(map)) => {
                    format!(
                        "it has as many columns as tables of the map `{map}`: if it is one, give `--columns {map}`, otherwise describe its columns with `--columns MAP`"
                    )
                }
                _ => "describe its columns with `--columns MAP`".to_owned(),
            },
            Kind::Foreign(foreign) => foreign.advice.to_owned(),
            Kind::Text(_) => "if it is a table, describe its columns with `--columns MAP`".to_owned(),
        };
        let expected =
            "expected a log of jobs (SWF, GWF, a listing of sacct, accounting of PBS, a workload of Batsim)";
        Some(format!("found {}, {expected}; {advice}", self.description()))
    }

    /// Returns whether a map may describe the file as a table of jobs.
    pub(crate) fn may_be_table(&self) -> bool {
        match self {
            Kind::Table(_) | Kind::Text(_) | Kind::Slurm | Kind::Swf | Kind::Gwf => true,
            Kind::Foreign(foreign) => foreign::may_be_table(foreign),
            Kind::Pbs | Kind::Batsim => false,
        }
    }
}
