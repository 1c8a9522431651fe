//! Claims about placement on devices (`claims_devices.toml`), checked on logs that are drawn to fill
//! the devices of a platform.

use crate::groups::{Group, Matrix};
use crate::rows::SimulationRow;
use dfrsim_lab::query::{Cells, ClaimChecker, Entries, Source, sources};
use dfrsim_lab::{Bootstrap, Claim, Reference};
use dfrsim_model::batch::{Backfilling, NodeUse};
use dfrsim_policies::Policy;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> =
    LazyLock::new(|| Entries::new("online/claims_devices.toml", include_str!("../../claims_devices.toml")));

/// Multiple of all devices that tasks request in the published experiment.
const PUBLISHED: f64 = 1.3;

/// Builds cells without lines. Values are percentages of all devices.
fn no_cells() -> Cells<'static> {
    Cells::new(&["placement", "instance"], &["held", "useless"], &["instance"]).named_by("placement")
}

/// Returns the placement of a group whose policy starts jobs as the published program does: in order,
/// wherever there is room. Returns `None` for other groups, and unless the jobs request an accepted
/// multiple of all devices.
pub(super) fn placement(group: &Group<'_>, is_accepted: impl Fn(f64) -> bool) -> Option<String> {
    let log = group.scope.workload.source.log(group.scope.workload.nodes);
    log.and_then(|(log, _)| log.saturate).filter(|it| is_accepted(it.to))?;
    match group.setting.policy {
        Policy::Batch(it) if it.backfilling == Backfilling::FirstFit && it.nodes == NodeUse::Shared => {
            Some(it.place.to_string())
        }
        _ => None,
    }
}

/// Returns the percentages of devices that tasks held, and that were useless, when the last job had arrived.
fn percentages(row: &SimulationRow) -> [Option<f64>; 2] {
    [row.last_held_devices, row.last_useless_devices].map(|part| Some(100.0 * part?))
}

/// Returns the claims for each workload that fills its devices as the published experiment does.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let bootstrap = Bootstrap::for_tables(matrix.scenario.seed);
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let own = groups.iter().filter(|group| group.scope.workload.name == workload.name);
        let mut cells = no_cells();
        for group in own.filter(|group| matrix.has_first_conditions(group)) {
            let Some(placement) = placement(group, |to| to == PUBLISHED) else { continue };
            for row in group.rows() {
                cells.push([placement.as_str(), row.instance.as_str()], percentages(row));
            }
        }
        let mut published = no_cells();
        let table = Reference(include_str!("../../reference/fgd_2023.csv"));
        for place in ["FIRST", "DOT", "PACK", "FIT", "FGD"] {
            if let Some(values) = table.find::<1, 2>([place]) {
                published.push([place, "published"], values.map(Some));
            }
        }
        claims.extend(judge(&CLAIMS, &cells, vec![&published], &bootstrap, &workload.name));
    }
    claims
}

/// Judges statements about the instances of a workload, with intervals over the instances.
pub(super) fn judge(
    entries: &Entries,
    cells: &Cells<'_>,
    published: Vec<&dyn Source>,
    bootstrap: &Bootstrap,
    workload: &str,
) -> Vec<Claim> {
    let each = cells.split("instance");
    let checker = ClaimChecker {
        replications: sources(&each),
        published,
        estimate: &bootstrap.estimator(),
        needs_interval: true,
        ..ClaimChecker::without_replications(cells)
    };
    checker.claims(entries.iter()).into_iter().map(|claim| claim.within(workload)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_what_there_is() {
        assert_eq!(CLAIMS.undefined_names(&no_cells()), [""; 0]);
    }
}
