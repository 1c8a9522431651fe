//! A plan of context switches: what happens on which node, and when.

mod document;

pub use document::{PlanAction, PlanDocument, PlanFigureError, PlanSwitch};

use crate::axes::{self, WIDTH};
use crate::colour::Colour;
use crate::figure::Figure;
use crate::legend::SAMPLE;
use crate::palette;
use crate::picture::{Picture, Stroke};
use crate::rows::Rows;
use crate::table::Csv;
use dfrsim_model::SimTime;

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
const HEIGHT: f64 = 720.0;

fn picture(document: &PlanDocument, bars: &[Bar<'_>]) -> Picture {
    let kinds: Vec<&str> =
        KINDS.into_iter().filter(|kind| bars.iter().any(|bar| bar.action.action == *kind)).collect();
    let names: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    // Rows only of nodes on which something happens, as high as their lanes.
    let nodes: Vec<(usize, usize)> = bars
        .chunk_by(|a, b| a.node == b.node)
        .map(|of_node| (of_node[0].node, 1 + of_node.iter().map(|bar| bar.lane).max().unwrap_or(0)))
        .collect();
    let lanes: usize = nodes.iter().map(|(_, lanes)| lanes).sum();
    let height = (lanes as f64 * 16.0).clamp(60.0, HEIGHT);
    let lane = height / lanes as f64;
    let end = bars.iter().map(|bar| bar.action.end).max().unwrap_or(SimTime::ZERO).max(SimTime::from_secs(1));
    let shortened = |node: usize| axes::shortened(&document.nodes[node], axes::LABEL, WIDTH / 5.0);
    let labels: Vec<String> = nodes.iter().map(|(node, _)| shortened(*node)).collect();
    let title = document.summary();
    let mut rows = Rows::new(&title, (SimTime::ZERO, end), height, labels.iter().map(String::as_str), &names);
    let area = rows.area;
    rows.grid();

    let mut below = area.top;
    let mut free_from = f64::NEG_INFINITY;
    for ((label, (_, lanes)), of_node) in
        labels.iter().zip(&nodes).zip(bars.chunk_by(|a, b| a.node == b.node))
    {
        for bar in of_node {
            let (left, right) = (rows.place(bar.action.begin), rows.place(bar.action.end));
            let top = below + bar.lane as f64 * lane;
            let corner = (right.max(left + 0.5), top + lane);
            let colour = colour(&bar.action.action);
            rows.bar((left, top), corner, colour);
            rows.label((left, top), corner, colour, bar.action.vm.clone(), 6.6);
        }
        let row = *lanes as f64 * lane;
        // A label that would touch the one above is left out.
        let middle = below + row / 2.0;
        if middle - axes::LABEL * 0.5 >= free_from {
            axes::row_label(&mut rows.picture, (area.left, middle), label);
            free_from = middle + axes::LABEL * 0.6;
        }
        below += row;
        if below < area.bottom - 0.5 && lane >= 4.0 {
            rows.separate(below, Colour::GRID);
        }
    }
    // Where one pool ends and the next begins, unless their actions overlap.
    for (at, pool) in document.pools.iter().enumerate().take(document.pools.len().saturating_sub(1)) {
        let end = pool.iter().map(|action| action.end).max().unwrap_or(SimTime::ZERO);
        if document.pools[at + 1].iter().any(|action| action.begin < end) {
            continue;
        }
        let at = rows.place(end);
        rows.picture.line(vec![(at, area.top), (at, area.bottom)], Stroke::solid(Colour::INK, 1.0));
    }
    area.outline(&mut rows.picture);
    rows.finish("node", |picture, number, (x, y)| {
        picture.rectangle((x - SAMPLE * 0.35, y - 5.5), (SAMPLE * 0.7, 11.0), colour(kinds[number]));
    })
}

fn colour(kind: &str) -> Colour {
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
