//! Jobs on nodes over simulated time.

use super::fault::EventsError;
use super::layout::{self, Edge, MOST_RECTANGLES, rectangles};
use super::life::{Down, assign_rows};
use super::lives::{Limits, Lives, Window};
use super::replay::Change;
use crate::axis::Axis;
use crate::chart::{Chart, Frame, bar};
use crate::colour::{DOWN, FINE_GRID, GRID, INK, paled};
use crate::figure::Figure;
use crate::legend::SAMPLE;
use crate::palette;
use crate::picture::{Area, NO_FAILURE, Picture};
use crate::scale::Scale;
use crate::table::Csv;
use dfrsim_model::{SimTime, Yield};
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::style::{Color as _, RGBColor};
use plotters_backend::BackendCoord;
use std::path::Path;

/// Draws a rectangle for each stay of a job on a node: its height is the part of the node's CPU that the job has, its
/// lightness the job's yield. Jobs that share a node are stacked. Nodes that are down are grey. Of a grid it draws the cores of all clusters; a job
/// takes the first ones that are free, and has a mark if it waited on another cluster before.
///
/// The data has the rectangles that are at least partly in the window, node by node, with their whole times. A stay is cut
/// where the job's part of the CPU changes, or what is below it (`shift`). Nodes of a grid are the cores of all clusters, one
/// cluster after the other.
///
/// Times at which nodes are down have lines at the end, without a job, from `down` to `up`.
///
/// # Errors
/// If the file cannot be read, is not complete, or is not an events file; if no job runs in the window, or too much happens
/// for a picture.
pub fn draw_gantt(path: &Path, window: Window) -> Result<Figure, EventsError> {
    let message = format!("more than {MOST_RECTANGLES} rectangles; draw a shorter time span (--from, --to)");
    let too_many = || EventsError::undrawable(path, &message);
    let limits = Limits { stays: MOST_RECTANGLES + 1, runs: usize::MAX };
    let mut lives = Lives::read(path, window, limits)?;
    let on_nodes: usize = lives.stays.iter().flat_map(|stay| &stay.runs).map(|run| run.nodes as usize).sum();
    let down: usize = lives.downs.iter().map(|down| down.nodes as usize).sum();
    if lives.cut.is_some() || on_nodes.max(down) > MOST_RECTANGLES {
        return Err(too_many());
    }
    assign_rows(&mut lives.stays);
    let rectangles = rectangles(&lives, window).ok_or_else(too_many)?;
    let chart = Gantt {
        from: window.from.unwrap_or(SimTime::from_micros(lives.events.0)),
        to: window.to.unwrap_or(SimTime::from_micros(lives.events.1)),
        nodes: lives.clusters.iter().sum(),
        blocks: blocks(&rectangles),
        lives: &lives,
    };
    let (picture, csv) = (chart.picture(), csv(&lives, &rectangles));
    Ok(Figure { stem: "gantt".to_owned(), picture, csv, remarks: Vec::new() })
}

fn csv(lives: &Lives, rectangles: &[layout::Rectangle]) -> String {
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

/// The times at which nodes are down, node by node.
fn downtimes(lives: &Lives) -> Vec<Down> {
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
    /// The nodes from the rectangle's on.
    nodes: u32,
}

/// The rectangles; those of one job that fill neighbouring nodes for the same time in one.
fn blocks(rectangles: &[layout::Rectangle]) -> Vec<Block> {
    let mut blocks = Vec::<Block>::new();
    for rectangle in rectangles {
        let continues = |Block { rectangle: one, nodes }: &Block| {
            let alike = layout::Rectangle { node: one.node, ..*rectangle } == *one;
            one.fills() && alike && one.node + nodes == rectangle.node
        };
        // They are by begin and node, so the neighbour is the last one.
        match blocks.last_mut() {
            Some(block) if continues(block) => block.nodes += 1,
            _ => blocks.push(Block { rectangle: rectangle.clone(), nodes: 1 }),
        }
    }
    blocks
}

/// The nodes with which the nodes of each cluster end.
fn ends(clusters: &[u32]) -> impl Iterator<Item = u32> {
    clusters.iter().scan(0_u32, |end, cores| {
        *end += cores;
        Some(*end)
    })
}

struct Gantt<'a> {
    lives: &'a Lives,
    nodes: u32,
    from: SimTime,
    to: SimTime,
    blocks: Vec<Block>,
}

/// What a legend explains.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Pause,
    Migration,
    Down,
    Yield(f64),
}

impl Gantt<'_> {
    fn picture(&self) -> Picture {
        let signs = self.signs();
        let height = (f64::from(self.nodes) * 300.0).clamp(1_000.0, 3_600.0) as i32;
        let (scale, unit) = Scale::time(self.from, self.to);
        let labels = self.labelled(height).into_iter().map(|node| (f64::from(node) + 0.5, node.to_string()));
        let of_rows = if self.lives.clusters.len() > 1 { "core" } else { "node" };
        let frame = Frame {
            title: self.lives.title.clone(),
            remarks: Vec::new(),
            x: Axis { has_grid: false, ..Axis::new(format!("time [{unit}]"), scale) },
            panels: vec![(Axis::rows(of_rows, self.nodes as usize, labels), height)],
            names: signs.iter().map(|sign| sign.name()).collect(),
        };
        frame.draw(
            &mut |_, chart| self.draw(chart, f64::from(height) / f64::from(self.nodes.max(1))),
            &mut |area, number, middle| signs[number].draw(area, middle),
        )
    }

    fn draw(&self, chart: &mut Chart<'_>, row: f64) {
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
        chart.draw_series([all]).expect(NO_FAILURE);
        // Lines between nodes where there is room for them.
        chart
            .draw_series((1..self.nodes).filter(|_| row >= 60.0).map(|node| line(node, GRID)))
            .expect(NO_FAILURE);
        // What is down is behind the jobs.
        let down = |one: Down| rectangle(one.from, one.to, one.first, 1, DOWN);
        chart.draw_series(downtimes(self.lives).into_iter().map(down)).expect(NO_FAILURE);
        self.blocks.iter().for_each(|block| self.draw_block(chart, block));
        let ends = ends(&self.lives.clusters).filter(|&end| end < self.nodes);
        chart.draw_series(ends.map(|end| line(end, INK))).expect(NO_FAILURE);
    }

    /// Those that occur.
    fn signs(&self) -> Vec<Sign> {
        let edges = || self.blocks.iter().map(|block| (block.rectangle.begin, block.rectangle.end));
        let mut signs = Vec::new();
        if edges().any(|(_, end)| end == Edge::Own(Change::Pause)) {
            signs.push(Sign::Pause);
        }
        if edges().any(|(begin, _)| begin == Edge::Own(Change::Migrate)) {
            signs.push(Sign::Migration);
        }
        if !self.lives.downs.is_empty() {
            signs.push(Sign::Down);
        }
        if self.blocks.iter().any(|block| block.rectangle.part.job_yield < Yield::ONE) {
            signs.extend([1.0, 0.5, 0.1].map(Sign::Yield));
        }
        signs
    }

    /// The nodes that have a label: all, or round numbers.
    fn labelled(&self, height: i32) -> Vec<u32> {
        let most = height.unsigned_abs() / 180;
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
        let step = steps.take(27).find(|step| self.nodes.div_ceil(*step) <= most).unwrap_or(self.nodes);
        (0..self.nodes).step_by(step.max(1) as usize).collect()
    }

    /// A time in seconds, or the end of the picture that it is beyond.
    fn second(&self, micros: u64) -> f64 {
        SimTime::from_micros(micros).clamp(self.from, self.to).as_secs_f64()
    }

    fn draw_block(&self, chart: &Chart<'_>, block: &Block) {
        let layout::Rectangle { node, all, part, below, from, to, begin, end } = &block.rectangle;
        let life = &self.lives.jobs[part.job];
        let area = chart.plotting_area().use_screen_coord();
        let low = f64::from(node + block.nodes) - below.as_f64() / all.as_f64();
        let high = low - part.cpu.as_f64() / all.as_f64() - f64::from(block.nodes - 1);
        let (left, top) = chart.backend_coord(&(self.second(*from), high));
        let (right, bottom) = chart.backend_coord(&(self.second(*to), low));
        let colour = paled(palette::fill(life.sequence), strength(part.job_yield.as_f64()));
        bar(&area, [(left, top), (right, bottom)], colour, &life.id.to_string(), 140);
        let is_inside = |micros: u64| (self.from..=self.to).contains(&SimTime::from_micros(micros));
        if *end == Edge::Own(Change::Pause) && is_inside(*to) {
            pause_mark(&area, (right, top), bottom - top);
        }
        if *begin == Edge::Own(Change::Migrate) && is_inside(*from) {
            migration_mark(&area, (left, i32::midpoint(top, bottom)), (right - left, bottom - top));
        }
    }
}

impl Sign {
    fn name(self) -> String {
        match self {
            Sign::Pause => "paused".to_owned(),
            Sign::Migration => "moved here".to_owned(),
            Sign::Down => "down".to_owned(),
            Sign::Yield(part) => format!("yield {part}"),
        }
    }

    fn draw(self, area: &Area<'_>, (x, y): BackendCoord) {
        let (width, height) = (SAMPLE * 7 / 10, 110);
        let corner = (x - width / 2, y - height / 2);
        let colour = match self {
            Sign::Down => DOWN,
            Sign::Yield(part) => paled(palette::fill(0), strength(part)),
            Sign::Pause | Sign::Migration => paled(palette::fill(0), strength(0.5)),
        };
        let opposite = (corner.0 + width, corner.1 + height);
        area.draw(&Rectangle::new([corner, opposite], colour.filled())).expect(NO_FAILURE);
        match self {
            Sign::Pause => pause_mark(area, (opposite.0, corner.1), height),
            Sign::Migration => migration_mark(area, (corner.0, y), (width, height)),
            Sign::Yield(_) | Sign::Down => {}
        }
    }
}

/// How strong the colour is at a yield: even at none it is not white.
fn strength(job_yield: f64) -> f64 {
    0.2 + 0.8 * job_yield
}

/// A bar at the right end of a rectangle.
fn pause_mark(area: &Area<'_>, (right, top): BackendCoord, height: i32) {
    let corners = [(right - 22, top), (right - 4, top + height)];
    area.draw(&Rectangle::new(corners, INK.filled())).expect(NO_FAILURE);
}

/// A triangle at the left end of a rectangle, not much larger than it.
fn migration_mark(area: &Area<'_>, (left, middle): BackendCoord, (width, height): (i32, i32)) {
    let reach = (height / 2).min(width * 5 / 8).clamp(8, 30);
    let corners = [(left, middle - reach), (left + reach * 8 / 5, middle), (left, middle + reach)];
    area.draw(&Polygon::new(corners, INK.filled())).expect(NO_FAILURE);
}
