//! Tests `dfrsim man`.

use crate::support::{Folder, dfrsim};
use std::fs;

/// Writes a page for each command that the help lists, and for no other.
#[test]
fn every_listed_command_has_a_page() {
    let folder = Folder::with(&[]);
    dfrsim(["man"]).arg(folder.path("man1")).assert().success().stdout("");
    let page = |name: &str| fs::read_to_string(folder.path("man1").join(name));
    for name in ["dfrsim.1", "dfrsim-run.1", "dfrsim-results.1", "dfrsim-results-check.1", "dfrsim-man.1"] {
        let text = page(name).unwrap();
        assert!(text.contains(".SH SYNOPSIS") && text.contains(&name[..name.len() - 2]), "{name}");
    }
    assert!(page("dfrsim-run.1").unwrap().contains("shard"));
    assert!(page("dfrsim-check.1").is_err() && page("dfrsim-help.1").is_err());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = Folder::with(&[("file", "")]);
    let message = crate::support::stderr(dfrsim(["man"]).arg(folder.path("file")), 2);
    assert!(message.contains("file"), "{message}");
}
