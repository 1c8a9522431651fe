//! Settings of the parameter study.

use crate::scenario::VariationFields;
use dfrsim_coallocation::Parameters;

/// A varied parameter, `M`, `L1` or `L2`, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Value of the parameter.
    pub value: usize,
}

impl Setting {
    /// Iterates over all settings of a parameter study.
    pub(crate) fn all(variations: &VariationFields) -> impl Iterator<Item = Setting> {
        let VariationFields { multiples, l1, l2, .. } = variations;
        [("M", multiples), ("L1", l1), ("L2", l2)]
            .into_iter()
            .flat_map(|(parameter, values)| values.iter().map(move |&value| Setting { parameter, value }))
    }

    /// Returns the parameters with this one changed.
    pub(crate) fn apply(self, standard: Parameters) -> Parameters {
        let value = self.value;
        match self.parameter {
            "M" => Parameters { initial_multiple: value, largest_multiple: value, ..standard },
            "L1" => Parameters { admission_effort: value, ..standard },
            _ => Parameters { improvement_effort: value, ..standard },
        }
    }
}
