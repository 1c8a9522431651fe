//! Errors of grid simulations.

use dfrsim_cluster::SimulationError;

/// Reason for which a grid cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GridError(String);

impl GridError {
    pub(crate) fn of_cluster(name: &str, error: &SimulationError) -> GridError {
        GridError(format!("cluster `{name}`: {error}"))
    }
}

impl<T: Into<String>> From<T> for GridError {
    fn from(text: T) -> GridError {
        GridError(text.into())
    }
}
