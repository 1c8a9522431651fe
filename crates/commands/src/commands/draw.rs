//! `dfrsim draw`

use crate::arguments::page_path_parser;
use crate::context::Context;
use crate::failure::Failure;
use crate::figure_size::{FigureSizeArguments, notify_of_other_height};
use crate::output::{OutputFile, OutputFiles, Written, notice};
use crate::picture_files::PictureFile;
use chrono::{NaiveDate, NaiveDateTime};
use clap::{Args, Subcommand};
use dfrsim_model::SimTime;
use dfrsim_plots::{
    ColourBy, EventsError, Figure, FigureSize, StretchForm, WaitsBy, Window, draw_gantt,
    draw_gantt_of_devices, draw_power, draw_stretch, draw_timeline, draw_waits,
};
use dfrsim_report::{Schedule, schedule_page};
use dfrsim_workload::recognise::{Expected, recognise};
use std::path::PathBuf;

/// Draw simulations from their events files, and plans of context switches
///
/// The extension of a picture's name, .svg, .png or .pdf, determines its format. Its data are written next
/// to it, with the extension .csv. `page` makes an interactive chart instead, of an events file or a
/// plan.
#[derive(Subcommand, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out easy.jsonl
  dfrsim draw gantt easy.jsonl --from 0 --to 86400 --out gantt.svg
  dfrsim draw page easy.jsonl --out easy.html
  dfrsim draw timeline easy.jsonl --out timeline.png
  dfrsim draw waits easy.jsonl --by queue --out waits.svg
  dfrsim draw power capped.jsonl --out power.svg
  dfrsim draw stretch easy.jsonl fcfs.jsonl --out stretch.svg")]
pub(crate) enum Draw {
    Gantt(Gantt),
    Page(Page),
    Timeline(Timeline),
    Power(Power),
    Stretch(Stretch),
    Waits(Waits),
}

/// Draw a Gantt chart: jobs on nodes over time
///
/// A rectangle for each interval that a job runs on a node: its height is the fraction of the node's
/// CPU that the job has, its lightness the job's yield. Jobs that share a node are stacked. Of a
/// grid, all cores are drawn, cluster by cluster; jobs that first waited on another cluster are
/// marked. With --colour a legend says what the colours are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim draw gantt easy.jsonl --out gantt.svg
  dfrsim draw gantt easy.jsonl --colour user --out users.pdf
  dfrsim draw gantt greedy.jsonl --from 36000 --to 72000 --out gantt.png
  dfrsim draw gantt fgd.jsonl --devices --out gpus.svg
  dfrsim run scenarios/grid_quick.toml --set events=kept
  dfrsim draw gantt results/grid_quick/kept/days-homogeneous-FCFS-0-with-minmin.jsonl --out moves.svg")]
pub(crate) struct Gantt {
    /// Events file, as written by `dfrsim simulate --events-out` or by `events` of a grid scenario
    #[arg(value_name = "EVENTS.jsonl", value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Start of the drawn time span; by default the first event
    #[arg(long, value_name = "SECONDS")]
    from: Option<SimTime>,
    /// End of the drawn time span; by default the last event
    #[arg(long, value_name = "SECONDS")]
    to: Option<SimTime>,
    /// Colour jobs by this property: job (in turn), user, account, queue, partition, size, stretch or
    /// state; the six users, accounts, queues or partitions with the most work have their own colours
    #[arg(long, value_name = "PROPERTY", default_value_t)]
    colour: ColourBy,
    /// Draw a row for each device (a GPU) instead of each node: its height is a whole device, and
    /// jobs without devices are left out. The platform names the resource as `devices`
    #[arg(long)]
    devices: bool,
    #[command(flatten)]
    target: DrawingOutput,
}

/// Make an interactive HTML chart of jobs on nodes over time, or of a plan of context switches
///
/// The page needs no network. It zooms and pans with the mouse, fingers and keys, and shows the life
/// of each job: when it was submitted, started, preempted, migrated and ended, on which nodes, with
/// which yield and stretch. Below are the CPU in use and the jobs in the system. Jobs that share a
/// node are stacked, each as high as its fraction of the CPU. Of a grid, all cores are shown,
/// cluster by cluster; nodes that are down are grey. A page has up to a million intervals of jobs on
/// nodes; later ones are omitted, with a remark.
///
/// Of a plan, as written by `dfrsim solve plan --plan-out`, the rows are its nodes and the bars its
/// actions, coloured by their kind, with a migration at both of its nodes; the chart shows when,
/// where and at which cost each VM is moved.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim draw page easy.jsonl --out easy.html
  dfrsim draw page greedy.jsonl --from 36000 --to 72000 --out greedy.html
  dfrsim solve plan scenarios/plan/current.json --states scenarios/plan/states.json --plan-out plan.json
  dfrsim draw page plan.json --out plan.html")]
pub(crate) struct Page {
    /// Events file, as written by `dfrsim simulate --events-out` or by `events` of a grid scenario,
    /// or plan, as written by `dfrsim solve plan --plan-out`; recognised by its content
    #[arg(value_name = "EVENTS.jsonl|PLAN.json", value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Start of the displayed time span, for events files; by default the first event
    #[arg(long, value_name = "SECONDS")]
    from: Option<SimTime>,
    /// End of the displayed time span, for events files; by default the last event
    #[arg(long, value_name = "SECONDS")]
    to: Option<SimTime>,
    /// HTML page to write
    #[arg(long, value_name = "FILE.html", value_parser = page_path_parser(), value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
}

/// Draw the CPU in use and the jobs in the system over time
///
/// Upper panel: the CPU that running jobs have, as a fraction of all nodes; lower panel: the numbers
/// of jobs that run, wait and are preempted. If the platform has devices (GPUs), a third panel has the
/// parts of them that tasks hold, and the free parts that the mean task cannot use. Long files are thinned, but the largest and the
/// smallest value of every time span are kept.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim draw timeline easy.jsonl --out timeline.svg")]
pub(crate) struct Timeline {
    /// Events file, as written by `dfrsim simulate --events-out`
    #[arg(value_name = "EVENTS.jsonl", value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    #[command(flatten)]
    target: DrawingOutput,
}

/// Draw the power of the nodes over time, with the power cap
///
/// Areas of the power of nodes without tasks and, above it, of that which tasks add; the cap is a line.
/// Times at which tasks draw more than the cap leaves for them are marked: jobs that run when the cap
/// falls keep their power. A cap counts the idle power of all nodes, even of those that are down or
/// asleep. The power is that which `dfrsim audit` computes. The data have all in watts. Long files are
/// thinned, but the largest and the smallest value of every time span are kept.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload log.swf --platform hpc2n-2002 --policy EASY --cap 20kW --events-out capped.jsonl
  dfrsim draw power capped.jsonl --out power.svg
  dfrsim draw power capped.jsonl --from 0 --to 86400 --width 17 --height 8 --out day.pdf")]
pub(crate) struct Power {
    /// Events file, as written by `dfrsim simulate --events-out`, of a platform with power
    #[arg(value_name = "EVENTS.jsonl", value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Start of the drawn time span; by default the first event
    #[arg(long, value_name = "SECONDS")]
    from: Option<SimTime>,
    /// End of the drawn time span; by default the last event
    #[arg(long, value_name = "SECONDS")]
    to: Option<SimTime>,
    #[command(flatten)]
    target: DrawingOutput,
}

/// Draw the distribution of the bounded stretch over the jobs of one or several simulations
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim draw stretch easy.jsonl fcfs.jsonl --out stretch.svg
  dfrsim draw stretch easy.jsonl fcfs.jsonl --boxes --out boxes.svg")]
pub(crate) struct Stretch {
    /// Events files, as written by `dfrsim simulate --events-out`, with the same tau
    #[arg(value_name = "EVENTS.jsonl", required = true, value_hint = clap::ValueHint::FilePath)]
    events: Vec<PathBuf>,
    /// Draw box plots instead of distribution functions
    #[arg(long)]
    boxes: bool,
    #[command(flatten)]
    target: DrawingOutput,
}

/// Output files of a picture.
#[derive(Args, Debug)]
struct DrawingOutput {
    /// Picture to write, and its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png|FILE.pdf", value_hint = clap::ValueHint::AnyPath)]
    out: PathBuf,
    #[command(flatten)]
    size: FigureSizeArguments,
}

/// Draw the mean wait by partition and hour of the week, as a heat map
///
/// A row for each partition (or queue, account, user), a cell for each of the 168 hours of a week: the
/// mean wait of the jobs that were submitted in it, over all weeks. `--by all` draws a row for each day.
/// The classes of colours are the same in all pictures.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim simulate --workload week.swf --nodes 128 --policy EASY --events-out easy.jsonl
  dfrsim draw waits easy.jsonl --by queue --start 2024-03-04T08:00 --out waits.svg")]
pub(crate) struct Waits {
    /// Events file, as written by `dfrsim simulate --events-out`
    #[arg(value_name = "EVENTS.jsonl", value_hint = clap::ValueHint::FilePath)]
    events: PathBuf,
    /// Draw a row for each value of this property: partition, queue, account, user, or all
    #[arg(long, value_name = "PROPERTY", default_value_t)]
    by: WaitsBy,
    /// Local time of the events file's time 0, such as 2024-03-04T08:00, or seconds since 1970 (UTC) as in
    /// the header `UnixStartTime` of a log; without it weeks begin at time 0 and days have no names
    #[arg(long, value_name = "TIME", value_parser = since_monday)]
    start: Option<u64>,
    #[command(flatten)]
    target: DrawingOutput,
}

/// Parses a time and returns the seconds from the Monday before it.
fn since_monday(text: &str) -> Result<u64, String> {
    const WEEK: i64 = 7 * 86_400;
    /// Seconds from a Monday to the first day of 1970, which was a Thursday.
    const THURSDAY: i64 = 3 * 86_400;
    let patterns = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"];
    let with_time = patterns.iter().find_map(|pattern| NaiveDateTime::parse_from_str(text, pattern).ok());
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let seconds = with_time.or_else(date).map(|time| time.and_utc().timestamp());
    let seconds = seconds
        .or_else(|| text.parse().ok())
        .ok_or_else(|| "expected a time such as 2024-03-04T08:00, a day, or seconds since 1970".to_owned())?;
    Ok((seconds.rem_euclid(WEEK) + THURSDAY).rem_euclid(WEEK).unsigned_abs())
}

/// Checks that files may be events files.
///
/// # Errors
/// Returns a failure that names the kind of a file and what takes it.
fn check_events(paths: &[PathBuf]) -> Result<(), Failure> {
    for path in paths {
        if path.is_dir() {
            let message =
                "is a folder, expected an events file, as written by `dfrsim simulate --events-out`";
            return Err(Failure::in_file(path, message));
        }
        // A pipe can be read only once.
        let kind = if path.is_file() { recognise(path).ok() } else { None };
        if let Some(message) = kind.and_then(|kind| kind.refusal_as(Expected::Events)) {
            return Err(Failure::in_file(path, message));
        }
    }
    Ok(())
}

impl Draw {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        check_events(match &self {
            Draw::Gantt(Gantt { events, .. })
            | Draw::Timeline(Timeline { events, .. })
            | Draw::Power(Power { events, .. })
            | Draw::Waits(Waits { events, .. }) => std::slice::from_ref(events),
            Draw::Stretch(Stretch { events, .. }) => events,
            // A page may also be of a plan, and says itself what it found.
            Draw::Page(_) => &[],
        })?;
        match self {
            Draw::Gantt(Gantt { events, from, to, colour, devices, target }) => {
                let window = window(from, to)?;
                let draw = if devices { draw_gantt_of_devices } else { draw_gantt };
                target.write(context, |size| draw(&events, window, colour, size))
            }
            Draw::Page(page) => page.write(context),
            Draw::Timeline(Timeline { events, target }) => {
                target.write(context, |size| draw_timeline(&events, size))
            }
            Draw::Power(Power { events, from, to, target }) => {
                let window = window(from, to)?;
                target.write(context, |size| draw_power(&events, window, size))
            }
            Draw::Waits(Waits { events, by, start, target }) => {
                target.write(context, |size| draw_waits(&events, by, start, size))
            }
            Draw::Stretch(Stretch { events, boxes, target }) => {
                let form = if boxes { StretchForm::Boxes } else { StretchForm::Ecdf };
                target.write(context, |size| draw_stretch(&events, form, size))
            }
        }
    }
}

fn window(from: Option<SimTime>, to: Option<SimTime>) -> Result<Window, Failure> {
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(Failure::input("--from: expected a time before --to"));
    }
    Ok(Window { from, to })
}

impl Page {
    fn write(self, context: &Context<'_>) -> Result<(), Failure> {
        let window = window(self.from, self.to)?;
        let schedule = Schedule::read(&self.events, window).map_err(Failure::input)?;
        let page = schedule_page(&schedule);
        OutputFile::write_text(&self.out, &page)?;
        notice!("{}: {}, {} kB", self.out.display(), schedule.counted(), page.len() / 1000);
        context.print(&Written::new([&self.out]))
    }
}

impl DrawingOutput {
    fn write(
        &self,
        context: &Context<'_>,
        draw: impl FnOnce(FigureSize) -> Result<Figure, EventsError>,
    ) -> Result<(), Failure> {
        let picture = PictureFile::new(&self.out)?;
        let figure = draw(self.size.size()?).map_err(Failure::input)?;
        notify_of_other_height(&figure);
        let mut files = OutputFiles::default();
        picture.write(&mut files, &figure)?;
        files.finish()?;
        context.print(&Written::new([picture.path(), &picture.data()]))
    }
}
