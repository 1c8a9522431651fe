//! Every dependency may be used under a permissive licence.

use std::process::Command;

const PERMISSIVE: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "0BSD",
    "Unicode-3.0",
    "CC0-1.0",
    "BSL-1.0",
];

/// Whether one of the alternatives of an SPDX expression names permissive licences only.
fn is_permissive(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace(" WITH LLVM-exception", "").replace('/', " OR ");
    let mut alternatives = plain.split(" OR ");
    alternatives.any(|terms| terms.split(" AND ").all(|term| PERMISSIVE.contains(&term.trim())))
}

#[test]
fn all_dependencies_are_permissive() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_permissive))
        .map(|package| format!("{} ({})", package["name"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}
