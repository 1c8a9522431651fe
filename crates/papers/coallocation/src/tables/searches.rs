//! Phases in which searches end, the parameter study of section 4.3, and streams.

use crate::pairs::Data;
use crate::rows::{SearchRow, StreamRow};
use crate::setting::Setting;
use crate::{KINDS, kind_name};
use dfrsim_lab::{NamedTable, Table, TableLine, average};

/// Builds the table of the phases in which searches without a solution ended.
pub(super) fn phases(data: &Data<'_>) -> NamedTable {
    let line = |(kind, size): (&str, usize)| {
        let is_one = |row: &&&SearchRow| row.kind == kind && row.size == size;
        let sum = |value: fn(&SearchRow) -> usize| -> usize {
            data.searches.iter().filter(is_one).map(|row| value(row)).sum()
        };
        let (searches, solved) = (sum(|row| row.searches), sum(|row| row.solved));
        let (first, second) = (sum(|row| row.without_nodes), sum(|row| row.without_totals));
        TableLine::new()
            .with("kind", kind)
            .with("size", size)
            .with("searches", searches)
            .with("solved", solved)
            .with("phase_1", first)
            .with("phase_2", second)
            .with("phase_4", searches - solved - first - second)
    };
    let kinds = KINDS.map(kind_name).into_iter();
    let sizes = kinds.flat_map(|kind| data.fields.sizes.iter().map(move |&size| (kind, size)));
    NamedTable::new("phases", "Where searches without a solution ended", sizes.map(line).collect())
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
        TableLine::new()
            .with("parameter", parameter)
            .with("value", value)
            .with("cases", all.len())
            .with_estimate("solved", data.mean(data.grids().map(of_grid)))
            .with("utilisation_factor", average(solved.filter_map(|row| row.utilisation_factor)))
            .with("search_ms", average(all.iter().filter_map(|row| row.search_ms)))
            .with("unsolved_ms", average(unsolved.filter_map(|row| row.search_ms)))
    };
    let settings = data.fields.variations.iter().flat_map(Setting::all);
    let table = settings.map(line).collect();
    NamedTable::printed("parameters", "Section 4.3: one parameter varied at a time", table)
}

pub(super) fn stream(data: &Data<'_>) -> NamedTable {
    let line = |kind: &str| {
        let is_one = |row: &&&StreamRow| row.kind == kind;
        let of = |value: fn(&StreamRow) -> Option<f64>| {
            data.mean(data.streams.iter().filter(is_one).map(|row| value(row)))
        };
        let requests: usize = data.streams.iter().filter(is_one).map(|row| row.requests).sum();
        TableLine::new()
            .with("kind", kind)
            .with("requests", requests)
            .with_estimate("accepted", of(|row| Some(row.accepted as f64 / row.requests.max(1) as f64)))
            .with_estimate("wait_h", of(|row| row.mean_wait_s.map(|seconds| seconds / 3_600.0)))
            .with_estimate("utilisation", of(|row| Some(row.utilisation)))
    };
    let kinds = KINDS.map(kind_name).into_iter().filter(|_| data.fields.stream.is_some());
    let note = "Utilisation is that by the jobs, beside the use that is there.";
    let table = kinds.map(line).collect::<Table>().with_notes(vec![note.to_owned()]);
    NamedTable::printed("stream", "A stream of requests", table)
}
