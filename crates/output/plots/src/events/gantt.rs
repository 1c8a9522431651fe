//! Jobs on nodes over simulated time.

use super::fault::EventsError;
use super::grid::{GridRun, replay_grid};
use super::layout::{Downtime, Edge, Layout, Rectangle};
use super::replay::{Change, replay};
use crate::axes::{self, Area};
use crate::colour::Colour;
use crate::figure::Figure;
use crate::legend::SAMPLE;
use crate::palette;
use crate::picture::{Picture, Point};
use crate::rows::Rows;
use crate::table::Csv;
use dfrsim_model::{CpuUse, SimTime, Yield};
use std::path::Path;

/// The time that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its begin; the first event if `None`.
    pub from: Option<SimTime>,
    /// Its end; the last event if `None`.
    pub to: Option<SimTime>,
}

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
    let from = window.from.map_or(0, SimTime::micros);
    let to = window.to.map_or(u64::MAX, SimTime::micros);
    let mut layout = Layout::new(from, to);
    let (title, clusters) = match replay_grid(path, &mut layout)? {
        Some(GridRun { local, cores }) => (format!("{local}, {} clusters", cores.len()), cores),
        None => {
            let run = replay(path, &mut layout)?;
            (format!("{}, {} nodes", run.policy, run.nodes), vec![run.nodes])
        }
    };
    let downtimes = layout.take_downtimes();
    let (rectangles, events) = layout.finish();
    let (Some((first, last)), false) = (events, rectangles.is_empty()) else {
        let lacking = "no job runs in the time that is to be drawn";
        return Err(EventsError::Empty { path: path.to_owned(), lacking });
    };
    let chart = Gantt {
        title,
        nodes: clusters.iter().sum(),
        from: SimTime::from_micros(window.from.map_or(first, SimTime::micros)),
        to: SimTime::from_micros(window.to.map_or(last, SimTime::micros)),
        blocks: blocks(&rectangles),
        downtimes,
        clusters,
    };
    let (picture, csv) = (chart.picture(), csv(&rectangles, &chart.downtimes));
    Ok(Figure { stem: "gantt".to_owned(), picture, csv, remarks: Vec::new() })
}

fn csv(rectangles: &[Rectangle], downtimes: &[Downtime]) -> String {
    let mut csv = Csv::new([
        "job_id", "node", "tasks", "from_s", "to_s", "cpu_from", "cpu_to", "yield", "begin", "end",
    ]);
    for Rectangle { node, part, below, from, to, begin, end } in rectangles {
        csv.line([
            &part.id,
            node,
            &part.tasks,
            &SimTime::from_micros(*from),
            &SimTime::from_micros(*to),
            &below.as_f64(),
            &(*below + part.cpu).as_f64(),
            &part.job_yield.as_f64(),
            &name(*begin),
            &name(*end),
        ]);
    }
    let time = SimTime::from_micros;
    for Downtime { node, from, to } in downtimes {
        csv.line([&"", node, &0, &time(*from), &time(*to), &0, &1, &0, &"down", &"up"]);
    }
    csv.finish()
}

fn name(edge: Edge) -> &'static str {
    match edge {
        Edge::Own(Change::Submit) => "submit",
        Edge::Own(Change::Start) => "start",
        Edge::Own(Change::Pause) => "pause",
        Edge::Own(Change::Resume) => "resume",
        Edge::Own(Change::Migrate) => "migrate",
        Edge::Own(Change::Yield) => "yield",
        Edge::Own(Change::Reject) => "reject",
        Edge::Own(Change::Kill) => "kill",
        Edge::Own(Change::Interrupt) => "interrupt",
        Edge::Own(Change::Lose) => "lose",
        Edge::Own(Change::Complete) => "complete",
        Edge::Shift => "shift",
    }
}

/// Equal rectangles on neighbouring nodes, drawn as one.
struct Block {
    rectangle: Rectangle,
    /// The nodes from the rectangle's on.
    nodes: u32,
}

/// The rectangles; those of one job that fill neighbouring nodes for the same time in one.
fn blocks(rectangles: &[Rectangle]) -> Vec<Block> {
    let mut blocks = Vec::<Block>::new();
    for rectangle in rectangles {
        let fills = |one: &Rectangle| one.part.cpu == CpuUse::ONE;
        let continues = |block: &Block| {
            let one = &block.rectangle;
            let alike = (one.part == rectangle.part, one.to == rectangle.to, one.from == rectangle.from);
            let edges = (one.begin, one.end) == (rectangle.begin, rectangle.end);
            fills(one) && alike == (true, true, true) && edges && one.node + block.nodes == rectangle.node
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

struct Gantt {
    title: String,
    nodes: u32,
    /// The nodes of each cluster; of one that is not a grid there is one.
    clusters: Vec<u32>,
    from: SimTime,
    to: SimTime,
    blocks: Vec<Block>,
    downtimes: Vec<Downtime>,
}

/// What a legend explains.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Pause,
    Migration,
    Down,
    Yield(f64),
}

impl Gantt {
    fn picture(&self) -> Picture {
        let signs = self.signs();
        let names: Vec<String> = signs.iter().map(|sign| sign.name()).collect();
        let height = (f64::from(self.nodes) * 30.0).clamp(100.0, 360.0);
        let numbers: Vec<(u32, String)> =
            self.labelled(height).into_iter().map(|node| (node, node.to_string())).collect();
        let labels = numbers.iter().map(|(_, label)| label.as_str());
        let mut rows = Rows::new(&self.title, (self.from, self.to), height, labels, &names);
        let Area { left, top, right, .. } = rows.area;
        rows.picture.rectangle((left, top), (right - left, height), Colour::FINE_GRID);
        let row = height / f64::from(self.nodes.max(1));
        // Lines between nodes where there is room for them.
        for node in (1..self.nodes).filter(|_| row >= 6.0) {
            rows.separate(top + f64::from(node) * row, Colour::GRID);
        }
        // What is down is behind the jobs.
        for Downtime { node, from, to } in &self.downtimes {
            let (left, right) = (self.place(&rows, *from), self.place(&rows, *to));
            rows.picture.rectangle((left, top + f64::from(*node) * row), (right - left, row), DOWN);
        }
        for block in &self.blocks {
            self.draw(&mut rows, row, block);
        }
        for end in ends(&self.clusters).filter(|&end| end < self.nodes) {
            rows.separate(top + f64::from(end) * row, Colour::INK);
        }
        rows.area.outline(&mut rows.picture);
        for (node, label) in &numbers {
            axes::row_label(&mut rows.picture, (left, top + (f64::from(*node) + 0.5) * row), label);
        }
        let of_rows = if self.clusters.len() > 1 { "core" } else { "node" };
        rows.finish(of_rows, |picture, number, middle| signs[number].draw(picture, middle))
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
        if !self.downtimes.is_empty() {
            signs.push(Sign::Down);
        }
        if self.blocks.iter().any(|block| block.rectangle.part.job_yield < Yield::ONE) {
            signs.extend([1.0, 0.5, 0.1].map(Sign::Yield));
        }
        signs
    }

    /// The nodes that have a label: all, or round numbers.
    fn labelled(&self, height: f64) -> Vec<u32> {
        let most = (height / 18.0) as u32;
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
        let step = steps.take(27).find(|step| self.nodes.div_ceil(*step) <= most).unwrap_or(self.nodes);
        (0..self.nodes).step_by(step.max(1) as usize).collect()
    }

    /// Where a time is, or the end of the picture that it is beyond.
    fn place(&self, rows: &Rows, micros: u64) -> f64 {
        rows.place(SimTime::from_micros(micros).clamp(self.from, self.to))
    }

    fn draw(&self, rows: &mut Rows, row: f64, block: &Block) {
        let Rectangle { node, part, below, from, to, begin, end } = &block.rectangle;
        let (left, right) = (self.place(rows, *from), self.place(rows, *to));
        let bottom = rows.area.top + f64::from(node + block.nodes) * row - below.as_f64() * row;
        let height = part.cpu.as_f64() * row + f64::from(block.nodes - 1) * row;
        let top = bottom - height;
        let colour = palette::fill(part.sequence).paled(strength(part.job_yield.as_f64()));
        rows.bar((left, top), (right, bottom), colour);
        let is_inside = |micros: u64| (self.from..=self.to).contains(&SimTime::from_micros(micros));
        if *end == Edge::Own(Change::Pause) && is_inside(*to) {
            pause_mark(&mut rows.picture, (right, top), height);
        }
        if *begin == Edge::Own(Change::Migrate) && is_inside(*from) {
            migration_mark(&mut rows.picture, (left, top + height / 2.0), (right - left, height));
        }
        rows.label((left, top), (right, bottom), colour, part.id.to_string(), 14.0);
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

    fn draw(self, picture: &mut Picture, (x, y): Point) {
        let (width, height) = (SAMPLE * 0.7, 11.0);
        let corner = (x - width / 2.0, y - height / 2.0);
        if self == Sign::Down {
            return picture.rectangle(corner, (width, height), DOWN);
        }
        let part = if let Sign::Yield(part) = self { part } else { 0.5 };
        picture.rectangle(corner, (width, height), palette::fill(0).paled(strength(part)));
        match self {
            Sign::Pause => pause_mark(picture, (corner.0 + width, corner.1), height),
            Sign::Migration => migration_mark(picture, (corner.0, y), (width, height)),
            Sign::Yield(_) | Sign::Down => {}
        }
    }
}

/// A node that is down.
const DOWN: Colour = Colour(0x99, 0x99, 0x99);

/// How strong the colour is at a yield: even at none it is not white.
fn strength(job_yield: f64) -> f64 {
    0.2 + 0.8 * job_yield
}

/// A bar at the right end of a rectangle.
fn pause_mark(picture: &mut Picture, (right, top): Point, height: f64) {
    picture.rectangle((right - 2.2, top), (1.8, height), Colour::INK);
}

/// A triangle at the left end of a rectangle, not much larger than it.
fn migration_mark(picture: &mut Picture, (left, middle): Point, (width, height): Point) {
    let reach = (height / 2.0).min(width / 1.6).clamp(0.8, 3.0);
    picture.polygon(
        vec![(left, middle - reach), (left + 1.6 * reach, middle), (left, middle + reach)],
        Colour::INK,
    );
}
