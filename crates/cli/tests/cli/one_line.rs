//! Texts of files that imitate lines of the program: no line of any output begins with one.

use crate::support::Folder;
use std::fs;

const INJECTED: &str = "\nINJECTED: signed by alice\n";

/// Runs a command and returns what it printed on both streams.
fn printed(folder: &Folder, line: &str) -> String {
    let output = folder.dfrsim(line).output().unwrap();
    let code = output.status.code();
    assert!(code.is_some_and(|code| code != 101), "{line}: {code:?}");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Checks that no line begins with the injected text, nor contains a control sequence.
fn check(line: &str, text: &str) {
    let is_injected = |line: &str| line.trim_start_matches([' ', '#', '|', '-', '>']).starts_with("INJECTED");
    assert!(!text.lines().any(is_injected), "{line}:\n{text}");
    assert!(!text.contains('\u{1b}'), "{line}:\n{text:?}");
}

/// Returns the text with the injected one in place of `?`, escaped as in JSON and TOML.
fn escaped(text: &str) -> String {
    text.replace('?', &format!("{}\\u001b[2J", INJECTED.escape_debug()))
}

/// Returns the text with the injected one in place of `?`, as it is.
fn raw(text: &str) -> String {
    text.replace('?', INJECTED)
}

#[test]
fn no_text_of_a_scenario_is_a_line_of_the_output() {
    const FIELDS: [&str; 9] = [
        "title = \"?\"",
        "study = \"?\"",
        "objective = \"?\"",
        "only = [\"?\"]",
        "only = [\"workload=?\"]",
        "policies = [\"?\"]",
        "outages = { file = \"?\" }",
        "\"?\" = 1",
        "seed = \"?\"",
    ];
    const WORKLOADS: [&str; 4] = [
        "name = \"?\", nodes = 8, lublin = { replications = 1, jobs = 5 }",
        "name = \"l\", nodes = 8, lublin = { replications = 1, jobs = 5, \"?\" = 1 }",
        "name = \"l\", nodes = 8, swf = \"?\"",
        "name = \"l\", nodes = \"?\", lublin = { replications = 1, jobs = 5 }",
    ];
    let whole = |field: &str, workload: &str| {
        let frame = ["study = \"online\"", "policies = [\"FCFS\"]"];
        let own = frame.iter().filter(|line| line.split(' ').next() != field.split(' ').next());
        let lines: Vec<&str> = own.copied().chain([field]).collect();
        format!("{}\nworkloads = [{{ {workload} }}]\n", lines.join("\n"))
    };
    let plain = WORKLOADS[0].replace('?', "l");
    let texts = FIELDS.iter().map(|field| whole(field, &plain));
    for text in texts.chain(WORKLOADS.iter().map(|workload| whole("seed = 1", workload))) {
        let folder = Folder::with(&[("s.toml", &escaped(&text))]);
        for line in ["run s.toml --out r", "run s.toml --dry-run", "submit s.toml --dry-run"] {
            check(&format!("{line}: {text}"), &printed(&folder, line));
        }
    }
}

#[test]
fn no_text_of_another_file_is_a_line_of_the_output() {
    let cases = [
        ("nodes.csv", raw("name,cpus,memory_gb\n\"?\",4,8\n"), "solve pack nodes.csv vms.csv"),
        (
            "t.csv",
            raw("id,submit,start,end,user,cpus\n\"?\",0,1,2,\"?\",1\n"),
            "log info t.csv --columns helios",
        ),
        ("site.sacct", raw("JobID|User|Submit\n1|?|2024-01-01T00:00:00\n"), "log info site.sacct"),
        (
            "slurm.conf",
            raw("NodeName=? CPUs=4\nPartitionName=?\n"),
            "site --sacct site.sacct --slurm-conf slurm.conf --out o",
        ),
        ("log.swf", raw("; Computer: ?; Note: ?\n1 0 0 ?\n"), "log info log.swf"),
        (
            "log.swf",
            raw("; MaxNodes: 4?\n"),
            "simulate --workload log.swf --nodes 4 --unit node --policy EASY",
        ),
        (
            "w.json",
            escaped(
                "{\"nb_res\":4,\"jobs\":[{\"id\":\"?\",\"subtime\":0,\"res\":1,\"profile\":\"?\"}],\"profiles\":{\"?\":{\"type\":\"?\"}}}",
            ),
            "log info w.json",
        ),
        (
            "state.json",
            escaped(
                "{\"nodes\":[{\"name\":\"?\",\"cpu\":4,\"memory\":8}],\"vms\":[{\"name\":\"?\",\"cpu\":1,\"memory\":1,\"host\":\"?\"}]}",
            ),
            "solve plan state.json",
        ),
        ("e.jsonl", escaped("{\"event\":\"run\",\"policy\":\"?\",\"format\":1}\n"), "audit e.jsonl"),
        ("plan.json", escaped("{\"?\":1}"), "draw page plan.json --out p.html"),
        ("b.toml", escaped("study = \"?\"\ntitle = \"?\"\n"), "results check r --baseline b.toml"),
        (
            "pl.toml",
            escaped("[[classes]]\nname = \"?\"\nnodes = 4\ncores = 4\nmemory_gb = 8\n\"?\" = 1\n"),
            "simulate --workload log.swf --platform pl.toml --policy EASY",
        ),
        (
            "f.csv",
            raw("nodes,from_s,until_s\n\"?\",1,2\n"),
            "simulate --workload log.swf --nodes 4 --unit node --failures f.csv --policy EASY",
        ),
    ];
    let scenario = "study = \"online\"\npolicies = [\"FCFS\"]\nworkloads = [{ name = \"l\", nodes = 8, lublin = { replications = \
                    1, jobs = 5 } }]\n";
    let folder = Folder::with(&[("s.toml", scenario), ("vms.csv", "name,cpus,memory_gb\nv,1,1\n")]);
    printed(&folder, "run -q s.toml --out r");
    for (name, text, line) in cases {
        fs::write(folder.path(name), text).unwrap();
        let text = printed(&folder, line);
        assert!(!text.is_empty(), "{line}");
        check(line, &text);
    }
}
