//! The parameters set by the administrator.

/// The parameters of the algorithm (section 4.3): how far it looks and how hard it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many times as many resources as are asked for are examined first (M_init); at least 1.
    pub initial_multiple: usize,
    /// How many times as many at most (M_max); the multiple is doubled up to it. Equal to the first, there is a single
    /// pass.
    pub largest_multiple: usize,
    /// How many swaps a resource are tried towards an admissible set, at one start (L1).
    pub admission_effort: usize,
    /// How many swaps a resource are tried towards a better utilisation (L2).
    pub improvement_effort: usize,
    /// Whether phase III skips starts at which the totals are proved to be out of reach. Without proofs, as in the text, phase IV
    /// tries all starts at which N resources are available, and finds the same ones more slowly.
    pub proofs: bool,
}

impl Default for Parameters {
    /// Those of the experiments: 3, 3, 7 and 10; with proofs.
    fn default() -> Parameters {
        Parameters {
            initial_multiple: 3,
            largest_multiple: 3,
            admission_effort: 7,
            improvement_effort: 10,
            proofs: true,
        }
    }
}
