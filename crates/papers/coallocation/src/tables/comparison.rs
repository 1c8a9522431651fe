//! Table 2: collective compared with simple requests. Table 3: both compared with the optimum.

use crate::pairs::{COUNTS, Data, OPTIMUM_COLUMNS, Pair, compare_with_optimum, count_solvable};
use crate::published::{CASES, TABLE_2, TABLE_3};
use crate::scenario::CoallocationFields;
use crate::{COLLECTIVE, SIMPLE};
use dfrsim_coallocation::planetlab::SIZES;
use dfrsim_lab::{Estimate, NamedTable, Table, TableLine};

const RATIO: &str = "Counts are of test cases. Their ratio is that of the shares: ours of `cases`, published of \
                     `published_cases`.";

/// Adds our mean and its interval, the published value and the ratio. Counts also have the numbers
/// of cases, ours and published.
fn line(
    names: TableLine,
    ours: Option<Estimate>,
    published: Option<f64>,
    cases: Option<(usize, usize)>,
) -> TableLine {
    let scale = cases.map_or(1.0, |(cases, published)| published as f64 / cases as f64);
    let ratio = ours.zip(published).filter(|(_, published)| *published != 0.0);
    let (low, high) = ours.and_then(|ours| ours.interval).unzip();
    names
        .with("cases", cases.map(|it| it.0))
        .with("ours", ours.map(|ours| ours.value))
        .with("low", low)
        .with("high", high)
        .with("published_cases", cases.filter(|_| published.is_some()).map(|it| it.1))
        .with("published", published)
        .with("ratio", ratio.map(|(ours, published)| ours.value * scale / published))
}

/// Checks that there are as many test cases as published, of a size or of all sizes together.
fn has_published_cases(fields: &CoallocationFields, size: Option<usize>) -> bool {
    fields.cases as usize == CASES && (size.is_some() || fields.sizes == SIZES)
}

/// Builds table 2 with means over the grids. The Markdown has a column for each count.
pub(super) fn table_2(data: &Data<'_>) -> NamedTable {
    let counts = |pairs: &[Vec<Pair<'_>>]| -> [Option<Estimate>; 6] {
        std::array::from_fn(|place| {
            let count =
                |pairs: &Vec<Pair<'_>>| pairs.iter().filter(|pair| pair.counts()[place]).count() as f64;
            data.mean(pairs.iter().map(|pairs| Some(count(pairs))))
        })
    };
    let sizes = data.fields.sizes.iter().map(|&size| (Some(size), size.to_string()));
    let sizes: Vec<(Option<usize>, String)> = sizes.chain([(None, "all".to_owned())]).collect();
    let of_size = data.fields.cases as usize;
    let (mut lines, mut summary) = (Vec::new(), Vec::new());
    for (size, name) in &sizes {
        let ours = counts(&data.pairs(*size));
        let published = TABLE_2.find::<1, 6>([name]).filter(|_| has_published_cases(data.fields, *size));
        let cases = if size.is_some() {
            (of_size, CASES)
        } else {
            (of_size * data.fields.sizes.len(), CASES * SIZES.len())
        };
        for (place, count) in COUNTS.into_iter().enumerate() {
            let names = TableLine::new().with("size", name.as_str()).with("count", count);
            lines.push(line(names, ours[place], published.map(|it| it[place]), Some(cases)));
        }
        let names = TableLine::new().with("from", "ours").with("size", name.as_str());
        let ours = ours.map(|ours| ours.map(|ours| ours.value));
        summary.push(names.with_all(COUNTS.into_iter().zip(ours)));
    }
    for (size, name) in &sizes {
        let names = TableLine::new().with("from", "published").with("size", name.as_str());
        let counts = TABLE_2.find::<1, 6>([name]).filter(|_| has_published_cases(data.fields, *size));
        summary.extend(counts.map(|counts| names.with_all(COUNTS.into_iter().zip(counts))));
    }
    let short: Table = summary.into_iter().collect();
    let note = match data.fields.cases as usize {
        CASES => format!("Of {CASES} test cases of each size."),
        cases => {
            format!("Of {cases} test cases of each size; published counts are of {CASES} and not comparable.")
        }
    };
    if data.fields.sizes.is_empty() {
        lines.clear();
    }
    let table = lines.into_iter().collect::<Table>().with_notes(vec![RATIO.to_owned()]);
    NamedTable::printed("table_2", "Table 2: collective beside simple requests", table)
        .with_summary(short.with_notes(vec![note]))
}

pub(super) fn table_3(data: &Data<'_>) -> NamedTable {
    let sizes = data.fields.sizes.iter().filter(|size| data.fields.optimum.contains(size));
    let mut lines = Vec::new();
    for &size in sizes {
        let pairs = data.pairs(Some(size));
        let cases = (data.fields.cases as usize, CASES);
        let mut push = |kind: &str, place: usize, ours: Option<Estimate>, published: Option<[f64; 5]>| {
            let name = OPTIMUM_COLUMNS[place];
            let is_count = !matches!(name, "mean_delay_h" | "factor_of_optimum");
            let names = TableLine::new().with("size", size);
            let names = names.with("kind", kind).with("metric", name);
            // The published table is for 5 nodes, and its counts are for a fixed number of test
            // cases.
            let is_comparable = !is_count || has_published_cases(data.fields, Some(size));
            let published = published.filter(|_| size == 5 && is_comparable).map(|it| it[place]);
            lines.push(line(names, ours, published, is_count.then_some(cases)));
        };
        let all = data.mean(pairs.iter().map(|pairs| Some(count_solvable(pairs))));
        push("optimum", 0, all, TABLE_3.find([COLLECTIVE]));
        for kind in [COLLECTIVE, SIMPLE] {
            for place in 0..OPTIMUM_COLUMNS.len() {
                let estimate = data.mean(pairs.iter().map(|pairs| compare_with_optimum(pairs, kind)[place]));
                push(kind, place, estimate, TABLE_3.find([kind]));
            }
        }
    }
    let table = lines.into_iter().collect::<Table>().with_notes(vec![RATIO.to_owned()]);
    NamedTable::printed("table_3", "Table 3: both beside the optimum", table)
}
