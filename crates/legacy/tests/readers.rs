//! Scenarios, results, baselines and journals with other bytes in them: read or refused, and resumed to the same bytes.

#[path = "../../fuzz/damage.rs"]
mod damage;

use damage::damage;
use dfrsim_legacy::regression::{Baseline, CheckOptions, check};
use dfrsim_legacy::results::ROWS;
use dfrsim_legacy::{
    Results, RunError, RunOptions, RunReport, Scenario, Status, Study, run, unfinished_scenario,
};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// Scenarios of all studies.
const SCENARIOS: [&str; 8] = [
    include_str!("../../../scenarios/quickstart.toml"),
    include_str!("../../../scenarios/offline_quick.toml"),
    include_str!("../../../scenarios/adaptation.toml"),
    include_str!("../../../scenarios/grid_quick.toml"),
    include_str!("../../../scenarios/context_switch_quick.toml"),
    include_str!("../../../scenarios/coallocation_quick.toml"),
    include_str!("../../../scenarios/discovery_quick.toml"),
    include_str!("../../../scenarios/needs.toml"),
];

static TINY: LazyLock<Scenario> = LazyLock::new(|| {
    let text = "study = 'online'\npolicies = ['FCFS', 'EASY', 'CONS']\n\
        [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 2, jobs = 10 }\n";
    Scenario::parse(text, "tiny.toml", &[]).unwrap()
});

fn run_until(folder: &Path, stop: usize) -> Result<RunReport, RunError> {
    let interrupt = AtomicBool::new(false);
    let progress = |news: &dfrsim_legacy::News<'_>| interrupt.store(news.finished >= stop, Ordering::Relaxed);
    run(&TINY, &RunOptions { threads: 1, ..RunOptions::new(folder) }, &interrupt, &progress)
}

/// A finished run, and one that was stopped after half of its simulations.
static WHOLE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    run_until(folder.path(), usize::MAX).unwrap();
    folder
});
static HALF: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    run_until(folder.path(), 3).unwrap_err();
    folder
});

/// The files of a folder, in another one.
fn copied(from: &TempDir) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(from.path()).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file())
    {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_scenario_makes_it_panic(text in prop::sample::select(SCENARIOS.to_vec()), damage in damage(), any in "\\PC{0,200}") {
        let damaged = damage.of_text(text);
        for text in [damaged, any] {
            match Study::parse(&text, "file.toml") {
                Ok(study) => {
                    let resolved = study.to_toml();
                    let again = Study::parse(&resolved, "again.toml").unwrap_or_else(|errors| panic!("{errors}\n{resolved}"));
                    prop_assert_eq!(again.to_toml(), resolved);
                }
                Err(errors) => prop_assert!(!errors.to_string().is_empty()),
            }
        }
    }

    /// Results with other bytes in one file are refused with the name of a file; without digests, they may be read.
    #[test]
    fn no_results_make_it_panic(
        name in prop::sample::select(vec![ROWS, "scenario.toml", "manifest.toml"]), damage in damage(), digests: bool,
    ) {
        let folder = copied(&WHOLE);
        if !digests {
            let path = folder.path().join("manifest.toml");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, &text[..text.find("[files]").unwrap()]).unwrap();
        }
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        let damaged = damage.of(&bytes);
        fs::write(&path, &damaged).unwrap();
        match Results::read(folder.path()) {
            Ok(results) => {
                prop_assert!(!digests || name == "manifest.toml" || damaged == bytes, "damage is not seen");
                if let Ok(baseline) = Baseline::of(&results) {
                    let _ = check(&baseline, &baseline, &CheckOptions::default());
                }
            }
            Err(error) => prop_assert!(error.to_string().contains(name) || name == "manifest.toml", "{error}"),
        }
    }

    #[test]
    fn no_baseline_makes_it_panic(damage in damage()) {
        let baseline = Baseline::of(&Results::read(WHOLE.path()).unwrap()).unwrap();
        let damaged = damage.of_text(&baseline.to_toml());
        if let Ok(read) = Baseline::parse(&damaged, "baseline.toml") {
            let _ = check(&read, &baseline, &CheckOptions::default());
            let _ = check(&baseline, &read, &CheckOptions::default());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Whatever is done to a file of a finished or of an unfinished run, going on gives the bytes of an undisturbed one.
    #[test]
    fn damaged_folders_are_resumed_to_the_same_bytes(
        name in prop::sample::select(vec![ROWS, "scenario.toml", "manifest.toml", "rows.journal", "rows.journal.toml"]),
        damage in damage(),
        removed in prop::bool::weighted(0.1),
    ) {
        let folder = copied(if name.contains("journal") { &HALF } else { &WHOLE });
        let path = folder.path().join(name);
        let damaged = damage.of(fs::read(&path).unwrap());
        if removed { fs::remove_file(&path).unwrap() } else { fs::write(&path, damaged).unwrap() }
        if let Err(error) = Status::read(folder.path()) {
            prop_assert!(error.to_string().contains("run that part again"), "{error}");
        }
        let _ = unfinished_scenario(&[folder.path().to_owned()]);
        run_until(folder.path(), usize::MAX).unwrap();
        for name in [ROWS, "scenario.toml", "tables/degradation.csv"] {
            let bytes = |of: &TempDir| fs::read(of.path().join(name)).unwrap();
            prop_assert_eq!(bytes(&folder), bytes(&WHOLE), "{}", name);
        }
        prop_assert!(!folder.path().join("rows.journal").exists());
    }
}
