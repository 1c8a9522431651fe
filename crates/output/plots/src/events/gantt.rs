//! Gantt charts: jobs on nodes over simulated time.

use super::categories::{Categories, ColourBy};
use super::fault::EventsError;
use super::layout::{self, Edge, MAX_RECTANGLES, rectangles};
use super::life::{Down, assign_rows};
use super::lives::{JobHistories, Limits, Window};
use super::replay::Change;
use crate::axis::Axis;
use crate::chart::{Chart, Frame, bar};
use crate::colour::{DOWN, FINE_GRID, GRID, INK, MOVES, mix_with_white};
use crate::figure::Figure;
use crate::legend::SAMPLE_WIDTH;
use crate::palette;
use crate::picture::{Area, CANNOT_FAIL, PIXEL, Picture};
use crate::scale::Scale;
use crate::size::FigureSize;
use crate::table::Csv;
use dfrsim_model::{SimTime, Yield};
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::style::{Color as _, RGBColor};
use plotters_backend::BackendCoord;
use std::collections::BTreeSet;
use std::path::Path;

/// Draws a rectangle for each stay of a job on a node. Its height is the fraction of the node's CPU
/// that the job has, its lightness the job's yield. Jobs that share a node are stacked. Nodes that
/// are down are grey. The colours are those of `by`, which a legend explains. For a grid, the cores of
/// all clusters are drawn; a job takes the first free ones, and is marked if it waited on another
/// cluster before.
///
/// The CSV data contain the rectangles that overlap the window, ordered by start, node and offset in
/// the stack, with their full times. A stay is split where the job's fraction of the CPU changes, or
/// its offset in the stack (`shift`). Nodes of a grid are the cores of all clusters, one cluster
/// after the other.
///
/// Down times of nodes are lines at the end, without a job, from `down` to `up`.
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file; if no job
/// runs in the window; if there are too many rectangles for a picture; or if no job has the property
/// of the colours.
pub fn draw_gantt(
    path: &Path,
    window: Window,
    by: ColourBy,
    size: FigureSize,
) -> Result<Figure, EventsError> {
    draw(path, window, (by, size), JobHistories::read)
}

/// Draws a row for each device of the nodes, such as a GPU, instead of each node. The height of a
/// rectangle is the part of the device that the job holds; jobs without devices are not drawn. The
/// nodes of the CSV data are the devices, numbered one node after the other.
///
/// # Errors
/// Returns the errors of [`draw_gantt`], and an error if the nodes have no devices.
pub fn draw_gantt_of_devices(
    path: &Path,
    window: Window,
    by: ColourBy,
    size: FigureSize,
) -> Result<Figure, EventsError> {
    draw(path, window, (by, size), JobHistories::read_devices)
}

fn draw(
    path: &Path,
    window: Window,
    (by, size): (ColourBy, FigureSize),
    read: impl FnOnce(&Path, Window, Limits) -> Result<JobHistories, EventsError>,
) -> Result<Figure, EventsError> {
    let message =
        format!("more than {MAX_RECTANGLES} rectangles; select a shorter time span with --from and --to");
    let too_many = || EventsError::undrawable(path, &message);
    let limits = Limits { stays: MAX_RECTANGLES + 1, runs: usize::MAX };
    let mut lives = read(path, window, limits)?;
    let on_nodes: usize = lives.stays.iter().flat_map(|stay| &stay.runs).map(|run| run.nodes as usize).sum();
    let down: usize = lives.downs.iter().map(|down| down.nodes as usize).sum();
    if lives.cut.is_some() || on_nodes.max(down) > MAX_RECTANGLES {
        return Err(too_many());
    }
    assign_rows(&mut lives.stays);
    let rectangles = rectangles(&lives, window).ok_or_else(too_many)?;
    let categories =
        Categories::new(&lives, by).map_err(|message| EventsError::undrawable(path, &message))?;
    let chart = Gantt {
        categories,
        from: window.from.unwrap_or(SimTime::from_micros(lives.events.0)),
        to: window.to.unwrap_or(SimTime::from_micros(lives.events.1)),
        nodes: lives.clusters.iter().sum(),
        blocks: blocks(&rectangles),
        lives: &lives,
        size,
    };
    let (picture, csv) = (chart.picture(), csv(&lives, &rectangles));
    Ok(Figure { stem: "gantt".to_owned(), picture, csv, remarks: Vec::new() })
}

fn csv(lives: &JobHistories, rectangles: &[layout::Rectangle]) -> String {
    let mut csv = Csv::new([
        "job_id", "node", "tasks", "from_s", "to_s", "cpu_from", "cpu_to", "yield", "begin", "end",
    ]);
    let time = SimTime::from_micros;
    for rectangle in rectangles {
        let layout::Rectangle { node, part, from, to, begin, end, .. } = rectangle;
        let [low, high] = rectangle.ends();
        csv.line([
            &lives.jobs[part.job].id,
            node,
            &part.tasks,
            &time(*from),
            &time(*to),
            &low,
            &high,
            &part.job_yield.as_f64(),
            &name(*begin),
            &name(*end),
        ]);
    }
    for Down { first: node, from, to, .. } in downtimes(lives) {
        csv.line([&"", &node, &0, &time(from), &time(to), &0, &1, &0, &"down", &"up"]);
    }
    csv.finish()
}

/// Returns the down times of single nodes, by node.
fn downtimes(lives: &JobHistories) -> Vec<Down> {
    let nodes = |down: &Down| {
        let Down { first, nodes, from, to } = *down;
        (first..first + nodes).map(move |first| Down { first, nodes: 1, from, to })
    };
    let mut downtimes: Vec<Down> = lives.downs.iter().flat_map(nodes).collect();
    downtimes.sort_by_key(|down| (down.first, down.from));
    downtimes
}

fn name(edge: Edge) -> &'static str {
    match edge {
        Edge::Own(change) => change.name(),
        Edge::Shift => "shift",
    }
}

/// Equal rectangles on neighbouring nodes, drawn as one.
struct Block {
    rectangle: layout::Rectangle,
    /// Number of nodes, starting with that of the rectangle.
    nodes: u32,
}

/// Merges rectangles of one job that fill neighbouring nodes for the same time.
fn blocks(rectangles: &[layout::Rectangle]) -> Vec<Block> {
    let mut blocks = Vec::<Block>::new();
    for rectangle in rectangles {
        let continues = |Block { rectangle: one, nodes }: &Block| {
            let alike = layout::Rectangle { node: one.node, ..*rectangle } == *one;
            one.fills() && alike && one.node + nodes == rectangle.node
        };
        // The rectangles are sorted by start and node, so a neighbour is always the last block.
        match blocks.last_mut() {
            Some(block) if continues(block) => block.nodes += 1,
            _ => blocks.push(Block { rectangle: rectangle.clone(), nodes: 1 }),
        }
    }
    blocks
}

/// Returns the end (exclusive) of the node range of each cluster.
fn cluster_ends(clusters: &[u32]) -> impl Iterator<Item = u32> {
    clusters.iter().scan(0_u32, |end, cores| {
        *end += cores;
        Some(*end)
    })
}

struct Gantt<'a> {
    lives: &'a JobHistories,
    nodes: u32,
    from: SimTime,
    to: SimTime,
    blocks: Vec<Block>,
    categories: Categories,
    size: FigureSize,
}

/// Largest number of pauses and moves that are marked one by one; the marks of more would cover the
/// jobs.
const MAX_MARKS: usize = 300;
/// Number of equal parts of the time in which more of them are counted.
const PARTS: usize = 100;
/// Height of the panel with these counts.
const COUNTS_HEIGHT: i32 = 70 * PIXEL;

/// Numbers of pauses and moves in each part of the time.
type Counts = [(usize, usize); PARTS];

/// Symbol that the legend explains.
#[derive(Clone, Copy, PartialEq)]
enum LegendEntry {
    Pause,
    Migration,
    Down,
    Yield(f64),
    /// Index of a category of jobs.
    Category(usize),
}

impl Gantt<'_> {
    fn picture(&self) -> Picture {
        let signs = self.signs();
        let counts = self.counts();
        let height = (f64::from(self.nodes) * 300.0).clamp(1_000.0, 3_600.0) as i32;
        let (scale, unit) = Scale::time(self.from, self.to);
        let devices = self.lives.devices.as_ref();
        let label = |row: u32| devices.map_or_else(|| row.to_string(), |devices| devices.label(row));
        let labels = self.labelled_nodes(height).into_iter().map(|row| (f64::from(row) + 0.5, label(row)));
        let of_rows = match devices {
            Some(devices) => format!("node.{}", devices.name),
            None if self.lives.clusters.len() > 1 => "core".to_owned(),
            None => "node".to_owned(),
        };
        let mut panels = vec![(Axis::rows(&of_rows, self.nodes as usize, labels), height)];
        let mut remarks = Vec::new();
        if let Some(counts) = &counts {
            let sums = counts.iter().fold((0, 0), |sums, count| (sums.0 + count.0, sums.1 + count.1));
            remarks.push(format!(
                "{} pauses and {} moves, too many to be marked: their number in each hundredth of the time.",
                sums.0, sums.1
            ));
            let most = counts.iter().map(|count| count.0 + count.1).max().unwrap_or(1);
            panels.push((Axis::new("changes", Scale::linear(0.0, most as f64, 3)), COUNTS_HEIGHT));
        }
        let frame = Frame {
            title: self.lives.title.clone(),
            remarks,
            x: Axis { has_grid: false, ..Axis::new(format!("time [{unit}]"), scale) },
            panels,
            names: signs.iter().map(|sign| sign.name(&self.categories)).collect(),
            size: self.size,
        };
        frame.draw(
            &mut |panel, chart| match (panel, &counts) {
                (1, Some(counts)) => self.draw_counts(chart, counts),
                _ => self.draw(chart, f64::from(height) / f64::from(self.nodes.max(1)), counts.is_none()),
            },
            &mut |area, number, middle| signs[number].draw(&self.categories, counts.is_none(), area, middle),
        )
    }

    /// Returns the times of pauses and moves in the window, in microseconds; those of a job on several
    /// nodes count once.
    fn changes(&self) -> (Vec<u64>, Vec<u64>) {
        let rectangles = || self.blocks.iter().map(|block| &block.rectangle);
        let pauses = rectangles().filter(|one| one.end == Edge::Own(Change::Pause));
        let moves = rectangles().filter(|one| one.begin == Edge::Own(Change::Migrate));
        let times = |changes: BTreeSet<(u64, usize)>| -> Vec<u64> {
            let times = changes.into_iter().map(|(at, _)| at);
            times.filter(|&at| (self.from..=self.to).contains(&SimTime::from_micros(at))).collect()
        };
        let pauses = pauses.map(|one| (one.to, one.part.job)).collect();
        let moves = moves.map(|one| (one.from, one.part.job)).collect();
        (times(pauses), times(moves))
    }

    /// Counts pauses and moves by part of the time; `None` if there are few enough to be marked.
    fn counts(&self) -> Option<Box<Counts>> {
        let (pauses, moves) = self.changes();
        (pauses.len() + moves.len() > MAX_MARKS).then(|| {
            let mut counts = Box::new([(0, 0); PARTS]);
            let span = u128::from(self.to.micros() - self.from.micros()).max(1);
            let part = |micros: &u64| {
                let part = u128::from(micros - self.from.micros()) * PARTS as u128 / span;
                (part as usize).min(PARTS - 1)
            };
            pauses.iter().for_each(|at| counts[part(at)].0 += 1);
            moves.iter().for_each(|at| counts[part(at)].1 += 1);
            counts
        })
    }

    /// Draws the numbers of pauses, and of moves above them.
    fn draw_counts(&self, chart: &mut Chart<'_>, counts: &Counts) {
        let span = self.to.as_secs_f64() - self.from.as_secs_f64();
        let edge = &|part: usize| self.from.as_secs_f64() + span * part as f64 / PARTS as f64;
        let bars = counts.iter().enumerate().flat_map(|(part, &(pauses, moves))| {
            let (low, high) = (pauses as f64, (pauses + moves) as f64);
            let bars = [(0.0, low, INK), (low, high, MOVES)].into_iter().filter(|(from, to, _)| from < to);
            bars.map(move |(from, to, colour)| {
                Rectangle::new([(edge(part), to), (edge(part + 1), from)], colour.filled())
            })
        });
        chart.draw_series(bars).expect(CANNOT_FAIL);
    }

    fn draw(&self, chart: &mut Chart<'_>, row: f64, has_marks: bool) {
        let rectangle = |from: u64, to: u64, first: u32, nodes: u32, colour: RGBColor| {
            let corners =
                [(self.second(from), f64::from(first)), (self.second(to), f64::from(first + nodes))];
            Rectangle::new(corners, colour.filled())
        };
        let line = |node: u32, colour: RGBColor| {
            let ends = [self.from, self.to].map(|end| (end.as_secs_f64(), f64::from(node)));
            PathElement::new(ends, colour.stroke_width(10))
        };
        let all = rectangle(self.from.micros(), self.to.micros(), 0, self.nodes, FINE_GRID);
        chart.draw_series([all]).expect(CANNOT_FAIL);
        // Lines between nodes are drawn only if rows are tall enough.
        chart
            .draw_series((1..self.nodes).filter(|_| row >= 60.0).map(|node| line(node, GRID)))
            .expect(CANNOT_FAIL);
        // Down times are drawn first, behind the jobs.
        let down = |one: Down| rectangle(one.from, one.to, one.first, 1, DOWN);
        chart.draw_series(downtimes(self.lives).into_iter().map(down)).expect(CANNOT_FAIL);
        self.blocks.iter().for_each(|block| self.draw_block(chart, block, has_marks));
        let ends = cluster_ends(&self.lives.clusters).filter(|&end| end < self.nodes);
        chart.draw_series(ends.map(|end| line(end, INK))).expect(CANNOT_FAIL);
    }

    /// Returns the legend entries that occur.
    fn signs(&self) -> Vec<LegendEntry> {
        let edges = || self.blocks.iter().map(|block| (block.rectangle.begin, block.rectangle.end));
        let mut signs: Vec<LegendEntry> =
            (0..self.categories.named.len()).map(LegendEntry::Category).collect();
        if edges().any(|(_, end)| end == Edge::Own(Change::Pause)) {
            signs.push(LegendEntry::Pause);
        }
        if edges().any(|(begin, _)| begin == Edge::Own(Change::Migrate)) {
            signs.push(LegendEntry::Migration);
        }
        if !self.lives.downs.is_empty() {
            signs.push(LegendEntry::Down);
        }
        if self.blocks.iter().any(|block| block.rectangle.part.job_yield < Yield::ONE) {
            signs.extend([1.0, 0.5, 0.1].map(LegendEntry::Yield));
        }
        signs
    }

    /// Returns the nodes to label: all of them, or multiples of a round number.
    fn labelled_nodes(&self, height: i32) -> Vec<u32> {
        let most = height.unsigned_abs() / 180;
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
        let step = steps.take(27).find(|step| self.nodes.div_ceil(*step) <= most).unwrap_or(self.nodes);
        (0..self.nodes).step_by(step.max(1) as usize).collect()
    }

    /// Converts a time to seconds, clamped to the window.
    fn second(&self, micros: u64) -> f64 {
        SimTime::from_micros(micros).clamp(self.from, self.to).as_secs_f64()
    }

    fn draw_block(&self, chart: &Chart<'_>, block: &Block, has_marks: bool) {
        let layout::Rectangle { node, all, part, below, from, to, begin, end } = &block.rectangle;
        let life = &self.lives.jobs[part.job];
        let area = chart.plotting_area().use_screen_coord();
        let low = f64::from(node + block.nodes) - below.as_f64() / all.as_f64();
        let high = low - part.cpu.as_f64() / all.as_f64() - f64::from(block.nodes - 1);
        let (left, top) = chart.backend_coord(&(self.second(*from), high));
        let (right, bottom) = chart.backend_coord(&(self.second(*to), low));
        let colour = mix_with_white(
            self.categories.colour(part.job, life.sequence),
            strength(part.job_yield.as_f64()),
        );
        bar(&area, [(left, top), (right, bottom)], colour, &life.id.to_string(), 140);
        let is_inside =
            |micros: u64| has_marks && (self.from..=self.to).contains(&SimTime::from_micros(micros));
        if *end == Edge::Own(Change::Pause) && is_inside(*to) {
            pause_mark(&area, (right, top), bottom - top);
        }
        if *begin == Edge::Own(Change::Migrate) && is_inside(*from) {
            migration_mark(&area, (left, i32::midpoint(top, bottom)), (right - left, bottom - top));
        }
    }
}

impl LegendEntry {
    fn name(self, categories: &Categories) -> String {
        match self {
            LegendEntry::Category(category) => categories.named[category].0.clone(),
            LegendEntry::Pause => "paused".to_owned(),
            LegendEntry::Migration => "moved here".to_owned(),
            LegendEntry::Down => "down".to_owned(),
            LegendEntry::Yield(part) => format!("yield {part}"),
        }
    }

    /// Draws the sample of the legend; changes that are not marked have the colours of their counts.
    fn draw(self, categories: &Categories, has_marks: bool, area: &Area<'_>, (x, y): BackendCoord) {
        let (width, height) = (SAMPLE_WIDTH * 7 / 10, 110);
        let corner = (x - width / 2, y - height / 2);
        // A colour that jobs of this picture have.
        let of_jobs = categories.named.first().map_or(palette::fill(0), |(_, colour)| *colour);
        let colour = match self {
            LegendEntry::Down => DOWN,
            LegendEntry::Category(category) => categories.named[category].1,
            LegendEntry::Yield(part) => mix_with_white(of_jobs, strength(part)),
            LegendEntry::Pause if !has_marks => INK,
            LegendEntry::Migration if !has_marks => MOVES,
            LegendEntry::Pause | LegendEntry::Migration => mix_with_white(of_jobs, strength(0.5)),
        };
        let opposite = (corner.0 + width, corner.1 + height);
        area.draw(&Rectangle::new([corner, opposite], colour.filled())).expect(CANNOT_FAIL);
        match self {
            LegendEntry::Pause | LegendEntry::Migration if !has_marks => {}
            LegendEntry::Pause => pause_mark(area, (opposite.0, corner.1), height),
            LegendEntry::Migration => migration_mark(area, (corner.0, y), (width, height)),
            LegendEntry::Yield(_) | LegendEntry::Down | LegendEntry::Category(_) => {}
        }
    }
}

/// Computes the strength of the colour at a yield; it is positive even at yield 0, so that jobs are
/// never white.
fn strength(job_yield: f64) -> f64 {
    0.2 + 0.8 * job_yield
}

/// Draws a bar at the right end of a rectangle.
fn pause_mark(area: &Area<'_>, (right, top): BackendCoord, height: i32) {
    let corners = [(right - 22, top), (right - 4, top + height)];
    area.draw(&Rectangle::new(corners, INK.filled())).expect(CANNOT_FAIL);
}

/// Draws a triangle at the left end of a rectangle, scaled to its size.
fn migration_mark(area: &Area<'_>, (left, middle): BackendCoord, (width, height): (i32, i32)) {
    let reach = (height / 2).min(width * 5 / 8).clamp(8, 30);
    let corners = [(left, middle - reach), (left + reach * 8 / 5, middle), (left, middle + reach)];
    area.draw(&Polygon::new(corners, INK.filled())).expect(CANNOT_FAIL);
}
