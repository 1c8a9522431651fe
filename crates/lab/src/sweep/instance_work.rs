//! Runs on one instance.

/// The runs on one instance.
pub(crate) struct InstanceWork {
    /// Index of the instance.
    pub(crate) at: usize,
    /// Selected variants; `None` for all.
    pub(crate) own: Option<Vec<bool>>,
}
