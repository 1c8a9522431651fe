//! A plan of context switches: what happens on which node, and when.

mod document;

pub use document::{PlanAction, PlanDocument, PlanFigureError, PlanSwitch};

use crate::axis::{Axis, LABEL, WIDTH, shortened};
use crate::chart::{Frame, bar};
use crate::colour::{GRID, INK};
use crate::figure::Figure;
use crate::legend::SAMPLE;
use crate::palette;
use crate::picture::{NO_FAILURE, PIXEL, Picture};
use crate::scale::Scale;
use crate::table::Csv;
use dfrsim_model::SimTime;
use plotters::element::{PathElement, Rectangle};
use plotters::style::{Color as _, RGBColor};

/// The kinds of actions on VMs, in the order of their colours.
pub const KINDS: [&str; 8] = ["migrate", "suspend", "resume", "run", "stop", "doze", "wake", "transfer"];

/// Draws a plan, given as the JSON text that `dfrsim solve plan` writes: a row for each node on which something happens, in it a
/// bar for each action that the node is an end of, below each other where they overlap. Lines separate the pools.
///
/// # Errors
/// The text is not a plan, or there is no action in it.
pub fn draw_plan(text: &str) -> Result<Figure, PlanFigureError> {
    let document = PlanDocument::from_json(text)?;
    let bars = bars(&document);
    if bars.is_empty() {
        return Err(PlanFigureError::Empty);
    }
    let (picture, csv) = (picture(&document, &bars), csv(&document));
    Ok(Figure { stem: "plan".to_owned(), picture, csv, remarks: Vec::new() })
}

/// One end of an action.
struct Bar<'a> {
    node: usize,
    action: &'a PlanAction,
    /// The line within the row of its node.
    lane: usize,
}

fn bars(document: &PlanDocument) -> Vec<Bar<'_>> {
    let actions = document.pools.iter().flatten();
    let mut bars: Vec<Bar<'_>> =
        actions.flat_map(|action| action.ends().map(move |node| Bar { node, action, lane: 0 })).collect();
    let key = |bar: &Bar<'_>| (bar.node, bar.action.begin, bar.action.end);
    bars.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.action.vm.cmp(&b.action.vm)));
    for of_node in bars.chunk_by_mut(|a, b| a.node == b.node) {
        // When each lane is free again.
        let mut lanes: Vec<SimTime> = Vec::new();
        for bar in of_node {
            bar.lane = lanes.iter().position(|free| *free <= bar.action.begin).unwrap_or(lanes.len());
            if bar.lane == lanes.len() {
                lanes.push(bar.action.end);
            }
            lanes[bar.lane] = bar.action.end;
        }
    }
    bars
}

fn csv(document: &PlanDocument) -> String {
    let mut csv = Csv::new(["pool", "vm", "action", "from", "to", "cost_mb", "begin_s", "end_s"]);
    let name = |node: Option<usize>| node.map_or("", |node| &document.nodes[node]);
    for (pool, actions) in document.pools.iter().enumerate() {
        for PlanAction { vm, action, from, to, cost, begin, end } in actions {
            csv.line([&pool, vm, action, &name(*from), &name(*to), cost, begin, end]);
        }
    }
    csv.finish()
}

/// Beyond this many lanes rows are as thin as they can be.
const HEIGHT: i32 = 720 * PIXEL;

fn picture(document: &PlanDocument, bars: &[Bar<'_>]) -> Picture {
    let kinds: Vec<&str> =
        KINDS.into_iter().filter(|kind| bars.iter().any(|bar| bar.action.action == *kind)).collect();
    // Rows only of nodes on which something happens, as high as their lanes.
    let rows: Vec<&[Bar<'_>]> = bars.chunk_by(|a, b| a.node == b.node).collect();
    let lanes_of = |row: &[Bar<'_>]| 1 + row.iter().map(|bar| bar.lane).max().unwrap_or(0);
    let lanes: usize = rows.iter().map(|row| lanes_of(row)).sum();
    let height = (lanes as i32).saturating_mul(160).clamp(60 * PIXEL, HEIGHT);
    let lane = f64::from(height) / lanes as f64;
    let end = bars.iter().map(|bar| bar.action.end).max().unwrap_or(SimTime::ZERO).max(SimTime::from_secs(1));
    let (scale, unit) = Scale::time(SimTime::ZERO, end);

    let (mut first, mut labels) = (0, Vec::new());
    let mut free_from = f64::NEG_INFINITY;
    for row in &rows {
        // A label that would touch the one above is left out.
        let middle = first as f64 + lanes_of(row) as f64 / 2.0;
        if middle * lane - f64::from(LABEL) * 0.5 >= free_from {
            labels.push((middle, shortened(&document.nodes[row[0].node], LABEL, WIDTH / 5)));
            free_from = middle * lane + f64::from(LABEL) * 0.6;
        }
        first += lanes_of(row);
    }
    let frame = Frame {
        title: document.summary(),
        remarks: Vec::new(),
        x: Axis::new(format!("time [{unit}]"), scale),
        panels: vec![(Axis::rows("node", lanes, labels), height)],
        names: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
    };
    frame.draw(
        &mut |_, chart| {
            let area = chart.plotting_area().use_screen_coord();
            let mut first = 0;
            for row in &rows {
                for Bar { action, lane, .. } in *row {
                    let top = (first + lane) as f64;
                    let from = chart.backend_coord(&(action.begin.as_secs_f64(), top));
                    let (right, bottom) = chart.backend_coord(&(action.end.as_secs_f64(), top + 1.0));
                    let to = (right.max(from.0 + 5), bottom);
                    bar(&area, [from, to], colour(&action.action), &action.vm, 66);
                }
                first += lanes_of(row);
                if first < lanes && lane >= 40.0 {
                    let ends = [(0.0, first as f64), (end.as_secs_f64(), first as f64)];
                    chart.draw_series([PathElement::new(ends, GRID.stroke_width(10))]).expect(NO_FAILURE);
                }
            }
            // Where one pool ends and the next begins, unless their actions overlap.
            for pair in document.pools.windows(2) {
                let end = pair[0].iter().map(|action| action.end).max().unwrap_or(SimTime::ZERO);
                if pair[1].iter().all(|action| action.begin >= end) {
                    let ends = [0.0, lanes as f64].map(|level| (end.as_secs_f64(), level));
                    chart.draw_series([PathElement::new(ends, INK.stroke_width(10))]).expect(NO_FAILURE);
                }
            }
        },
        &mut |area, number, (x, y)| {
            let corners = [(x - SAMPLE * 35 / 100, y - 55), (x + SAMPLE * 35 / 100, y + 55)];
            area.draw(&Rectangle::new(corners, colour(kinds[number]).filled())).expect(NO_FAILURE);
        },
    )
}

fn colour(kind: &str) -> RGBColor {
    palette::fill(KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legible::assert_legible;

    const PLAN: &str = r#"{"cost": 9, "nodes": [{"name": "N1"}, {"name": "N2"}, {"name": "idle"}], "pools": [
        [{"vm": "VM2", "action": "suspend", "from": "N2", "to": "N2", "cost": 3, "begin_s": 0, "end_s": 30}],
        [{"vm": "VM1", "action": "migrate", "from": "N1", "to": "N2", "cost": 2, "begin_s": 30, "end_s": 45.5},
         {"vm": "VM3", "action": "run", "to": "N2", "cost": 0, "begin_s": 30, "end_s": 36}]]}"#;

    /// The migration is on both nodes, the run beside it on its own line; the idle node has no row.
    #[test]
    fn every_end_of_an_action_is_a_bar() {
        let document = PlanDocument::from_json(PLAN).unwrap();
        let bars = bars(&document);
        let seen: Vec<(usize, &str, usize)> =
            bars.iter().map(|bar| (bar.node, bar.action.vm.as_str(), bar.lane)).collect();
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
