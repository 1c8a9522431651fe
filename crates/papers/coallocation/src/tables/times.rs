//! Search times: table 4, figure 2 and section 4.5.

use super::with_published;
use crate::pairs::Data;
use crate::rows::SearchRow;
use crate::{COLLECTIVE, KINDS, SIMPLE, kind_name, published};
use dfrsim_lab::{NamedTable, Statistics, Table, TableLine, average};

/// Series of figure 2: a name, the kind of request, and, unless all cases count, true for those with
/// a solution or false for those without.
pub(crate) const SERIES: [(&str, &str, Option<bool>); 5] = [
    ("simple", SIMPLE, None),
    ("simple_solved", SIMPLE, Some(true)),
    ("collective", COLLECTIVE, None),
    ("collective_solved", COLLECTIVE, Some(true)),
    ("collective_unsolved", COLLECTIVE, Some(false)),
];

/// Checks that a search is of a kind and, if given, that it is solved or not.
fn is_in_series(row: &SearchRow, kind: &str, solved: Option<bool>) -> bool {
    row.kind == kind && solved.is_none_or(|solved| row.is_solved() == solved)
}

/// Computes the mean search time of each of the [`SERIES`], in milliseconds.
pub(crate) fn series_ms(data: &Data<'_>, size: usize) -> [Option<f64>; 5] {
    SERIES.map(|(_, kind, solved)| {
        average(data.search_ms(|row| row.size == size && is_in_series(row, kind, solved)))
    })
}

pub(super) fn table_4(data: &Data<'_>) -> NamedTable {
    let times = data.search_ms(|row| row.size == 5 && row.kind == COLLECTIVE);
    let statistics = Statistics::from_values(&times);
    let values = [
        ("min", times.iter().copied().reduce(f64::min)),
        ("max", statistics.map(|it| it.max)),
        ("mean", statistics.map(|it| it.mean)),
        ("deviation", statistics.and_then(|it| it.deviation)),
    ];
    let known = values.into_iter().filter(|(_, ours)| ours.is_some());
    let lines = known.map(|(name, ours)| {
        let published = published::TABLE_4.find([name]).map(|[ms]| ms);
        with_published(TableLine::new().with("statistic", name), ours, published)
    });
    let note = "In milliseconds, of phases II to V. The published column of phases I to VI (126 to 325 ms) contains what \
                another system takes and cannot be reproduced.";
    let table: Table = lines.collect();
    let title = "Table 4: search times of collective requests for 5 resources";
    NamedTable::printed("table_4", title, table.with_notes(vec![note.to_owned()]))
}

pub(super) fn figure_2(data: &Data<'_>) -> NamedTable {
    let line = |&size: &usize| {
        let all = series_ms(data, size);
        let names = SERIES.map(|(name, ..)| format!("{name}_ms"));
        all[0].map(|_| TableLine::new().with("size", size).with_all(names.into_iter().zip(all)))
    };
    NamedTable::printed(
        "figure_2",
        "Figure 2: search times",
        data.fields.sizes.iter().filter_map(line).collect(),
    )
}

/// Builds the table of phase times in section 4.5.
pub(super) fn phase_times(data: &Data<'_>) -> NamedTable {
    let mut lines = Vec::new();
    for kind in KINDS.map(kind_name) {
        for (cases, solved) in [("all", None), ("solved", Some(true)), ("not solved", Some(false))] {
            let shares = data.phase_shares(|row| is_in_series(row, kind, solved));
            let Some([second, third, fourth, fifth]) = shares else { continue };
            let both = fourth + fifth;
            let parts = [("II", second), ("III", third), ("IV and V", both), ("IV", fourth), ("V", fifth)];
            for (phases, share) in parts {
                // The published values cover all cases.
                let published = published::PHASE_SHARES.find([phases]).filter(|_| solved.is_none());
                let place = TableLine::new().with("kind", kind).with("cases", cases).with("phases", phases);
                lines.push(with_published(place, Some(share), published.map(|[share]| share)));
            }
        }
    }
    let note = "Parts of the time of all searches together. The published text gives under 1 % for phase II, about 5 % for \
                phase III, and the rest.";
    let table = lines.into_iter().collect::<Table>().with_notes(vec![note.to_owned()]);
    NamedTable::printed("phase_times", "Section 4.5: parts of the search time", table)
}
