//! `dfrsim results report`

use super::figures::figures;
use crate::failure::Failure;
use crate::output::{OutputFile, Printing, Written, notice};
use clap::Args;
use dfrsim_lab::Registry;
use dfrsim_report::Picture;
use std::path::PathBuf;

/// Write a run's results as one self-contained HTML page
///
/// The page has claims with their verdicts, the tables (sorted by a click or a key), the figures, warnings, the details
/// of each instance, the scenario and the manifest. It opens from a disk, without a network.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results report results/quickstart
  dfrsim results report results/table_5_2 --out table_5_2.html")]
pub(crate) struct Report {
    /// The folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The page to write; by default report.html in the folder
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    #[command(flatten)]
    printing: Printing,
}

impl Report {
    pub(crate) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let results = super::read(&self.results, registry)?;
        let path = self.out.unwrap_or_else(|| self.results.join("report.html"));
        super::places(&results).writes("--out", path.as_path())?;
        let pictures = figures(&results, registry)?.into_iter();
        let pictures: Vec<Picture> =
            pictures.map(|(title, figure)| Picture { title, svg: figure.picture.svg() }).collect();
        let page = dfrsim_report::page(&results, &pictures).map_err(Failure::input)?;
        OutputFile::write_text(&path, &page)?;
        notice!("{}: {} kB", path.display(), page.len() / 1000);
        self.printing.print(&Written::new([&path]))
    }
}
