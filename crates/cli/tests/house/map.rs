//! Test that all paths in the code map (`crates/README.md`) exist.

use crate::sources::crates;
use std::fs;

#[test]
fn the_map_names_what_exists() {
    let text = fs::read_to_string(crates().join("README.md")).unwrap();
    let quoted =
        text.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path = |name: &&str| name.contains('/') && !name.contains(['<', '*', ' ']);
    let papers: Vec<_> =
        fs::read_dir(crates().join("papers")).unwrap().map(|it| it.unwrap().path()).collect();
    let (mut paths, mut missing) = (0, Vec::new());
    for name in quoted.filter(is_path) {
        paths += 1;
        let exists = match name.strip_prefix("papers/PAPER/") {
            // Not every paper has figures or claims, so one paper with this path is enough.
            Some(inner) => papers.iter().any(|paper| paper.join(inner).exists()),
            None => crates().join(name).exists(),
        };
        if !exists {
            missing.push(name);
        }
    }
    assert!(paths > 60, "{paths} paths were read");
    assert!(missing.is_empty(), "{missing:#?}");
}
