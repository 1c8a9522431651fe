//! Claims about the power of placements on devices (`claims_power.toml`), checked on logs that are drawn
//! until they request a part of the devices of a platform.

use super::devices::{judge, placement};
use crate::groups::{Group, Matrix};
use dfrsim_lab::query::{Cells, Entries};
use dfrsim_lab::{Bootstrap, Claim};
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims_power.toml", include_str!("../../claims_power.toml")));

/// Largest multiple of all devices for which the savings are published.
const PUBLISHED: f64 = 0.8;

/// Builds cells without lines. Values are watts.
fn no_cells() -> Cells<'static> {
    Cells::new(&["placement", "instance"], &["power"], &["instance"]).named_by("placement")
}

/// Returns the claims for each workload whose jobs request a published part of all devices.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let bootstrap = Bootstrap::for_tables(matrix.scenario.seed);
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let own = groups.iter().filter(|group| group.scope.workload.name == workload.name);
        let mut cells = no_cells();
        for group in own.filter(|group| matrix.has_first_conditions(group)) {
            let Some(placement) = placement(group, |to| to <= PUBLISHED) else { continue };
            for row in group.rows() {
                cells.push([placement.as_str(), row.instance.as_str()], [row.peak_power]);
            }
        }
        claims.extend(judge(&CLAIMS, &cells, Vec::new(), &bootstrap, &workload.name));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&no_cells()), [""; 0]);
    }
}
