//! `dfrsim results verify`

mod answer;

use super::signature;
use crate::archive::ArchiveError;
use crate::arguments::gigabytes;
use crate::commands::run::{Execution, attempt};
use crate::consent::Consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;
use crate::temporary::TemporaryFolder;
pub(crate) use answer::Verified;
use answer::{DescribedResults, RecordedInput, Rerun, Verdict, one_line};
use clap::Args;
use dfrsim_lab::{
    AnyScenario, Digest, InputSection, MANIFEST, Manifest, Part, Results, ResultsError, RunError, RunOptions,
    RunReport,
};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Largest input whose digest is computed, in bytes.
const LARGEST_INPUT: u64 = 10_000_000_000;

/// Verify archived results, and run them again
///
/// The first line of the answer is the verdict: `verified`, `not verified` with what was not checked,
/// or `altered` with what is wrong. The exit code is 0 for `verified` only, and 1 for the others.
/// Every file is compared with its digest in the manifest, the metadata with those that the results
/// give, the number of rows with their files and the scenario, and the tables with those that follow
/// from the rows, if the logs of the scenario are available. This detects damage, not forgery:
/// whoever makes an archive can make its digests too. So `verified` also needs --rerun, which shows
/// that the rows are those of the scenario, or --signers, which shows who made the archive. With
/// --rerun the scenario is run in an empty folder, and every file of the new run is compared with
/// the one in the archive. Logs are searched for in the usual folders, and must have the digests of
/// the manifest. Commands of the scenario do not run without --allow-commands, no file is written
/// outside of the folder, and the memory is limited to 0.8 GB unless --max-memory is given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results verify quickstart.zip --rerun --threads 2
  dfrsim results verify quickstart.zip --rerun --into results/theirs
  dfrsim results verify quickstart.zip --signers allowed_signers")]
pub(crate) struct Verify {
    /// Archive, as written by `dfrsim results archive`
    #[arg(value_name = "FILE.zip", value_hint = clap::ValueHint::FilePath)]
    archive: PathBuf,
    /// Unpack the results into this folder, which must not exist yet, unless they are altered
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    into: Option<PathBuf>,
    /// Maximum size of the unpacked archive
    #[arg(long, value_name = "GB", default_value_t = 0.25, value_parser = gigabytes)]
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

/// Reason why the checks of an archive ended early.
enum End {
    /// The files are not those that a run of this scenario writes.
    Altered(String),
    /// Something cannot be checked here.
    Unchecked(String),
    /// The command itself failed.
    Failed(Failure),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

impl End {
    fn altered(fault: &impl ToString) -> End {
        End::Altered(fault.to_string())
    }
    fn unchecked(reason: &impl ToString) -> End {
        End::Unchecked(reason.to_string())
    }
    /// Converts the failure of a run that was to check the rows. `refused` is the verdict if the
    /// scenario itself cannot be run.
    fn of_run(error: RunError, refused: fn(String) -> End) -> End {
        match error {
            RunError::Interrupted { .. } => End::Failed(Failure::Interrupted(error.to_string())),
            RunError::Io { .. } | RunError::Threads(_) => End::Failed(Failure::input(error)),
            RunError::Memory { .. } | RunError::Commands { .. } => End::unchecked(&error),
            _ => refused(error.to_string()),
        }
    }
}

impl Verify {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        if self.archive.is_dir() {
            let reason = "is a folder, expected an archive, as written by `dfrsim results archive`";
            return Err(Failure::in_file(&self.archive, reason));
        }
        let temporary = self.create_unpack_folder()?;
        let folder = temporary.path().join("results");
        fs::create_dir(&folder).map_err(Failure::input)?;
        let mut verified = Verified {
            archive: self.archive.display().to_string(),
            verdict: Verdict::Verified,
            reasons: Vec::new(),
            results: None,
            signer: None,
            rerun: None,
        };
        match self.examine(context, &folder, &mut verified) {
            Ok(()) => {}
            Err(End::Altered(fault)) => {
                verified.verdict = Verdict::Altered;
                verified.reasons = vec![one_line(&fault)];
            }
            Err(End::Unchecked(reason)) => verified.reasons.push(one_line(&reason)),
            Err(End::Failed(failure)) => return Err(failure),
        }
        let reasons = verified.reasons.join("; ");
        if verified.verdict == Verdict::Altered {
            context.print(&verified)?;
            return Err(Failure::Result(format!("{}: {reasons}", verified.archive)));
        }
        if let Some(into) = &self.into {
            // The folder appears only after all checks have succeeded.
            let failed = |error| Failure::output(into.display(), &error);
            fs::create_dir(into).map_err(failed)?;
            fs::rename(&folder, into).map_err(failed)?;
        }
        if verified.reasons.is_empty() {
            return context.print(&verified);
        }
        verified.verdict = Verdict::NotVerified;
        context.print(&verified)?;
        Err(Failure::Result(format!("{}: not verified: {reasons}", verified.archive)))
    }

    /// Checks the archive, the cheapest checks first, and adds to the answer what was found and
    /// what was not checked.
    fn examine(&self, context: &Context<'_>, folder: &Path, answer: &mut Verified) -> Result<(), End> {
        if let Some(signers) = &self.signers {
            answer.signer = Some(self.signer(signers)?);
        }
        self.unpack(folder)?;
        let results = self.read(context, folder)?;
        answer.results = Some(described(&results.manifest));
        let scenario = results.scenario(context.registry).map_err(|reason| End::unchecked(&reason))?;
        check_inputs(&scenario, &results.manifest)?;
        self.recompute(context, &results, &scenario)?;
        if !self.rerun {
            if answer.signer.is_none() {
                let not_asked =
                    "the rows were not computed again (--rerun), and no signature was checked (--signers)";
                answer.reasons.push(not_asked.to_owned());
            }
            return Ok(());
        }
        let rerun = self.rerun(context, &results, &scenario)?;
        let differing = rerun.differing.join(", ");
        let is_identical = rerun.differing.is_empty();
        answer.rerun = Some(rerun);
        match is_identical {
            true => Ok(()),
            false => Err(End::Altered(format!("these files differ in the new run: {differing}"))),
        }
    }

    /// Checks the signature and returns the name of the signer.
    fn signer(&self, signers: &Path) -> Result<String, End> {
        for file in [&self.archive.with_added_extension("sig"), signers] {
            File::open(file).map_err(|error| Failure::unreadable(file, &error))?;
        }
        signature::verify(&self.archive, signers).map_err(|failure| match failure {
            Failure::Input(reason) => End::Unchecked(reason),
            other => End::Failed(other),
        })
    }

    /// Unpacks the archive.
    fn unpack(&self, folder: &Path) -> Result<(), End> {
        let most = (self.max_unpacked * 1e9) as u64;
        crate::archive::extract(&self.archive, folder, most).map_err(|error| match error {
            ArchiveError::Altered { message, .. } => End::Altered(message),
            error => End::Failed(Failure::input(error)),
        })
    }

    /// Reads the unpacked results, and checks what they state about themselves.
    fn read<'a>(&self, context: &Context<'a>, folder: &Path) -> Result<Results<'a>, End> {
        let results = Results::read(folder, context.registry).map_err(|fault| end_of(folder, &fault))?;
        let counted = results.count_rows().map_err(|fault| end_of(folder, &fault))?;
        let said = results.manifest.rows.total;
        if counted != said {
            return Err(End::Altered(format!("{MANIFEST} lists {said} rows, but there are {counted}")));
        }
        crate::archive::check_metadata(&self.archive, &results).map_err(|error| match error {
            ArchiveError::Altered { message, .. } => End::Altered(message),
            error => End::Failed(Failure::input(error)),
        })?;
        Ok(results)
    }

    /// Creates a folder to unpack into: in the parent of the destination, so that the results can be
    /// moved there by renaming.
    fn create_unpack_folder(&self) -> Result<TemporaryFolder, Failure> {
        let Some(into) = &self.into else { return TemporaryFolder::new().map_err(Failure::input) };
        if into.symlink_metadata().is_ok() {
            return Err(Failure::in_file(into, "already exists; choose another folder"));
        }
        let beside = into.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        TemporaryFolder::within(beside).map_err(|error| Failure::output(into.display(), &error))
    }

    /// Recomputes the tables from the rows, as a merge does, and compares all files.
    fn recompute(
        &self,
        context: &Context<'_>,
        archived: &Results<'_>,
        scenario: &AnyScenario,
    ) -> Result<(), End> {
        let again = TemporaryFolder::new().map_err(Failure::input)?;
        let part = Part::Merged(vec![archived.folder.clone()]);
        let received_rows = Some(archived.manifest.rows.total);
        let options = RunOptions { part, received_rows, ..RunOptions::new(again.path()) };
        let execution = Execution { audit: false, quiet: true, ..self.execution };
        let refused = |fault| End::Altered(format!("the rows do not belong to the scenario: {fault}"));
        let report =
            attempt(context, scenario, options, &execution)?.map_err(|error| End::of_run(error, refused))?;
        let recomputed = manifest(again.path())?;
        let differing = crate::archive::differences(&archived.manifest, &recomputed);
        if !differing.is_empty() {
            let differing = differing.join(", ");
            return Err(End::Altered(format!("these files do not follow from the rows: {differing}")));
        }
        check_statements(&archived.manifest, &recomputed, scenario, &report.1)
    }

    fn rerun(
        &self,
        context: &Context<'_>,
        archived: &Results<'_>,
        scenario: &AnyScenario,
    ) -> Result<Rerun, End> {
        let again = TemporaryFolder::new().map_err(Failure::input)?;
        let allow_commands = self.consent.is_given();
        let options = RunOptions { allow_commands, ..RunOptions::new(again.path()) };
        let execution = Execution { audit: archived.manifest.audit == "on", ..self.execution };
        attempt(context, scenario, options, &execution)?
            .map_err(|error| End::of_run(error, End::Unchecked))?;
        let manifest = manifest(again.path())?;
        for (then, now) in archived.manifest.inputs.iter().zip(&manifest.inputs) {
            if then.sha256 != now.sha256 {
                notice!("{:?}: differs from the file in the archive (SHA-256 {})", now.file, now.sha256);
            }
        }
        let differing = crate::archive::differences(&archived.manifest, &manifest);
        Ok(Rerun { files: manifest.files.len(), differing })
    }
}

/// Describes results by their manifest.
fn described(manifest: &Manifest) -> DescribedResults {
    let input =
        |input: &InputSection| RecordedInput { file: input.file.clone(), sha256: input.sha256.clone() };
    DescribedResults {
        title: manifest.title.clone(),
        program: manifest.program.clone(),
        version: manifest.version.clone(),
        study: manifest.study.clone(),
        seed: manifest.seed,
        rows: manifest.rows.total,
        files: manifest.files.len(),
        inputs: manifest.inputs.iter().map(input).collect(),
    }
}

/// Converts an error in an unpacked file: a study or a version that this program lacks prevents the
/// checks, and everything else is an alteration.
fn end_of(folder: &Path, fault: &ResultsError) -> End {
    let file = fault.path.strip_prefix(folder).unwrap_or(&fault.path).display().to_string();
    let file = if file.is_empty() { file } else { format!("{file}: ") };
    let message = format!("{file}{}", fault.message);
    if fault.is_foreign { End::Unchecked(message) } else { End::Altered(message) }
}

/// Checks that the manifest lists every file that the scenario reads, and that the files on this
/// machine are those of the run.
fn check_inputs(scenario: &AnyScenario, manifest: &Manifest) -> Result<(), End> {
    for used in &scenario.uses.files {
        let given = &used.given;
        let Some(listed) = manifest.inputs.iter().find(|input| input.file == *given) else {
            return Err(End::Altered(format!(
                "the scenario reads {given:?}, which {MANIFEST} does not list"
            )));
        };
        let cannot = |error| End::Unchecked(format!("{given:?} cannot be read on this machine: {error}"));
        let size = fs::metadata(&used.path).map_err(cannot)?.len();
        if size > LARGEST_INPUT {
            return Err(End::Unchecked(format!(
                "{given:?} has {size} bytes on this machine, too many to read"
            )));
        }
        let digest = File::open(&used.path).and_then(Digest::from_reader).map_err(cannot)?.to_string();
        if digest != listed.sha256 && listed.copy.is_some() {
            return Err(End::Altered(format!("the copy of {given:?} is not the file that was read")));
        }
        if digest != listed.sha256 {
            return Err(End::Unchecked(format!("{given:?} has other contents on this machine")));
        }
    }
    Ok(())
}

/// Checks that the statements of the manifest about the scenario, the rows and the inputs are
/// consistent with them.
fn check_statements(
    stated: &Manifest,
    recomputed: &Manifest,
    scenario: &AnyScenario,
    report: &RunReport,
) -> Result<(), End> {
    let is_input_as_read = |input: &InputSection| {
        let mut read = recomputed.inputs.iter().filter(|read| read.file == input.file);
        read.all(|read| read.counts == input.counts && read.account == input.account)
    };
    let fields = [
        ("title", stated.title == scenario.title),
        ("seed", stated.seed == recomputed.seed),
        ("rows", stated.rows.by_status == report.counts.by_status),
        ("inputs", stated.inputs.iter().all(is_input_as_read)),
    ];
    match fields.iter().find(|(_, is_right)| !is_right) {
        Some((field, _)) => Err(End::altered(&format_args!(
            "{MANIFEST}: `{field}` does not follow from the scenario and the rows"
        ))),
        None => Ok(()),
    }
}

fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let manifest = Manifest::read(folder).map_err(Failure::input)?;
    manifest.ok_or_else(|| Failure::input("the run wrote no manifest"))
}
