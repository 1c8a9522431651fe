//! `dfrsim results verify`

use crate::commands::run::{Execution, watched_run};
use crate::failure::Failure;
use crate::memory::Limit;
use crate::output::{self, notice};
use clap::Args;
use dfrsim_lab::{Manifest, Registry, Results, RunOptions};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Verify results that were packed, and run them again
///
/// Every file is compared with its digest in the manifest. With --rerun the scenario then runs in an empty folder, and every
/// file that it gives is compared with the one in the archive; exit code 1 if one differs. Logs that the scenario needs are
/// looked for as always, and have to have the digests of the manifest.
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
        output::print(&format!(
            "{}: {}\n{} {}, study {}, seed {}: {} rows, {} files as their digests say\n",
            self.archive.display(),
            manifest.title,
            manifest.program,
            manifest.version,
            manifest.study,
            manifest.seed,
            manifest.rows.total,
            manifest.files.len()
        ))?;
        for input in &manifest.inputs {
            output::print(&format!("input {}, SHA-256 {}\n", input.file, input.sha256))?;
        }
        if self.rerun { self.rerun(registry, memory, &results) } else { Ok(()) }
    }

    fn rerun(&self, registry: &Registry, memory: Limit, archived: &Results<'_>) -> Result<(), Failure> {
        let scenario =
            registry.parse(&archived.scenario, "scenario.toml", None, &[]).map_err(Failure::input)?;
        let again: TempDir = tempfile::tempdir().map_err(Failure::input)?;
        let options = RunOptions { max_memory: memory.bytes(), ..RunOptions::new(again.path()) };
        let execution = Execution { audit: archived.manifest.audit == "on", ..self.execution };
        watched_run(registry, scenario.as_ref(), options, &execution)?;
        let manifest = manifest(again.path())?;
        for (then, now) in archived.manifest.inputs.iter().zip(&manifest.inputs) {
            if then.sha256 != now.sha256 {
                notice!("{}: another file than the one of the archive (SHA-256 {})", now.file, now.sha256);
            }
        }
        let differences = dfrsim_archive::differences(&archived.manifest, &manifest);
        if differences.is_empty() {
            return output::print(&format!("run again: {} files, the same bytes\n", manifest.files.len()));
        }
        Err(Failure::Result(format!("run again, these files differ: {}", differences.join(", "))))
    }
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let manifest = Manifest::read(folder).map_err(Failure::input)?;
    manifest.ok_or_else(|| Failure::input("the run left no manifest"))
}
