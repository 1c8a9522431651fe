//! `dfrsim results archive`

use super::signature;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, Written, counted, notice};
use clap::Args;
use std::path::PathBuf;

/// Pack results into one file that others can verify and run again
///
/// A ZIP file of the rows, the tables, the scenario with all its defaults, and the manifest with the
/// version, the seed and the digests of all files and inputs; `ro-crate-metadata.json` describes
/// them to data archives (RO-Crate 1.1). Other files that the scenario names, such as platforms,
/// outages and scripts of policies, are packed; logs are not: a run searches for them in the usual
/// folders. The same results give the same bytes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results archive results/quickstart --out quickstart.zip
  dfrsim results verify quickstart.zip --rerun")]
pub(crate) struct Archive {
    /// Folder of the results
    #[arg(value_hint = clap::ValueHint::DirPath)]
    results: PathBuf,
    /// Archive to write
    #[arg(long, value_name = "FILE.zip", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
    /// Sign the archive with this SSH key, by `ssh-keygen`; the signature is FILE.zip.sig
    #[arg(long, value_name = "KEY", value_hint = clap::ValueHint::FilePath)]
    sign: Option<PathBuf>,
}

impl Archive {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let results = super::read(&self.results, context.registry)?;
        super::overwrite_guard(&results).add_output("--out", self.out.as_path())?;
        let mut out = OutputFile::create(&self.out)?;
        crate::archive::write(&results, &mut out).map_err(Failure::input)?;
        out.finish()?;
        let signature = self.sign.as_ref().map(|key| signature::sign(&self.out, key)).transpose()?;
        notice!("{}: {}", self.out.display(), counted(results.manifest.files.len() + 1, "file"));
        context.print(&Written::new([Some(self.out), signature].into_iter().flatten()))
    }
}
