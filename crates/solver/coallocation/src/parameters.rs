//! Parameters set by the administrator.

/// Parameters of the algorithm (section 4.3): sizes of samples and numbers of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Initial sample size as a multiple of the requested number of resources (M_init); at least 1.
    pub initial_multiple: usize,
    /// Largest multiple (M_max); the multiple doubles until it exceeds this. If equal to the initial
    /// one, there is a single pass.
    pub largest_multiple: usize,
    /// Number of swaps per requested resource in the search for an admissible set at one start (L1).
    pub admission_effort: usize,
    /// Number of swaps per requested resource in the improvement of the utilisation (L2).
    pub improvement_effort: usize,
}

impl Default for Parameters {
    /// Returns the parameters of the experiments: 3, 3, 7 and 10.
    fn default() -> Parameters {
        Parameters { initial_multiple: 3, largest_multiple: 3, admission_effort: 7, improvement_effort: 10 }
    }
}
