//! `dfrsim results verify`

use super::signature;
use crate::arguments::gigabytes;
use crate::commands::run::{Execution, watched_run};
use crate::consent::Consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, notice};
use clap::Args;
use dfrsim_lab::{
    AnyScenario, Digest, InputSection, MANIFEST, Manifest, Part, Results, ResultsError, RunOptions,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Verify archived results, and run them again
///
/// Every file is compared with its digest in the manifest, the metadata with those that the results
/// give, the number of rows with their files, and the tables with those that follow from the rows,
/// if the logs of the scenario are available. This detects damage, not forgery: whoever makes an
/// archive can make its digests too. Only --rerun shows that the rows are those of the scenario, and
/// only a signature (--signers) shows who made it. With --rerun the scenario is run in an empty
/// folder, and every file of the new run is compared with the one in the archive; exit code 1 if one
/// differs. Logs are searched for in the usual folders, and must have the digests of the manifest.
/// Commands of the scenario do not run without --allow-commands, and no file is written outside of
/// the folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results verify quickstart.zip
  dfrsim results verify quickstart.zip --rerun --threads 2
  dfrsim results verify quickstart.zip --into results/theirs
  dfrsim results verify quickstart.zip --signers allowed_signers")]
pub(crate) struct Verify {
    /// Archive, as written by `dfrsim results archive`
    #[arg(value_name = "FILE.zip", value_hint = clap::ValueHint::FilePath)]
    archive: PathBuf,
    /// Unpack the results into this folder, which must not exist yet
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    into: Option<PathBuf>,
    /// Maximum size of the unpacked archive
    #[arg(long, value_name = "GB", default_value_t = 1.0, value_parser = gigabytes)]
    max_unpacked: f64,
    /// Check the signature next to the archive, FILE.zip.sig, with `ssh-keygen`: it must be of one
    /// of the signers in this file, which has a name and a public key on each line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    signers: Option<PathBuf>,
    /// Run the scenario again, and compare all files
    #[arg(long)]
    rerun: bool,
    #[command(flatten)]
    consent: Consent,
    #[command(flatten)]
    execution: Execution,
}

/// Archive in which every file matches its digest.
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
    inputs: Vec<RecordedInput>,
    /// The name of the signer, with `--signers`.
    signer: Option<String>,
    /// The reason why tables were not recomputed from the rows; `null` if they were, and are
    /// identical.
    unchecked_tables: Option<String>,
    /// The result of the new run, with `--rerun`.
    rerun: Option<Rerun>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
struct RecordedInput {
    file: String,
    sha256: String,
}

/// Result of running the scenario again.
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
        for RecordedInput { file, sha256 } in &self.inputs {
            text += &format!("input {file}, SHA-256 {sha256}\n");
        }
        match &self.unchecked_tables {
            None => text += "the rows belong to this scenario, and the tables follow from them\n",
            Some(why) => {
                text += &format!("the tables were not recomputed from the rows: {why}\n");
            }
        }
        match &self.signer {
            Some(signer) => text += &format!("signed by {signer}\n"),
            None => text += "signature not checked (see --signers): digests detect damage, not forgery\n",
        }
        if let Some(Rerun { files, .. }) = self.rerun.as_ref().filter(|rerun| rerun.differing.is_empty()) {
            text += &format!("run again: {files} files are identical\n");
        }
        text
    }
}

impl Verify {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let temporary = self.create_unpack_folder()?;
        let signer =
            self.signers.as_ref().map(|signers| signature::verify(&self.archive, signers)).transpose()?;
        let most = (self.max_unpacked * 1e9) as u64;
        let folder = temporary.path().join("results");
        std::fs::create_dir(&folder).map_err(Failure::input)?;
        crate::archive::extract(&self.archive, &folder, most).map_err(Failure::input)?;
        let results = Results::read(&folder, context.registry)
            .map_err(|fault| self.archive_failure(&folder, &fault))?;
        let manifest = &results.manifest;
        let counted = results.count_rows().map_err(|fault| self.archive_failure(&folder, &fault))?;
        let said = manifest.rows.total;
        if counted != said {
            let fault = format_args!("{MANIFEST} lists {said} rows, but there are {counted}");
            return Err(Failure::in_file(&self.archive, fault));
        }
        crate::archive::check_metadata(&self.archive, &results).map_err(Failure::input)?;
        let unchecked_tables = self.recompute(context, &results)?;
        let input =
            |input: &InputSection| RecordedInput { file: input.file.clone(), sha256: input.sha256.clone() };
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
            signer,
            unchecked_tables,
            rerun: if self.rerun { Some(self.rerun(context, &results)?) } else { None },
        };
        if let Some(into) = &self.into {
            // The folder appears only after all checks have succeeded.
            let failed = |error| Failure::output(into.display(), &error);
            std::fs::create_dir(into).map_err(failed)?;
            std::fs::rename(&folder, into).map_err(failed)?;
        }
        context.print(&verified)?;
        match verified.rerun {
            Some(Rerun { differing, .. }) if !differing.is_empty() => {
                Err(Failure::Result(format!("these files differ in the new run: {}", differing.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Converts an error in an unpacked file into one of the archive.
    fn archive_failure(&self, folder: &Path, fault: &ResultsError) -> Failure {
        let file = fault.path.strip_prefix(folder).unwrap_or(&fault.path).display().to_string();
        let file = if file.is_empty() { file } else { format!("{file}: ") };
        Failure::in_file(&self.archive, format_args!("{file}{}", fault.message))
    }

    /// Creates a folder to unpack into: in the parent of the destination, so that the results can be
    /// moved there by renaming.
    fn create_unpack_folder(&self) -> Result<TempDir, Failure> {
        let Some(into) = &self.into else { return tempfile::tempdir().map_err(Failure::input) };
        if into.symlink_metadata().is_ok() {
            return Err(Failure::in_file(into, "already exists; choose another folder"));
        }
        let beside = into.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".dfrsim-").tempdir_in(beside);
        made.map_err(|error| Failure::output(into.display(), &error))
    }

    /// Recomputes the tables from the rows, as a merge does, and compares all files. Returns the
    /// reason if that is impossible on this machine.
    fn recompute(&self, context: &Context<'_>, archived: &Results<'_>) -> Result<Option<String>, Failure> {
        let scenario = match archived.scenario(context.registry) {
            Ok(scenario) => scenario,
            Err(error) => return Ok(Some(error.to_string())),
        };
        if let Some(file) = changed_input(&scenario, &archived.manifest) {
            return Ok(Some(format!("{file} has other contents on this machine")));
        }
        let again = tempfile::tempdir().map_err(Failure::input)?;
        let part = Part::Merged(vec![archived.folder.clone()]);
        let options = RunOptions { part, ..RunOptions::new(again.path()) };
        let execution = Execution { audit: false, quiet: true, ..self.execution };
        watched_run(context, &scenario, options, &execution).map_err(|failure| match failure {
            Failure::Input(fault) => Failure::in_file(
                &self.archive,
                format_args!("the rows do not belong to the scenario: {fault}"),
            ),
            other => other,
        })?;
        let differing = crate::archive::differences(&archived.manifest, &manifest(again.path())?);
        if differing.is_empty() {
            return Ok(None);
        }
        Err(Failure::in_file(
            &self.archive,
            format_args!("these files do not follow from the rows: {}", differing.join(", ")),
        ))
    }

    fn rerun(&self, context: &Context<'_>, archived: &Results<'_>) -> Result<Rerun, Failure> {
        let scenario = archived.scenario(context.registry).map_err(Failure::input)?;
        let again: TempDir = tempfile::tempdir().map_err(Failure::input)?;
        let allow_commands = self.consent.is_given();
        let options = RunOptions { allow_commands, ..RunOptions::new(again.path()) };
        let execution = Execution { audit: archived.manifest.audit == "on", ..self.execution };
        watched_run(context, &scenario, options, &execution)?;
        let manifest = manifest(again.path())?;
        for (then, now) in archived.manifest.inputs.iter().zip(&manifest.inputs) {
            if then.sha256 != now.sha256 {
                notice!("{}: differs from the file in the archive (SHA-256 {})", now.file, now.sha256);
            }
        }
        let differing = crate::archive::differences(&archived.manifest, &manifest);
        Ok(Rerun { files: manifest.files.len(), differing })
    }
}

/// Returns an input of the archived results whose contents differ on this machine.
fn changed_input(scenario: &AnyScenario, manifest: &Manifest) -> Option<String> {
    let digest = |path: &Path| File::open(path).and_then(Digest::from_reader).ok().map(|it| it.to_string());
    let is_other = |input: &&InputSection| {
        let used = scenario.uses.files.iter().find(|file| file.given == input.file);
        used.is_some_and(|file| digest(&file.path).as_ref() != Some(&input.sha256))
    };
    manifest.inputs.iter().find(is_other).map(|input| input.file.clone())
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let manifest = Manifest::read(folder).map_err(Failure::input)?;
    manifest.ok_or_else(|| Failure::input("the run wrote no manifest"))
}
