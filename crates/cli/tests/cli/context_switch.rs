//! The context-switch study as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::path::Path;

fn scenario() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/context_switch_quick.toml");
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_run_prints_its_tables_and_gives_the_same_bytes_each_time() {
    let folder = Folder::with(&[("scenario.toml", &scenario())]);
    let run = |threads: &str, out: &str| {
        let mut command = dfrsim(["run", "--threads", threads, "--out"]);
        command.arg(folder.path(out)).arg(folder.path("scenario.toml"));
        stdout(&mut command)
    };
    let printed = run("1", "one");
    for part in [
        "table 1",
        "figure 10",
        "figure 11",
        "figure 12",
        "figure 13",
        "What RR-6929 states",
        "resume remote",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(run("2", "two"), printed);
    let file = |out: &str, name: &str| fs::read(folder.path(out).join(name)).unwrap();
    for name in ["rows.csv", "scenario.toml", "tables/figure_10.csv", "tables/stays.csv"] {
        assert!(file("one", name) == file("two", name), "{name}");
    }
    // The scenario with all fields spelt out gives the same.
    let again =
        stdout(dfrsim(["run", "--out"]).arg(folder.path("again")).arg(folder.path("one/scenario.toml")));
    assert_eq!(again, printed);
    assert!(file("one", "rows.csv") == file("again", "rows.csv"));
}

#[test]
fn what_is_wrong_with_a_scenario_is_told_with_its_place() {
    for (right, wrong, message) in [
        ("nodes = 40", "nodes = 0", "expected a number of nodes from 1 to 1000000, found 0"),
        ("\"dozing\"]", "\"sleeping\"]", "there is no policy `sleeping`"),
        ("failures = 0.02", "failures = 2.0", "expected a part of all actions from 0 to 1, found 2"),
        (
            "steps = 500",
            "steps = 500\ndurations = { migrate = [[10, 2], [5, 1]] }",
            "expected pairs of MB and seconds",
        ),
        (
            "steps = 500",
            "steps = 500\ndurations = { local_slowdown = 0.5 }",
            "local_slowdown: expected 1 to 1000000",
        ),
    ] {
        let text = scenario().replacen(right, wrong, 1);
        assert_ne!(text, scenario(), "{right}");
        let folder = Folder::with(&[("scenario.toml", &text)]);
        let told =
            stderr(dfrsim(["run", "--out"]).arg(folder.path("out")).arg(folder.path("scenario.toml")), 2);
        assert!(told.contains(message) && told.contains("scenario.toml:"), "{message}: {told}");
    }
}
