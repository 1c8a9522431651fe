//! Tests that violations injected into correct files are found (`planted/*.txt`;
//! [`dfrsim_simulator_tests::planted`] describes their format).

use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_model::SimSpan;
use dfrsim_simulator_tests::planted;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("audit/planted")
}

/// Returns the records of a file, before any violation is injected.
pub(crate) fn records(name: &str) -> Vec<String> {
    planted::records(&folder(), name)
}

#[test]
fn planted_faults_are_found() {
    let all = planted::check_all(&folder(), |text, policy| {
        match CheckedPolicy::parse(policy, SimSpan::from_secs(600)) {
            Ok(policy) => audit_policy(text.as_bytes(), policy).map(drop),
            Err(_) => audit(text.as_bytes()).map(drop),
        }
    });
    assert!(all > 200, "{all} cases are read");
}
