//! Settings of a simulation from keyword arguments.

use crate::arguments::to_arguments;
use crate::value_error;
use crate::workload::Workload;
use dfrsim::policies::Setup;
use dfrsim::prelude::*;
use dfrsim_commands::library;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Assembles a simulation from keyword arguments.
pub(crate) fn setup(
    policy: Policy,
    options: Option<&Bound<'_, PyDict>>,
    workload: &Workload,
) -> PyResult<Setup> {
    let mut setup = library::setup(policy, &to_arguments(options)?, workload.nodes, &workload.jobs)
        .map_err(value_error)?;
    setup.options.texts.clone_from(&workload.texts);
    Ok(setup)
}
