//! `dfrsim results verify`

use crate::commands::run::{Execution, watched_run};
use crate::failure::Failure;
use crate::memory::Limit;
use crate::output::{Answer, Printing, notice};
use clap::Args;
use dfrsim_lab::{InputSection, Manifest, Registry, Results, RunOptions};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Verify packed results, and run them again
///
/// Every file is compared with its digest in the manifest. With --rerun the scenario is then run in an empty folder,
/// and every file of the new run is compared with the one in the archive; exit code 1 if one differs. Logs are searched
/// in the usual places, and must have the digests of the manifest.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results verify quickstart.zip
  dfrsim results verify quickstart.zip --rerun --threads 2
  dfrsim results verify quickstart.zip --into results/theirs")]
pub(crate) struct Verify {
    /// The archive, as `dfrsim results archive` writes it
    #[arg(value_name = "FILE.zip")]
    archive: PathBuf,
    /// Unpack the results into this folder, which must not exist yet
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Run the scenario again, and compare all files
    #[arg(long)]
    rerun: bool,
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    printing: Printing,
}

/// An archive in which every file matches its digest.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    archive: String,
    title: String,
    program: String,
    version: String,
    study: String,
    seed: u64,
    rows: usize,
    files: usize,
    inputs: Vec<Input>,
    /// With `--rerun`: the result of the new run.
    rerun: Option<Rerun>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Input {
    file: String,
    sha256: String,
}

/// The result of running the scenario again.
#[derive(Debug, Serialize, JsonSchema)]
struct Rerun {
    files: usize,
    /// The files that differ from those of the archive.
    differing: Vec<String>,
}

impl Answer for Verified {
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {}\n{} {}, study {}, seed {}: {} rows, {} files match their digests\n",
            self.archive,
            self.title,
            self.program,
            self.version,
            self.study,
            self.seed,
            self.rows,
            self.files
        );
        for Input { file, sha256 } in &self.inputs {
            writeln!(text, "input {file}, SHA-256 {sha256}").expect("a string takes any text");
        }
        if let Some(Rerun { files, .. }) = self.rerun.as_ref().filter(|rerun| rerun.differing.is_empty()) {
            writeln!(text, "run again: {files} files with the same bytes").expect("a string takes any text");
        }
        text
    }
}

impl Verify {
    pub(crate) fn run(self, registry: &Registry, memory: Limit) -> Result<(), Failure> {
        let temporary = tempfile::tempdir().map_err(Failure::input)?;
        let folder = match &self.into {
            Some(folder) => {
                std::fs::create_dir(folder)
                    .map_err(|error| Failure::input(format!("{}: {error}", folder.display())))?;
                folder.as_path()
            }
            None => temporary.path(),
        };
        dfrsim_archive::extract(&self.archive, folder).map_err(Failure::input)?;
        let results = Results::read(folder, registry).map_err(Failure::input)?;
        let manifest = &results.manifest;
        let input = |input: &InputSection| Input { file: input.file.clone(), sha256: input.sha256.clone() };
        let verified = Verified {
            archive: self.archive.display().to_string(),
            title: manifest.title.clone(),
            program: manifest.program.clone(),
            version: manifest.version.clone(),
            study: manifest.study.clone(),
            seed: manifest.seed,
            rows: manifest.rows.total,
            files: manifest.files.len(),
            inputs: manifest.inputs.iter().map(input).collect(),
            rerun: if self.rerun { Some(self.rerun(registry, memory, &results)?) } else { None },
        };
        self.printing.print(&verified)?;
        match verified.rerun {
            Some(Rerun { differing, .. }) if !differing.is_empty() => {
                Err(Failure::Result(format!("run again, these files differ: {}", differing.join(", "))))
            }
            _ => Ok(()),
        }
    }

    fn rerun(&self, registry: &Registry, memory: Limit, archived: &Results<'_>) -> Result<Rerun, Failure> {
        let scenario =
            registry.parse(&archived.scenario, "scenario.toml", None, &[]).map_err(Failure::input)?;
        let again: TempDir = tempfile::tempdir().map_err(Failure::input)?;
        let options = RunOptions { max_memory: memory.bytes(), ..RunOptions::new(again.path()) };
        let execution = Execution { audit: archived.manifest.audit == "on", ..self.execution };
        watched_run(registry, scenario.as_ref(), options, &execution)?;
        let manifest = manifest(again.path())?;
        for (then, now) in archived.manifest.inputs.iter().zip(&manifest.inputs) {
            if then.sha256 != now.sha256 {
                notice!("{}: differs from the file in the archive (SHA-256 {})", now.file, now.sha256);
            }
        }
        let differing = dfrsim_archive::differences(&archived.manifest, &manifest);
        Ok(Rerun { files: manifest.files.len(), differing })
    }
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let manifest = Manifest::read(folder).map_err(Failure::input)?;
    manifest.ok_or_else(|| Failure::input("the run left no manifest"))
}
