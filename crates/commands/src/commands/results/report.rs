//! `dfrsim results report`

use crate::arguments::page_path_parser;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, Written, notice};
use clap::Args;
use dfrsim_plots::{Figure, FigureOptions, Window, draw_results};
use dfrsim_report::{Picture, Schedule};
use std::fs;
use std::path::{Path, PathBuf};

/// Write a run's results as one self-contained HTML page
///
/// The page begins with the conclusion: the variants by their primary metric with confidence
/// intervals, and the significant differences between them. Below are the figures, schedules of
/// single simulations, claims with their verdicts, the tables (sorted by a click or a key), the
/// details of each instance, the scenario and the manifest. It opens from a disk, without a network.
///
/// Schedules are interactive charts of events files: those in the folder events/ of the results, and
/// those of --events.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim results report results/quickstart
  dfrsim results report results/table_5_2 --out table_5_2.html
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out easy.jsonl
  dfrsim results report results/quickstart --events easy.jsonl
  dfrsim run scenarios/grid_quick.toml --set events=events
  dfrsim results report results/grid_quick")]
pub(crate) struct Report {
    /// Result folder that `dfrsim run` wrote
    #[arg(value_name = "RESULTS", value_hint = clap::ValueHint::DirPath)]
    results: PathBuf,
    /// HTML page to write; by default report.html in the folder
    #[arg(long, value_name = "FILE.html", value_parser = page_path_parser(), value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Events files of simulations to show, as written by `dfrsim simulate --events-out`
    #[arg(long, value_name = "EVENTS.jsonl", num_args = 1.., value_hint = clap::ValueHint::FilePath)]
    events: Vec<PathBuf>,
}

impl Report {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let results = super::read(&self.results, context.registry)?;
        let path = self.out.unwrap_or_else(|| self.results.join("report.html"));
        let events = self
            .events
            .iter()
            .fold(super::overwrite_guard(&results), |places, events| places.add_input("--events", events));
        events.add_output("--out", path.as_path())?;
        let drawn =
            draw_results(&results, context.registry, &FigureOptions::default()).map_err(Failure::input)?;
        let picture =
            |(title, figure): (String, Figure)| Picture { title, svg: figure.picture.svg_for_page() };
        let pictures: Vec<Picture> = drawn.figures.into_iter().map(picture).collect();
        let schedules = schedules(&self.results, self.events)?;
        let page = dfrsim_report::page(&results, &pictures, &schedules).map_err(Failure::input)?;
        OutputFile::write_text(&path, &page)?;
        notice!("{}: {} kB", path.display(), page.len() / 1000);
        context.print(&Written::new([&path]))
    }
}

/// Maximum number of schedules in a page; each takes about a megabyte.
const MAX_SCHEDULES: usize = 50;

/// Reads the schedules of the given events files and of those in the results' folder `events`, the
/// latter sorted by name.
fn schedules(results: &Path, given: Vec<PathBuf>) -> Result<Vec<Schedule>, Failure> {
    let beside = fs::read_dir(results.join("events")).into_iter().flatten();
    let mut paths: Vec<PathBuf> = beside.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let mut paths = [given, paths].concat();
    if paths.len() > MAX_SCHEDULES {
        notice!("notice: {} events files; the page shows only the first {MAX_SCHEDULES}", paths.len());
        paths.truncate(MAX_SCHEDULES);
    }
    let read = |path: PathBuf| {
        let schedule = Schedule::read(&path, Window::default()).map_err(Failure::input)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let title = format!("{name} ({})", schedule.title());
        Ok(schedule.with_title(title))
    };
    paths.into_iter().map(read).collect()
}
