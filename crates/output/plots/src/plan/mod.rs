//! Figure of a plan of context switches: actions on nodes over time.

mod document;
mod lanes;

pub use document::PlanFigureError;
pub use lanes::{PlanLanes, PlanStep};

use crate::axis::{Axis, LABEL, shorten};
use crate::chart::{Frame, bar};
use crate::colour::{DOWN, GRID, INK};
use crate::events::{JobHistories, Stay};
use crate::figure::Figure;
use crate::legend::SAMPLE_WIDTH;
use crate::palette;
use crate::picture::{CANNOT_FAIL, PIXEL, Picture};
use crate::scale::Scale;
use crate::size::FigureSize;
use crate::table::Csv;
use dfrsim_model::SimTime;
use document::{PlanAction, PlanDocument};
use lanes::KINDS;
use plotters::element::{PathElement, Rectangle};
use plotters::style::{Color as _, RGBColor};

/// Draws a plan, given as the JSON text that `dfrsim solve plan` writes: a row for each node that
/// takes part in an action. A row has a bar for each action from or to the node, stacked where they
/// overlap, and one for switching the node on or off. Lines separate the pools.
///
/// # Errors
/// Returns an error if the text is not a plan or has no actions.
pub fn draw_plan(text: &str) -> Result<Figure, PlanFigureError> {
    let document = PlanDocument::from_json(text)?;
    let (plan, lives) = PlanLanes::of(&document);
    let bars = bars(&plan, &lives);
    if bars.is_empty() {
        return Err(PlanFigureError::Empty);
    }
    let (picture, csv) = (picture(&plan, &lives, &bars), csv(&document));
    Ok(Figure { stem: "plan".to_owned(), picture, csv, remarks: Vec::new() })
}

/// An action on one of its nodes.
struct Bar<'a> {
    lane: u32,
    /// Line within the row of the node.
    row: u32,
    stay: &'a Stay,
    kind: &'a str,
}

/// Returns the bars by node, in the order of their begins.
fn bars<'a>(plan: &'a PlanLanes, lives: &'a JobHistories) -> Vec<Bar<'a>> {
    let stays = lives.stays.iter().zip(plan.actions.iter().map(|action| plan.kinds[action.kind].as_str()));
    let mut bars: Vec<Bar<'_>> = stays
        .flat_map(|(stay, kind)| {
            let lanes = stay
                .runs
                .iter()
                .flat_map(|run| (run.first..run.first + run.nodes).map(|lane| (lane, run.row)));
            lanes.map(move |(lane, row)| Bar { lane, row, stay, kind })
        })
        .collect();
    bars.sort_by_key(|bar| bar.lane);
    bars
}

fn csv(document: &PlanDocument) -> String {
    let mut csv = Csv::new(["pool", "vm", "action", "from", "to", "cost_mb", "begin_s", "end_s"]);
    let name = |node: Option<usize>| node.map_or("", |node| &document.nodes[node]);
    for PlanAction { pool, name: vm, kind, from, to, cost, begin, end } in &document.actions {
        let pool = pool.map_or(String::new(), |pool| pool.to_string());
        csv.line([&pool, vm, kind, &name(*from), &name(*to), cost, begin, end]);
    }
    csv.finish()
}

/// Largest height of the panel; with many lanes, rows become thinner instead.
const MAX_HEIGHT: i32 = 720 * PIXEL;

fn picture(plan: &PlanLanes, lives: &JobHistories, bars: &[Bar<'_>]) -> Picture {
    // Each row is a node with actions, and is as high as its lanes: first lane, number of lanes,
    // bars.
    let (mut rows, mut lanes) = (Vec::new(), 0);
    for bars in bars.chunk_by(|a, b| a.lane == b.lane) {
        let own = 1 + bars.iter().map(|bar| bar.row as usize).max().unwrap_or(0);
        rows.push((lanes, own, bars));
        lanes += own;
    }
    let height = (lanes as i32).saturating_mul(160).clamp(60 * PIXEL, MAX_HEIGHT);
    let lane = f64::from(height) / lanes as f64;
    let end = SimTime::from_micros(lives.shown.1).max(SimTime::from_secs(1));
    let (scale, unit) = Scale::time(SimTime::ZERO, end);

    let size = FigureSize::default();
    let (mut labels, mut free_from) = (Vec::new(), f64::NEG_INFINITY);
    for (first, own, bars) in &rows {
        // A label that would overlap the one above is left out.
        let middle = *first as f64 + *own as f64 / 2.0;
        if middle * lane - f64::from(LABEL) * 0.5 >= free_from {
            labels.push((middle, shorten(&plan.lanes[bars[0].lane as usize], LABEL, size.width / 5)));
            free_from = middle * lane + f64::from(LABEL) * 0.6;
        }
    }
    let frame = Frame {
        title: lives.title.clone(),
        remarks: Vec::new(),
        x: Axis::new(format!("time [{unit}]"), scale),
        panels: vec![(Axis::rows("node", lanes, labels), height)],
        names: plan.kinds.clone(),
        size,
    };
    frame.draw(
        &mut |_, chart| {
            let area = chart.plotting_area().use_screen_coord();
            for (first, own, bars) in &rows {
                for Bar { row, stay, kind, .. } in *bars {
                    let top = (first + *row as usize) as f64;
                    let from = chart.backend_coord(&(second(stay.from), top));
                    let (right, bottom) = chart.backend_coord(&(second(stay.to), top + 1.0));
                    let to = (right.max(from.0 + 5), bottom);
                    bar(&area, [from, to], colour(kind), &plan.names[stay.job], 66);
                }
                let below = first + own;
                if below < lanes && lane >= 40.0 {
                    let ends = [0.0, end.as_secs_f64()].map(|at| (at, below as f64));
                    chart.draw_series([PathElement::new(ends, GRID.stroke_width(10))]).expect(CANNOT_FAIL);
                }
            }
            for &end in &plan.pools {
                let ends = [0.0, lanes as f64].map(|level| (second(end), level));
                chart.draw_series([PathElement::new(ends, INK.stroke_width(10))]).expect(CANNOT_FAIL);
            }
        },
        &mut |area, number, (x, y)| {
            let corners = [(x - SAMPLE_WIDTH * 35 / 100, y - 55), (x + SAMPLE_WIDTH * 35 / 100, y + 55)];
            area.draw(&Rectangle::new(corners, colour(&plan.kinds[number]).filled())).expect(CANNOT_FAIL);
        },
    )
}

fn second(micros: u64) -> f64 {
    SimTime::from_micros(micros).as_secs_f64()
}

fn colour(kind: &str) -> RGBColor {
    match kind {
        "boot" => GRID,
        "shutdown" => DOWN,
        _ => palette::fill(KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len()) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::legible::assert_legible;

    const PLAN: &str = r#"{"cost": 9, "nodes": [{"name": "N1"}, {"name": "N2"}, {"name": "idle"}], "pools": [
        [{"vm": "VM2", "action": "suspend", "from": "N2", "to": "N2", "cost": 3, "begin_s": 0, "end_s": 30}],
        [{"vm": "VM1", "action": "migrate", "from": "N1", "to": "N2", "cost": 2, "begin_s": 30, "end_s": 45.5},
         {"vm": "VM3", "action": "run", "to": "N2", "cost": 0, "begin_s": 30, "end_s": 36}]]}"#;

    /// Checks that the migration is on both nodes and the concurrent run on a line of its own; the
    /// idle node has no row.
    #[test]
    fn every_end_of_an_action_is_a_bar() {
        let (plan, lives) = PlanLanes::read(PLAN).unwrap();
        let bars = bars(&plan, &lives);
        let seen: Vec<(u32, &str, u32)> =
            bars.iter().map(|bar| (bar.lane, plan.names[bar.stay.job].as_str(), bar.row)).collect();
        assert_eq!(seen, [(0, "VM1", 0), (1, "VM2", 0), (1, "VM3", 0), (1, "VM1", 1)]);
    }

    #[test]
    fn a_plan_is_drawn_with_its_data() {
        let figure = draw_plan(PLAN).unwrap();
        assert_legible(&figure);
        let svg = figure.picture.svg();
        assert!(
            svg.contains("3 actions in 2 pools, cost 9 MB")
                && svg.contains("migrate")
                && !svg.contains("idle")
        );
        assert_eq!(figure.csv.lines().nth(2), Some("1,VM1,migrate,N1,N2,2,30,45.5"));
        assert_eq!(draw_plan(PLAN).unwrap(), figure);
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        assert!(matches!(draw_plan("{}"), Err(PlanFigureError::Malformed(_))));
        let elsewhere = PLAN.replace(r#""to": "N2", "cost": 0"#, r#""to": "N9", "cost": 0"#);
        assert!(matches!(draw_plan(&elsewhere), Err(PlanFigureError::Action { .. })));
        let backwards = PLAN.replace("\"begin_s\": 0,", "\"begin_s\": 31,");
        assert!(matches!(draw_plan(&backwards), Err(PlanFigureError::Action { .. })));
        let empty = r#"{"cost": 0, "nodes": [], "pools": []}"#;
        assert!(matches!(draw_plan(empty), Err(PlanFigureError::Empty)));
    }
}
