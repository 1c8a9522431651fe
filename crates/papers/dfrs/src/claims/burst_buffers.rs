//! Claims about scheduling with burst buffers (`claims_burst_buffers.toml`), checked on workloads of
//! several instances whose jobs request a random amount of a resource of the whole cluster.

use super::devices::judge;
use crate::groups::{Group, Matrix};
use dfrsim_lab::query::{Cells, Entries};
use dfrsim_lab::{Bootstrap, Claim};
use dfrsim_model::platform::classes::RequestTarget;
use std::sync::LazyLock;

static CLAIMS: LazyLock<Entries> = LazyLock::new(|| {
    Entries::new("online/claims_burst_buffers.toml", include_str!("../../claims_burst_buffers.toml"))
});

/// Builds cells without lines. Waits are in seconds.
fn no_cells() -> Cells<'static> {
    Cells::new(&["policy", "instance"], &["wait", "longest", "slowdown"], &["instance"]).named_by("policy")
}

/// Returns the claims for each workload of several instances with random amounts.
pub(super) fn all(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Claim> {
    let bootstrap = Bootstrap::for_tables(matrix.scenario.seed);
    let mut claims = Vec::new();
    for workload in &matrix.scenario.workloads {
        let mut requests = workload.kinds.requests.iter();
        if !requests.any(|request| matches!(request.what, RequestTarget::Amount { .. })) {
            continue;
        }
        let own = groups.iter().filter(|group| group.scope.workload.name == workload.name);
        let mut cells = no_cells();
        for group in own.filter(|group| matrix.has_first_conditions(group)) {
            let policy = group.setting.policy.to_string();
            let rows: Vec<_> = group.rows().collect();
            for row in rows.iter().filter(|_| rows.len() > 1) {
                let values = [row.mean_wait_s, row.max_wait_s, row.mean_bounded_stretch];
                cells.push([policy.as_str(), row.instance.as_str()], values.map(Some));
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
