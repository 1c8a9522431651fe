//! Tests that violations injected into correct records of grids are found (`planted/*.txt`).

use dfrsim_paper_reallocation::audit::audit;
use dfrsim_simulator_tests::planted::check_all;
use std::path::Path;

#[test]
fn planted_faults_are_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/planted");
    let all = check_all(&folder, |text, _| audit(text.as_bytes()).map(drop));
    assert!(all > 40, "{all} cases are read");
}
