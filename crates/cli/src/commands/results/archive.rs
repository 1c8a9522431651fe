//! `dfrsim results archive`

use crate::failure::Failure;
use crate::output::{OutputFile, Printing, Written, counted, notice};
use clap::Args;
use dfrsim_lab::Registry;
use std::path::PathBuf;

/// Pack results into one file that others can verify and run again
///
/// A ZIP file of the rows, the tables, the scenario with all its defaults, and the manifest with the version, the seed
/// and the digests of all files and inputs; `ro-crate-metadata.json` describes them to data archives (RO-Crate 1.1).
/// Logs are not packed: a run looks for them in the usual places. The same results give the same bytes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results archive results/quickstart --out quickstart.zip
  dfrsim results verify quickstart.zip --rerun")]
pub(crate) struct Archive {
    /// The folder of the results
    results: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE.zip")]
    out: PathBuf,
    #[command(flatten)]
    printing: Printing,
}

impl Archive {
    pub(crate) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let results = super::read(&self.results, registry)?;
        super::places(&results).writes("--out", self.out.as_path())?;
        let mut out = OutputFile::create(&self.out)?;
        dfrsim_archive::write(&results, &mut out).map_err(Failure::input)?;
        out.finish()?;
        notice!("{}: {}", self.out.display(), counted(results.manifest.files.len() + 1, "file"));
        self.printing.print(&Written::new([&self.out]))
    }
}
