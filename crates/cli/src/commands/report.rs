//! `dfrsim report`

use crate::failure::Failure;
use crate::output::OutputFile;
use clap::Args;
use dfrsim_legacy::AnyResults;
use dfrsim_plots::Figure;
use dfrsim_plots::legacy::{draw_results, draw_tables};
use dfrsim_report::Picture;
use std::io::Write as _;
use std::path::PathBuf;

/// Make one self-contained page of a run's results
///
/// The page has the tables (sorted by a click or a key), the figures, warnings, of the on-line study a way down to each instance,
/// the scenario and the versions. It opens from a disk, without a network.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim report results/quickstart
  dfrsim report results/table_5_2 --out table_5_2.html")]
pub(crate) struct Report {
    /// The folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// The page; report.html in the folder if none is given
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let pictures = |figures: &[Figure]| figures.iter().map(picture).collect::<Vec<Picture>>();
        let page = match AnyResults::read(&self.results).map_err(Failure::input)? {
            AnyResults::Online(results) => {
                dfrsim_report::legacy::page(&results, &pictures(&draw_results(&results).figures))
            }
            AnyResults::Tabled(results) => {
                dfrsim_report::legacy::page_of_tables(&results, &pictures(&draw_tables(&results).figures))
            }
        };
        let page = page.map_err(Failure::input)?;
        let path = self.out.unwrap_or_else(|| self.results.join("report.html"));
        let mut file = OutputFile::create(&path)?;
        file.write_all(page.as_bytes()).map_err(|error| file.failure(&error))?;
        file.finish()?;
        eprintln!("{}: {} kB", path.display(), page.len() / 1000);
        Ok(())
    }
}

/// A figure for the page. What it leaves out stands in the picture itself.
fn picture(figure: &Figure) -> Picture {
    Picture { title: figure.stem.replace('-', " "), svg: figure.picture.svg() }
}
