//! What the name of a policy leaves open.

use dfrsim_model::Yield;

/// How MCB packs and searches, in units of yields; by default as the dissertation has it (section 5.2.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct McbOptions {
    /// The least yield that is tried.
    pub(super) floor: u32,
    /// How near to each other the last success and the last failure are.
    pub(super) precision: u32,
    /// The same of the search for a stretch.
    pub(super) stretch_precision: u32,
}

impl Default for McbOptions {
    fn default() -> McbOptions {
        let hundredth = Yield::from_ratio(1, 100).units();
        let stretch_precision = Yield::nearest(0.0001).units();
        McbOptions { floor: hundredth, precision: hundredth, stretch_precision }
    }
}
