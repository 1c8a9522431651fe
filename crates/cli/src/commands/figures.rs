//! `dfrsim figures`

use crate::failure::Failure;
use crate::output;
use crate::picture_files::{self, Format};
use clap::Args;
use dfrsim_legacy::AnyResults;
use dfrsim_plots::legacy::{Drawn, draw_results, draw_tables};
use std::fs;
use std::path::PathBuf;

/// Draw everything that the results of a run allow
///
/// For each workload, penalty and tau: the mean degradation by load, where there are several loads; degradation and
/// bandwidth by period, where there are several periods; the distribution of the degradation over the instances, as
/// box plots and as distribution functions. Of the off-line study: the dissertation's figures 4.1 to 4.3, RR-6692's figures,
/// and tables beside the published ones. Of the grid study: tables 2 to 17 beside the published ones. The data behind each picture is beside it, as CSV. Prints the files that it
/// wrote; what is left out, and why, goes to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim run --out results/quickstart && dfrsim figures results/quickstart
  dfrsim figures results/table_5_2 --out paper/figures --format svg")]
pub(crate) struct Figures {
    /// The folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Where the figures go; figures/ within the results if nothing is given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The formats of the pictures
    #[arg(long, value_enum, value_name = "svg,png", value_delimiter = ',', default_values = ["svg", "png"])]
    format: Vec<Format>,
}

impl Figures {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let results = AnyResults::read(&self.results).map_err(Failure::input)?;
        let (Drawn { figures, left_out }, is_outdated) = match &results {
            AnyResults::Online(results) => (draw_results(results), results.is_outdated),
            AnyResults::Tabled(results) => (draw_tables(results), results.is_outdated),
        };
        if is_outdated {
            eprintln!(
                "notice: a later run in this folder is unfinished; these are the results of the one before"
            );
        }
        if figures.is_empty() {
            let name = self.results.display();
            return Err(Failure::input(format!("{name}: there is nothing to draw\n{}", left_out.join("\n"))));
        }
        let out = self.out.unwrap_or_else(|| self.results.join("figures"));
        fs::create_dir_all(&out).map_err(|error| Failure::output(out.display(), &error))?;
        for figure in &figures {
            for remark in &figure.remarks {
                eprintln!("{}: {remark}", figure.stem);
            }
        }
        for reason in &left_out {
            eprintln!("left out: {reason}");
        }
        let placed: Vec<_> = figures.into_iter().map(|figure| (out.join(&figure.stem), figure)).collect();
        let paths = picture_files::write(&placed, &self.format)?;
        output::print(&paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>())
    }
}
