//! `dfrsim solve plan` as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Two nodes of which each has room for one of its VMs only, and a pivot; C sleeps.
const CURRENT: &str = r#"{
    "nodes": [
        {"name": "N1", "cpu": 2, "memory": 4}, {"name": "N2", "cpu": 2, "memory": 4}, {"name": "N3", "cpu": 2, "memory": 4}
    ],
    "vjobs": [
        {"name": "A", "vms": [{"name": "A1", "cpu": 1, "memory": 2, "state": "running", "node": "N1"}]},
        {"name": "B", "vms": [{"name": "B1", "cpu": 1, "memory": 3, "state": "running", "node": "N2"}]},
        {"name": "C", "vms": [{"name": "C1", "cpu": 1, "memory": 3, "state": "sleeping", "node": "N1"}]}
    ],
    "constraints": [{"kind": "ban", "vms": ["A1"], "nodes": ["N2"]}]
}"#;
const STATES: &str = r#"{"vjobs": [{"name": "C", "state": "running"}]}"#;

fn plan(folder: &Folder, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["solve", "plan"]);
    command.arg(folder.path("current.json"));
    for argument in arguments {
        if argument.contains('.') {
            command.arg(folder.path(argument))
        } else {
            command.arg(argument)
        };
    }
    command
}

/// C1 can be resumed on N1 when A1 has left it: 2, and then 2 + 3; on N3 at once for 6, which is cheaper.
#[test]
fn states_are_reached_as_cheaply_as_possible() {
    let folder = Folder::with(&[("current.json", CURRENT), ("states.json", STATES)]);
    let arguments = ["--states", "states.json", "--plan-out", "plan.json", "--picture", "plan.svg"];
    let printed = stdout(&mut plan(&folder, &arguments));
    assert_eq!(
        printed,
        "1 resume; 1 pool, 0.263672 s\npool 1, from 0 s\n  resume   C1  N1 -> N3  cost 6, 0 to 0.263672 s\ncost 6\nbound 6: this is the cheapest plan\n"
    );
    let document = fs::read_to_string(folder.path("plan.json")).unwrap();
    let checked = stdout(dfrsim(["solve", "plan", "--check"]).arg(folder.path("plan.json")));
    assert_eq!(checked, "1 action in 1 pool, 0 by way of a pivot and 0 of a disk: no fault\n");
    let wrong = document.replace("\"cost\":6", "\"cost\":5").replace("\"cost\": 6", "\"cost\": 5");
    let wrong_path = Folder::with(&[("plan.json", &wrong)]);
    let message = stderr(dfrsim(["solve", "plan", "--check"]).arg(wrong_path.path("plan.json")), 1);
    assert!(message.contains("plan.json: the plan costs 6, not 5"), "{message}");
    assert!(fs::read_to_string(folder.path("plan.svg")).unwrap().contains("1 action in 1 pool, cost 6 MB"));
    assert!(fs::read_to_string(folder.path("plan.csv")).unwrap().contains("0,C1,resume,N1,N3,6,"));
    assert_eq!(stdout(&mut plan(&folder, &arguments)), printed, "the same each time");
}

/// The files of the help's examples.
#[test]
fn the_examples_run() {
    let example =
        |file: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/plan").join(file);
    for (option, file, expected) in [
        ("--to", "swapped.json", "3 migrations; 3 pools"),
        ("--states", "states.json", ": this is the cheapest plan"),
        ("--to", "drained.json", "1 migration; 1 pool"),
    ] {
        let mut command = dfrsim(["solve", "plan"]);
        let printed = stdout(command.arg(example("current.json")).arg(option).arg(example(file)));
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

/// One large VM leaves the overloaded host instead of two small ones, and the other way round where memory counts.
#[test]
fn moves_may_be_counted_instead_of_memory() {
    let state = r#"{"nodes": [{"name": "N1", "cpu": 2, "memory": 4096}, {"name": "N2", "cpu": 4, "memory": 4096}], "vms": [
        {"name": "A", "cpu": 2, "memory": 1024, "node": "N1"}, {"name": "B", "cpu": 1, "memory": 256, "node": "N1"},
        {"name": "C", "cpu": 1, "memory": 256, "node": "N1"}]}"#;
    let folder = Folder::with(&[("current.json", state), ("states.json", r#"{"vjobs": []}"#)]);
    let printed = |aim: &[&str]| stdout(plan(&folder, &["--states", "states.json"]).args(aim));
    let cheap = printed(&[]);
    assert!(cheap.contains("2 migrations; 1 pool") && cheap.contains("bound 512: this is"), "{cheap}");
    let few = printed(&["--aim", "moves"]);
    assert!(few.contains("1 migration; 1 pool") && few.contains("cost 1024"), "{few}");
    assert!(few.ends_with("moves 1, at least 1: no plan has fewer\n"), "{few}");
    // 1,024 MB take 19 s, 256 MB 13.75 s.
    for (aim, end) in [
        ("makespan", "makespan 13.75 s, at least 13.75 s: no plan in which each VM acts once ends earlier\n"),
        ("ends", "ends 19 s, at least 19 s: no plan in which each VM acts once ends earlier\n"),
    ] {
        let printed = printed(&["--aim", aim]);
        assert!(printed.ends_with(end), "{printed}");
    }
}

/// A long suspend waits for the pool of a short one elsewhere or begins at once, in the plan that is printed, kept and checked.
#[test]
fn actions_may_begin_before_their_pool() {
    let state = r#"{"nodes": [{"name": "N1", "cpu": 1, "memory": 4096}, {"name": "N2", "cpu": 1, "memory": 4096}], "vms": [
        {"name": "A", "cpu": 1, "memory": 512, "node": "N1"}, {"name": "B", "cpu": 1, "memory": 2048, "node": "N2"},
        {"name": "C", "cpu": 1, "memory": 512}, {"name": "D", "cpu": 1, "memory": 512}]}"#;
    let to = r#"{"vms": [{"name": "A", "state": "sleeping", "node": "N1"}, {"name": "B", "state": "sleeping", "node": "N2"},
        {"name": "C", "state": "running", "node": "N1"}, {"name": "D", "state": "running", "node": "N2"}]}"#;
    let folder = Folder::with(&[("current.json", state), ("to.json", to)]);
    let line = |option: &str, action: &str| {
        let plan_out = folder.path("plan.json");
        let mut command = plan(&folder, &["--to", "to.json", "--actions", option]);
        let printed = stdout(command.arg("--plan-out").arg(&plan_out));
        stdout(dfrsim(["solve", "plan", "--check"]).arg(plan_out));
        let line = printed.lines().find(|line| line.contains(action)).expect("it is in the plan");
        line.rsplit_once(", ").expect("times are last").1.to_owned()
    };
    let short = line("pools", "suspend  A");
    let end = short.strip_prefix("0 to ").and_then(|end| end.strip_suffix(" s")).expect("it is first");
    for (option, begin) in [("pools", end), ("asap", "0")] {
        let long = line(option, "suspend  B");
        assert!(long.starts_with(&format!("{begin} to ")), "{option}: {long}, {short}");
        let run = line(option, "run      C");
        assert!(run.starts_with(&format!("{end} to ")), "{option}: {run}, {short}");
    }
}

/// Who runs on a drained host moves, and an image on its disk too, to one that stays.
#[test]
fn a_drained_host_keeps_no_image() {
    let state = r#"{"nodes": [{"name": "N1", "cpu": 2, "memory": 4096}, {"name": "N2", "cpu": 2, "memory": 4096}], "vms": [
        {"name": "A", "cpu": 1, "memory": 1024, "node": "N1"},
        {"name": "B", "cpu": 1, "memory": 512, "state": "sleeping", "node": "N1"}]}"#;
    let folder = Folder::with(&[("current.json", state)]);
    let printed = stdout(&mut plan(&folder, &["--drain", "N1"]));
    assert!(
        printed.contains("migrate  A  N1 -> N2") && printed.contains("transfer B  N1 -> N2"),
        "{printed}"
    );
    assert!(printed.ends_with("cost 1536\nbound 1536: this is the cheapest plan\n"), "{printed}");
}

/// One constraint of each kind, GPUs, fractions of CPUs and a node that is off: the plan passes the checker, also read back.
#[test]
fn all_constraints_in_one_plan() {
    let example =
        |file: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/plan").join(file);
    let folder = Folder::with(&[]);
    let mut command = dfrsim(["solve", "plan", "--decide"]);
    command.arg(example("constrained.json")).arg("--durations").arg(example("durations.json"));
    let printed = stdout(command.arg("--plan-out").arg(folder.path("plan.json")));
    for part in ["boot N5, 0 to 90 s", "shutdown N4,", "1 shutdown, 1 boot;", ": this is the cheapest plan"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let checked = stdout(dfrsim(["solve", "plan", "--check"]).arg(folder.path("plan.json")));
    assert!(checked.ends_with("no fault\n"), "{checked}");
    // N5 is needed before it is on.
    let early = fs::read_to_string(folder.path("plan.json")).unwrap().replace("\"end_s\":90", "\"end_s\":91");
    fs::write(folder.path("plan.json"), early).unwrap();
    let message = stderr(dfrsim(["solve", "plan", "--check"]).arg(folder.path("plan.json")), 1);
    assert!(message.contains("node `N5` is off during the"), "{message}");
}

#[test]
fn faults_of_constraints_have_their_place() {
    let constraints = r#""constraints": [
        {"kind": "spread", "vms": ["A1", "Z1"]}, {"kind": "running-capacity", "nodes": ["N9"], "limit": 1},
        {"kind": "overbook", "nodes": ["N1"], "resource": "gpu", "ratio": 2}, {"kind": "split", "groups": [["A1"], ["B1", "A1"]]},
        {"kind": "precedence", "vms": ["A1", "A1"]}, {"kind": "online", "nodes": ["N1"]}, {"kind": "offline", "nodes": ["N1"]}
    ]}"#;
    let of = |constraints: &str| {
        let current = &CURRENT[..CURRENT.find("\"constraints\"").unwrap()];
        let folder = Folder::with(&[("current.json", &format!("{current}{constraints}"))]);
        stderr(&mut plan(&folder, &["--decide"]), 2)
    };
    let message = of(constraints);
    for part in [
        "constraints[0].vms[1]: unknown VM `Z1`",
        "constraints[1].nodes[0]: unknown node `N9`",
        "constraints[2].resource: unknown resource `gpu`; did you mean `cpu`?",
        "constraints[3].groups[1][1]: the VM is in a set before this one",
        "constraints[4].vms[1]: the VM is here twice",
        "constraints[6].nodes: `N1` is to be online and offline",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    for (constraint, part) in [
        (r#"{"kind": "running-capacity", "nodes": ["N1"]}"#, "constraints[0]: the field `limit` is missing"),
        (r#"{"kind": "spread", "vms": [], "nodes": []}"#, "constraints[0]: unknown field `nodes`"),
        (
            r#"{"kind": "spraed", "vms": []}"#,
            "constraints[0].kind: unknown kind of constraint `spraed`; did you mean `spread`?",
        ),
        (
            r#"{"kind": "overbook", "nodes": [], "resource": "cpu", "ratio": 0.0001}"#,
            "at most three decimals",
        ),
    ] {
        let message = of(&format!("\"constraints\": [{constraint}]}}"));
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// A VM that is resumed from a node that stays off, and one that runs there.
#[test]
fn nodes_that_are_off_host_no_vm() {
    let off = |node: &str| {
        let on = format!(r#""name": "{node}", "cpu": 2, "memory": 4"#);
        CURRENT.replace(&on, &format!(r#"{on}, "state": "offline""#))
    };
    let folder = Folder::with(&[("current.json", &off("N1"))]);
    let message = stderr(&mut plan(&folder, &["--decide"]), 2);
    assert!(message.contains("node `N1` is offline, and no VM can be running there"), "{message}");
    let asleep = off("N1").replace(r#""state": "running", "node": "N1""#, r#""state": "waiting""#);
    let folder = Folder::with(&[("current.json", &asleep), ("states.json", STATES)]);
    let message = stderr(&mut plan(&folder, &["--states", "states.json"]), 1);
    assert!(
        message.contains("VM `C1` cannot go from sleeping on node `N1`, which is off, to running"),
        "{message}"
    );
}

fn current_example() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/plan/current.json")
}

/// All vjobs are decided on: two units of CPU a node let all of them run.
#[test]
fn the_decision_module_says_who_runs() {
    let mut command = dfrsim(["solve", "plan", "--decide"]);
    let printed = stdout(command.arg(current_example()));
    assert!(printed.starts_with("2 resumes; 1 pool"), "{printed}");
}

/// With N1 and N2 empty there is room for one more VM than those that run; the image on the disk goes too.
#[test]
fn a_drained_node_hosts_no_vm() {
    let printed = stdout(dfrsim(["solve", "plan", "--drain", "N1", "--"]).arg(current_example()));
    assert!(printed.starts_with("1 transfer, 1 migration; 1 pool"), "{printed}");
    assert!(printed.contains("web1       N1 -> N4"), "{printed}");
    let message = stderr(dfrsim(["solve", "plan", "--drain", "N1,N9", "--"]).arg(current_example()), 2);
    assert!(message.contains("--drain: there is no node `N9`"), "{message}");
}

#[test]
fn places_are_reached_by_a_pivot() {
    let wanted = r#"{"vms": [
        {"name": "A1", "state": "running", "node": "N2"}, {"name": "B1", "state": "running", "node": "N1"}
    ]}"#;
    let current = CURRENT.replace(r#"{"kind": "ban", "vms": ["A1"], "nodes": ["N2"]}"#, "");
    let folder = Folder::with(&[("current.json", &current), ("wanted.json", wanted)]);
    let printed = stdout(&mut plan(&folder, &["--to", "wanted.json"]));
    for part in ["migrate  A1  N1 -> N3", "migrate  B1  N2 -> N1", "migrate  A1  N3 -> N2", "cost 14"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn what_cannot_be_is_said_with_its_reason() {
    let wanted = r#"{"vms": [{"name": "A1", "state": "running", "node": "N2"}]}"#;
    let states = r#"{"vjobs": [{"name": "C", "state": "waiting"}]}"#;
    let folder = Folder::with(&[("current.json", CURRENT), ("wanted.json", wanted), ("states.json", states)]);
    for (arguments, code, message) in [
        (
            ["--to", "wanted.json"],
            1,
            "there is no plan: the target configuration is not viable: node `N2` has 2 units of CPU and 4 MB, but VMs take 2 units and 5 MB",
        ),
        (["--states", "states.json"], 1, "error: VM `C1` cannot go from sleeping on node `N1` to waiting"),
        (["--states", "wanted.json"], 2, "wanted.json:1: unknown field `vms`; expected vjobs"),
        (["--to", "missing.json"], 2, "missing.json: cannot be read"),
    ] {
        let printed = stderr(&mut plan(&folder, &arguments), code);
        assert!(printed.contains(message), "{message}: {printed}");
    }
}

/// A vjob that is not named keeps the states of its VMs, also where these differ.
#[test]
fn who_is_not_named_stays() {
    let current = CURRENT.replace(
        r#"{"name": "C1", "#,
        r#"{"name": "C0", "cpu": 1, "memory": 1, "state": "running", "node": "N3"}, {"name": "C1", "#,
    );
    let folder = Folder::with(&[("current.json", &current), ("states.json", r#"{"vjobs": []}"#)]);
    let printed = stdout(&mut plan(&folder, &["--states", "states.json"]));
    assert!(printed.starts_with("nothing to do\ncost 0\n"), "{printed}");
}

/// Given places do not depend on the search.
#[test]
fn options_of_the_search_are_refused_with_places() {
    let folder = Folder::with(&[("current.json", CURRENT), ("wanted.json", r#"{"vms": []}"#)]);
    for option in [["--steps", "5"], ["--seed", "5"], ["--time-limit", "5s"]] {
        let message = stderr(&mut plan(&folder, &["--to", "wanted.json", option[0], option[1]]), 2);
        assert!(message.contains("cannot be used with"), "{message}");
    }
}

#[test]
fn a_vm_that_is_to_run_needs_a_node() {
    let current = r#"{"nodes": [], "vjobs": [{"name": "C", "vms": [{"name": "C1", "cpu": 1, "memory": 1, "state": "waiting"}]}]}"#;
    let folder = Folder::with(&[("current.json", current), ("states.json", STATES)]);
    let message = stderr(&mut plan(&folder, &["--states", "states.json"]), 1);
    assert!(message.contains("no viable configuration has these states"), "{message}");
}

/// VMs of a vjob share a state; a plan that ends otherwise is what was asked for, but it is said.
#[test]
fn a_vjob_that_is_split_is_said() {
    let current = CURRENT.replace(
        r#"{"name": "A1", "#,
        r#"{"name": "A0", "cpu": 1, "memory": 1, "state": "running", "node": "N1"}, {"name": "A1", "#,
    );
    let wanted = r#"{"vms": [{"name": "A0", "state": "sleeping", "node": "N1"}]}"#;
    let folder = Folder::with(&[("current.json", &current), ("wanted.json", wanted)]);
    let message = stderr(&mut plan(&folder, &["--to", "wanted.json"]), 0);
    assert!(
        message.contains("vjob `A` is split: its VMs share a state before the plan, but not after it"),
        "{message}"
    );
}

#[test]
fn an_empty_plan_has_no_picture_and_is_not_a_failure() {
    let folder = Folder::with(&[("current.json", CURRENT), ("states.json", r#"{"vjobs": []}"#)]);
    let mut command =
        plan(&folder, &["--states", "states.json", "--plan-out", "plan.json", "--picture", "plan.svg"]);
    let output = command.assert().success().get_output().clone();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("plan.svg: the plan is empty; no picture"), "{printed}");
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("nothing to do\ncost 0\n"));
    assert_eq!(folder.names(), ["current.json", "plan.json", "states.json"]);
}

#[test]
fn every_fault_of_a_file_is_reported_with_its_place() {
    for (right, wrong, message) in [
        (
            r#""cpu": 2"#,
            r#""cpu": -2"#,
            "current.json:3: nodes[0].cpu: -2 is not a number from 0 to 4294967295 with at most six decimals",
        ),
        (
            r#""node": "N2""#,
            r#""node": "N9""#,
            "current.json:7: vjobs[1].vms[0].node: unknown node `N9`; expected N1, N2 or N3",
        ),
        (
            r#""state": "running", "node": "N1""#,
            r#""state": "running""#,
            "current.json:6: vjobs[0].vms[0]: a VM that is running needs a `node`",
        ),
        (
            r#""name": "B1""#,
            r#""name": "A1""#,
            "current.json:7: vjobs[1].vms[0].name: two VMs have the name `A1`",
        ),
        (
            r#""nodes": ["N2"]"#,
            r#""nodes": ["X"]"#,
            "current.json:10: constraints[0].nodes[0]: unknown node `X`",
        ),
        (r#", "nodes": ["N2"]}]"#, r#"}]"#, "current.json:10: constraints[0]: the field `nodes` is missing"),
        (
            r#""state": "sleeping""#,
            r#""state": "asleep""#,
            "current.json:8: vjobs[2].vms[0].state: unknown state of a VM `asleep`",
        ),
        (
            r#""B1", "cpu": 1, "memory": 3, "state": "running", "node": "N2""#,
            r#""B1", "cpu": 1, "memory": 3, "state": "waiting", "node": "N2"}, {"name": "B2", "cpu": 1, "memory": 1, "state": "running", "node": "N7""#,
            "current.json:7: vjobs[1].vms[0].node: a VM that is waiting has no node\n\
             current.json:7: vjobs[1].vms[1].node: unknown node `N7`",
        ),
        ("}]\n}", "}]", "current.json:"),
    ] {
        let text = CURRENT.replacen(right, wrong, 1);
        assert_ne!(text, CURRENT);
        let folder = Folder::with(&[("current.json", &text), ("states.json", STATES)]);
        let printed = stderr(&mut plan(&folder, &["--states", "states.json"]), 2);
        let printed =
            printed.replace(&format!("{}/", folder.path("").display().to_string().trim_end_matches('/')), "");
        assert!(printed.contains(message), "{message}: {printed}");
    }
}
