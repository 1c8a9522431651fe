//! `dfrsim results figures`

use crate::context::Context;
use crate::failure::Failure;
use crate::figure_size::{FigureSizeArguments, notify_of_other_height};
use crate::output::{OutputFiles, Written, notice};
use crate::picture_files::{self, Format};
use clap::Args;
use dfrsim_plots::{FigureOptions, ResultFigures, draw_results};
use std::path::PathBuf;

/// Draw all figures of a run's results
///
/// For every study: the distribution of its primary metric over the instances by variant, as box
/// plots and as distribution functions, the mean by variant as bars, and the mean by each numeric label
/// (a load) and variant (a period) with several values, as lines. Means have intervals of 95 %
/// confidence. A policy has the same colour in all figures. In addition the figures of the study itself, such as those of its
/// paper. The data of each picture are written next to it, as CSV. Prints the paths of the written
/// files; skipped figures, and the reasons, go to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim run --out results/quickstart && dfrsim results figures results/quickstart
  dfrsim results figures results/table_5_2 --out paper/figures --pictures pdf --width 12 --font-size 8
  dfrsim results figures results/figure_5_1 --where penalty_s=300 --series EASY --series FCFS")]
pub(crate) struct Figures {
    /// Result folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS", value_hint = clap::ValueHint::DirPath)]
    results: PathBuf,
    /// Folder for the figures; by default figures/ in the results
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Formats of the pictures
    #[arg(long, value_enum, value_name = "svg,png,pdf", value_delimiter = ',', default_values = ["svg", "png"])]
    pictures: Vec<Format>,
    /// Draw only rows with this value, such as penalty_s=300; of several columns all must match, and
    /// of several values of one column one must
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    condition: Vec<String>,
    /// Draw a panel for each value of this column, one below the other
    #[arg(long, value_name = "COLUMN")]
    panels: Option<String>,
    /// Draw only this series of each figure, as the legend names it; several are drawn in this order
    #[arg(long, value_name = "NAME")]
    series: Vec<String>,
    #[command(flatten)]
    size: FigureSizeArguments,
}

impl Figures {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let results = super::read(&self.results, context.registry)?;
        let results = results.select(&self.condition).map_err(Failure::input)?;
        let options = FigureOptions { panels: self.panels, series: self.series, size: self.size.size()? };
        let ResultFigures { figures, left_out } =
            draw_results(&results, context.registry, &options).map_err(Failure::input)?;
        if figures.is_empty() {
            left_out.iter().for_each(|reason| notice!("{reason}"));
            return Err(Failure::in_file(&self.results, "these results have no values to draw"));
        }
        let out = self.out.unwrap_or_else(|| self.results.join("figures"));
        let mut files = OutputFiles::in_folder(&out)?;
        left_out.iter().for_each(|reason| notice!("{reason}"));
        for (_, figure) in &figures {
            notify_of_other_height(figure);
            figure.remarks.iter().for_each(|remark| notice!("{}: {remark}", figure.stem));
        }
        let placed = figures.iter().map(|(_, figure)| (out.join(&figure.stem), figure));
        let paths = picture_files::write(&mut files, placed, &self.pictures)?;
        files.finish()?;
        context.print(&Written::listed(&paths))
    }
}
