//! Tests that all errors of a file are reported at once, each with its line. The expected messages
//! of each file in `faults/` are in the text file of that name.

use dfrsim_workload::formats::{batsim, pbs, slurm};
use dfrsim_workload::log::{LogError, Strictness};
use std::fs;
use std::path::Path;

#[test]
fn every_fault_of_a_file_is_reported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workload/faults");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut read = 0;
    for path in files.filter(|path| path.extension().unwrap() != "txt") {
        let text = fs::read_to_string(&path).unwrap();
        let outcome = match path.extension().unwrap().to_str().unwrap() {
            "json" => batsim::read_text(&text, "log", Strictness::Strict, None),
            "pbs" => pbs::read_text(&text, "log", Strictness::Strict),
            _ => slurm::read_text(&text, "log", Strictness::Strict),
        };
        let error = outcome.map(drop).unwrap_err();
        assert!(matches!(error, LogError::Faults(_)), "{}: {error}", path.display());
        assert_eq!(
            error.to_string() + "\n",
            fs::read_to_string(path.with_extension("txt")).unwrap(),
            "{}",
            path.display()
        );
        read += 1;
    }
    assert_eq!(read, 9);
}
