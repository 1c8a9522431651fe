//! Pages of small runs.

use dfrsim_legacy::{Results, RunOptions, Scenario, run};
use dfrsim_report::Picture;
use dfrsim_report::legacy::page;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Two penalties, one period; the names try to break out of the page.
const SCENARIO: &str = "study = 'online'\ntitle = 'A <b> & \"c\"'\n\
    policies = ['EASY', 'GreedyP*/OPT=MIN', 'GreedyP/per/OPT=MIN']\n[simulation]\npenalty = [0, 300]\n\
    [[workloads]]\nname = '</script><i>'\nnodes = 16\nlublin = { traces = 2, jobs = 60 }\n";

fn results(folder: &Path) -> Results {
    let scenario = Scenario::parse(SCENARIO, "few.toml", &[]).unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder) };
    run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    Results::read(folder).unwrap()
}

#[test]
fn the_page_stands_alone_and_takes_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path());
    let picture = Picture { title: "A \"picture\"".to_owned(), svg: "<svg id=\"#1\">100%</svg>".to_owned() };
    let page = page(&results, &[picture]).unwrap();
    assert!(page.contains("<h1>A &lt;b&gt; &amp; &quot;c&quot;</h1>"));
    assert!(!page.contains("<i>"), "nothing of a name is taken for a tag");
    assert!(page.contains(r"\u003c/script>\u003ci>"), "in data neither");
    assert!(page.contains("data:image/svg+xml,%3Csvg id=&quot;%231&quot;%3E100%25%3C/svg%3E"));
    for reference in ["http:", "https:", "src=\"/", "@import"] {
        assert!(!page.contains(reference), "{reference} would need a network");
    }
    assert!(page.contains("EASY, penalty 0 s"), "what differs tells settings apart");
    assert!(!page.contains("period 600 s"), "what is the same does not");
    assert!(!page.contains("id=\"warnings\""));
}

#[test]
fn what_failed_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = results(folder.path());
    results.rows[0].outcome = Err("a job was given <two> nodes".to_owned());
    results.is_outdated = true;
    results.manifest = results.manifest.replace("inputs = []\n", "");
    results.manifest.push_str(
        "\n[[inputs]]\nworkload = 'log'\nfile = 'a.swf'\nbroken_lines = 3\n\
         [inputs.rules]\nzero_run = { kept = 0, clamped = 0, dropped = 7 }\n",
    );
    let page = page(&results, &[]).unwrap();
    assert!(
        page.contains(
            "Failed: EASY on &lt;/script&gt;&lt;i&gt;, trace-000: a job was given &lt;two&gt; nodes"
        )
    );
    assert!(page.contains("log (a.swf): 3 lines that cannot be read, zero_run: 7 dropped."));
    assert!(page.contains("unfinished"));
}

#[test]
fn a_missing_or_damaged_table_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(folder.path());
    let table = folder.path().join("tables/metrics.csv");
    std::fs::write(&table, "a,b\n1\n").unwrap();
    let error = page(&results, &[]).unwrap_err().to_string();
    assert!(error.contains("metrics.csv") && error.contains("line: 2"), "{error}");
    std::fs::remove_dir_all(folder.path().join("tables")).unwrap();
    assert!(page(&results, &[]).unwrap_err().to_string().contains("tables"));
}
