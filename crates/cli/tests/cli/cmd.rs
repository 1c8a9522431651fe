//! Tests of the commands and their output. Each page of `cmd/` covers one small subject, and
//! [`trycmd`] runs it in a folder of its own. `PAGE.in` has the files that exist before, and
//! `PAGE.out` files as they are afterwards. Standard error follows standard output, and each of its
//! lines begins with `2> `.
//!
//! After an intended change, `TRYCMD=overwrite cargo test -p dfrsim-cli --test cli -- cmd` updates
//! the output in the pages. With `trycmd=plan` appended, it runs only pages with `plan` in their
//! path.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Programs that pages use to change and show files.
const TOOLS: [&str; 5] = ["cat", "cmp", "grep", "ls", "sed"];

#[test]
fn answers_are_as_on_the_pages() {
    let pages = trycmd::TestCases::new();
    pages.register_bin("dfrsim", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/cmd/dfrsim"));
    pages.register_bins(TOOLS.map(|tool| (tool, found(tool))));
    pages.env("DFRSIM", env!("CARGO_BIN_EXE_dfrsim"));
    pages.env("LC_ALL", "C").env("COLUMNS", "100").env("NO_COLOR", "1");
    pages.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).unwrap();
    pages.case("tests/cli/cmd/*/*.md");
}

/// Checks the programs of all commands, because `trycmd` silently skips commands that it does not
/// know.
#[test]
fn commands_of_pages_are_known() {
    let below = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let subjects = below(Path::new("tests/cli/cmd")).filter(|path| path.is_dir());
    for page in
        subjects.flat_map(|subject| below(&subject)).filter(|path| path.extension() == Some("md".as_ref()))
    {
        let text = fs::read_to_string(&page).unwrap();
        for command in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let program = command.split(' ').next().unwrap();
            assert!(program == "dfrsim" || TOOLS.contains(&program), "{}: {command}", page.display());
        }
    }
}

fn found(tool: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap();
    env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.exists()).unwrap()
}
