//! Settings of a simulation from keyword arguments.

use crate::arguments::to_arguments;
use crate::workload::Workload;
use crate::value_error;
use dfrsim::prelude::*;
use dfrsim_commands::library::{self, Setting};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Builds the settings of a simulation from keyword arguments.
pub(crate) fn setting(
    policy: Policy,
    options: Option<&Bound<'_, PyDict>>,
    workload: &Workload,
) -> PyResult<Setting> {
    let mut setting =
        library::setting(policy, &to_arguments(options)?, workload.nodes, &workload.jobs).map_err(value_error)?;
    setting.options.texts.clone_from(&workload.texts);
    Ok(setting)
}
