//! What is solved at each level of use, where searches end, the parameter study of section 4.3, and streams.

use super::{interval, text};
use crate::pairs::{Data, Pair, average, share};
use crate::rows::{SearchRow, StreamRow};
use crate::study::Setting;
use crate::{KINDS, kind_name};
use dfrsim_lab::{Cell, NamedTable, Table};

pub(super) fn usage(data: &Data<'_>) -> NamedTable {
    let line = |&usage: &f64| {
        let grids = data.pairs(usage, None);
        let all = grids.concat();
        let earlier = share(all.iter().filter(|pair| pair.both_solved()), Pair::starts_earlier);
        let hours = average(all.iter().filter_map(Pair::hours_earlier).filter(|&hours| hours > 0.0));
        let gain = average(all.iter().filter_map(Pair::gain)).map(|gain| 100.0 * gain);
        let mut line = vec![Cell::Number(usage)];
        for kind in KINDS.map(kind_name) {
            let solved = |pairs: &Vec<Pair<'_>>| share(pairs, |pair| pair.search(kind).is_solved());
            line.extend(interval(data.mean(grids.iter().map(solved))));
        }
        line.extend([earlier, hours, gain].map(Cell::optional));
        line
    };
    let lines = if data.fields.sizes.is_empty() { &[][..] } else { &data.fields.usage };
    let header = [
        "usage",
        "simple",
        "simple_low",
        "simple_high",
        "collective",
        "collective_low",
        "collective_high",
        "earlier",
        "hours_earlier",
        "gain_percent",
    ];
    let note = "Parts of all cases; earlier starts are parts of the cases that both solve.";
    let table = Table::new(header, lines.iter().map(line).collect()).with_notes(vec![note.to_owned()]);
    NamedTable::printed("usage", "Solved by level of use, which is assumed", table)
}

/// Where searches without a solution ended.
pub(super) fn phases(data: &Data<'_>) -> NamedTable {
    let mut lines = Vec::new();
    for &usage in &data.fields.usage {
        for kind in KINDS.map(kind_name) {
            for &size in &data.fields.sizes {
                let is_one = |row: &&&SearchRow| row.usage == usage && row.kind == kind && row.size == size;
                let sum = |value: fn(&SearchRow) -> usize| -> usize {
                    data.searches.iter().filter(is_one).map(|row| value(row)).sum()
                };
                let (searches, solved) = (sum(|row| row.searches), sum(|row| row.solved));
                let (first, second) = (sum(|row| row.without_nodes), sum(|row| row.without_totals));
                let counts = [size, searches, solved, first, second, searches - solved - first - second];
                lines.push(
                    [Cell::Number(usage), text(kind)].into_iter().chain(counts.map(Cell::Count)).collect(),
                );
            }
        }
    }
    let header = ["usage", "kind", "size", "searches", "solved", "phase_1", "phase_2", "phase_4"];
    NamedTable::new("phases", "Where searches without a solution ended", Table::new(header, lines))
}

pub(super) fn parameters(data: &Data<'_>) -> NamedTable {
    let line = |Setting { parameter, value }: Setting| {
        let all: Vec<&SearchRow> = data.setting(parameter, value).collect();
        let of_grid = |grid: u32| {
            let rows = all.iter().filter(|row| row.replication == grid);
            average(rows.map(|row| row.solved as f64 / row.searches as f64))
        };
        let solved = all.iter().filter(|row| row.is_solved());
        let unsolved = all.iter().filter(|row| row.solved == 0);
        let mut line = vec![text(parameter), Cell::Count(value), Cell::Count(all.len())];
        line.extend(interval(data.mean(data.grids().map(of_grid))));
        line.extend(
            [
                average(solved.filter_map(|row| row.utilisation_factor)),
                average(all.iter().filter_map(|row| row.search_ms)),
                average(unsolved.filter_map(|row| row.search_ms)),
            ]
            .map(Cell::optional),
        );
        line
    };
    let header = [
        "parameter",
        "value",
        "cases",
        "solved",
        "solved_low",
        "solved_high",
        "utilisation_factor",
        "search_ms",
        "unsolved_ms",
    ];
    let settings = data.fields.variations.iter().flat_map(Setting::all);
    let table = Table::new(header, settings.map(line).collect());
    NamedTable::printed("parameters", "Section 4.3: one parameter varied at a time", table)
}

pub(super) fn stream(data: &Data<'_>) -> NamedTable {
    let mut lines = Vec::new();
    for &usage in data.fields.stream.iter().flat_map(|_| &data.fields.usage) {
        for kind in KINDS.map(kind_name) {
            let is_one = |row: &&&StreamRow| row.usage == usage && row.kind == kind;
            let of = |value: fn(&StreamRow) -> Option<f64>| {
                interval(data.mean(data.streams.iter().filter(is_one).map(|row| value(row))))
            };
            let requests = data.streams.iter().filter(is_one).map(|row| row.requests).sum();
            let mut line = vec![Cell::Number(usage), text(kind), Cell::Count(requests)];
            line.extend(of(|row| Some(row.accepted as f64 / row.requests.max(1) as f64)));
            line.extend(of(|row| row.mean_wait_s.map(|seconds| seconds / 3_600.0)));
            line.extend(of(|row| Some(row.utilisation)));
            lines.push(line);
        }
    }
    let header = [
        "usage",
        "kind",
        "requests",
        "accepted",
        "accepted_low",
        "accepted_high",
        "wait_h",
        "wait_h_low",
        "wait_h_high",
        "utilisation",
        "utilisation_low",
        "utilisation_high",
    ];
    let note = "Utilisation is that by the jobs, beside the use that is there.";
    let table = Table::new(header, lines).with_notes(vec![note.to_owned()]);
    NamedTable::printed("stream", "A stream of requests", table)
}
