//! Keywords as options of the command line, and parameters made of them.

use crate::workload::Workload;
use crate::wrong;
use dfrsim::prelude::*;
use dfrsim_commands::library::{self, Setting};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyTuple};

/// Makes the options of a command line from keywords: `node_memory=2` is `--node-memory=2`, `strict=True` is `--strict`. Lists are several
/// options, dictionaries several of the form `KEY=VALUE`; None and False are none.
pub(crate) fn words(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let mut words = Vec::new();
    for (name, value) in options.into_iter().flatten() {
        let name = format!("--{}", name.extract::<String>()?.replace('_', "-"));
        if value.is_none() {
            continue;
        }
        if let Ok(flag) = value.cast::<PyBool>() {
            words.extend(flag.is_true().then_some(name));
        } else if let Ok(number) = value.cast::<PyFloat>() {
            // Without an exponent, which not all options read.
            words.push(format!("{name}={}", number.value()));
        } else if let Ok(pairs) = value.cast::<PyDict>() {
            for (key, value) in pairs {
                words.push(format!("{name}={}={}", key.str()?, value.str()?));
            }
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            for value in value.try_iter()? {
                words.push(format!("{name}={}", value?.str()?));
            }
        } else {
            words.push(format!("{name}={}", value.str()?));
        }
    }
    Ok(words)
}

/// What keywords make of a cluster.
pub(crate) fn setting(
    policy: Policy,
    options: Option<&Bound<'_, PyDict>>,
    workload: &Workload,
) -> PyResult<Setting> {
    let mut setting =
        library::setting(policy, &words(options)?, workload.nodes, &workload.jobs).map_err(wrong)?;
    setting.options.texts.clone_from(&workload.texts);
    Ok(setting)
}
