//! Pairing of the rows of two results.

use super::LeftOut;
use super::selection::SelectedVariants;
use crate::column::{Column, Kind, Role};
use crate::data::DataFrame;
use crate::groups::by_codes;
use crate::text::csv::ReadFile;
use rustc_hash::FxHashMap;

/// Paired rows of A and B.
pub(super) struct Pairing {
    /// Pairs in the order of A, and for each row of A in the order of B.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Codes of A by column and row. Equal codes stand for equal values.
    pub(super) codes_a: Codes,
    /// Codes of B by column and row. Equal codes stand for equal values in A and B.
    pub(super) codes_b: Codes,
    /// Counts of the rows and pairs that were left out. Pairs with failed runs are kept.
    pub(super) left_out: LeftOut,
}

/// Codes by column and row; empty for columns that are not compared.
pub(super) type Codes = Vec<Vec<u64>>;

/// Code of a missing value; it cannot be a regular number, as these bits are a NaN.
const MISSING: u64 = u64::MAX;

/// Distinct texts of one column of both results, with their numbers.
#[derive(Default)]
struct Names(FxHashMap<String, u64>);

impl Names {
    fn code(&mut self, kind: Kind, text: &str) -> u64 {
        let next = self.0.len() as u64;
        match (kind, text) {
            (_, "") => MISSING,
            (Kind::Integer | Kind::Number, _) if text.parse::<f64>().is_ok() => {
                text.parse().map_or(MISSING, f64::to_bits)
            }
            _ => *self.0.entry(text.to_owned()).or_insert(next),
        }
    }
    fn column(&mut self, frame: &DataFrame, column: usize) -> Vec<u64> {
        let mut known = FxHashMap::default();
        let kind = frame.columns()[column].kind;
        let mut code = |row| {
            let own = frame.code(row, column);
            *known.entry(own).or_insert_with(|| self.code(kind, &frame.text(row, column)))
        };
        (0..frame.len()).map(&mut code).collect()
    }
}

/// Returns the codes of a row in these columns.
fn codes(of: &Codes, columns: &[usize], row: usize) -> Vec<u64> {
    columns.iter().map(|&column| of[column][row]).collect()
}

/// Pairs rows with equal labels and instances, and with equal variants except for the columns in
/// which B was selected separately from A.
///
/// If there are such columns, a value that one side lacks (a period, a packing rule) matches any
/// value of the other side, unless the other side also has a row without it.
pub(super) fn pair(
    (a, instances_a): (&DataFrame, &ReadFile),
    (b, instances_b): (&DataFrame, &ReadFile),
    sides: &SelectedVariants,
) -> Pairing {
    let mut names: Vec<Names> = a.columns().iter().map(|_| Names::default()).collect();
    let places = a.with_role(&[Role::Label, Role::Instance]);
    let all: Vec<usize> = places.iter().copied().chain(a.with_role(&[Role::Variant])).collect();
    let (mut codes_a, mut codes_b) = (vec![Vec::new(); names.len()], vec![Vec::new(); names.len()]);
    for &column in &all {
        codes_a[column] = names[column].column(a, column);
        codes_b[column] = names[column].column(b, column);
    }
    let rows_a: Vec<usize> = (0..a.len()).filter(|&row| sides.selects_a(a, row)).collect();
    let rows_b: Vec<usize> = (0..b.len()).filter(|&row| sides.selects_b(b, row)).collect();
    let (rows_a, repeated_a) = unique(&codes_a, &all, &rows_a);
    let (rows_b, repeated_b) = unique(&codes_b, &all, &rows_b);
    let mut variants = a.with_role(&[Role::Variant]);
    variants.retain(|column| sides.with.iter().all(|selection| selection.column != *column));
    let mut of_b: FxHashMap<Vec<u64>, Vec<usize>> = FxHashMap::default();
    for row in rows_b {
        of_b.entry(codes(&codes_b, &places, row)).or_default().push(row);
    }
    let agree = |row: usize, other: usize, is_exact: bool| {
        variants.iter().all(|&column| {
            let (a, b) = (codes_a[column][row], codes_b[column][other]);
            a == b || (!is_exact && (a == MISSING || b == MISSING))
        })
    };
    let known = places.iter().copied().filter(|&column| {
        let name = a.columns()[column].name;
        [instances_a, instances_b].iter().all(|file| file.header.iter().any(|each| each == name))
    });
    let known: Vec<usize> = known.collect();
    let digests_a = digests(a, instances_a, &known, &mut names);
    let digests_b = digests(b, instances_b, &known, &mut names);

    let repeated = repeated_a + repeated_b;
    let (mut pairs, mut left_out) = (Vec::new(), LeftOut { repeated, ..LeftOut::default() });
    let mut is_paired = vec![false; b.len()];
    for row in rows_a {
        let candidates = of_b.get(&codes(&codes_a, &places, row)).map_or(&[][..], Vec::as_slice);
        let agreeing =
            |is_exact| candidates.iter().copied().filter(move |&other| agree(row, other, is_exact));
        let mut found: Vec<usize> = agreeing(true).collect();
        if found.is_empty() && !sides.with.is_empty() {
            found = agreeing(false).collect();
        }
        left_out.only_in_a += usize::from(found.is_empty());
        found.iter().for_each(|&other| is_paired[other] = true);
        let instance = codes(&codes_a, &known, row);
        if digests_a.get(&instance) == digests_b.get(&instance) {
            pairs.extend(found.into_iter().map(|other| (row, other)));
        } else {
            left_out.other_instances += found.len();
        }
    }
    left_out.only_in_b = of_b.values().flatten().filter(|&&row| !is_paired[row]).count();
    Pairing { pairs, codes_a, codes_b, left_out }
}

/// Returns the rows that are unique in these columns, and the number of rows that are not.
fn unique(of: &Codes, columns: &[usize], rows: &[usize]) -> (Vec<usize>, usize) {
    let groups = by_codes(rows, &|row| codes(of, columns, row));
    let repeated = groups.iter().filter(|group| group.len() > 1).map(Vec::len).sum();
    (groups.into_iter().filter(|group| group.len() == 1).flatten().collect(), repeated)
}

/// Collects the digests of prepared instances, by the codes of these columns.
fn digests<'f>(
    frame: &DataFrame,
    file: &'f ReadFile,
    columns: &[usize],
    names: &mut [Names],
) -> FxHashMap<Vec<u64>, Vec<&'f str>> {
    let place = |name: &str| file.header.iter().position(|each| each == name);
    let mut digests: FxHashMap<Vec<u64>, Vec<&str>> = FxHashMap::default();
    let Some(sha256) = place("sha256") else { return digests };
    for line in &file.lines {
        let code = |&column: &usize| {
            let Column { name, kind, .. } = frame.columns()[column];
            let text = place(name).and_then(|place| line.get(place)).map_or("", String::as_str);
            names[column].code(kind, text)
        };
        let key = columns.iter().map(code).collect();
        digests.entry(key).or_default().push(line.get(sha256).map_or("", String::as_str));
    }
    digests
}

#[cfg(test)]
mod tests {
    use super::super::CompareOptions;
    use super::*;
    use crate::column::{Better, RowType};
    use crate::record::Status;
    use proptest::prelude::*;
    use std::path::Path;

    const fn column(name: &'static str, kind: Kind, role: Role) -> Column {
        Column { name, kind, is_optional: true, role, unit: "", doc: "" }
    }
    static ROWS: RowType = RowType {
        name: "",
        columns: &[
            column("workload", Kind::Text, Role::Label),
            column("number", Kind::Integer, Role::Instance),
            column("policy", Kind::Text, Role::Variant),
            column("period", Kind::Number, Role::Variant),
            column("value", Kind::Number, Role::Primary(Better::Less)),
        ],
    };

    type TestRow = (&'static str, u8, &'static str, Option<u8>);

    fn frame(rows: &[TestRow]) -> DataFrame {
        let mut frame = DataFrame::new(&ROWS);
        for (workload, number, policy, period) in rows {
            let (number, period) = (number.to_string(), period.map(|it| it.to_string()).unwrap_or_default());
            let fields = [*workload, &number, policy, &period, "1"];
            assert!(frame.push(Status::Ok, "", fields.into_iter()));
        }
        frame
    }

    /// Pairs rows by a direct implementation of every condition, as a reference.
    fn slow(a: &[TestRow], b: &[TestRow], of_a: Option<&str>, of_b: Option<&str>) -> Vec<(usize, usize)> {
        let fits = |a: &TestRow, b: &TestRow, is_exact: bool| {
            let policy = match (of_a, of_b) {
                (None, None) => a.2 == b.2,
                (Some(x), None) => a.2 == x && b.2 == x,
                (None, Some(y)) => b.2 == y,
                (Some(x), Some(y)) => a.2 == x && b.2 == y,
            };
            let period = a.3 == b.3 || (!is_exact && (a.3.is_none() || b.3.is_none()));
            policy && a.0 == b.0 && a.1 == b.1 && period
        };
        let is_only =
            |rows: &[TestRow], row: &TestRow| rows.iter().filter(|other| *other == row).count() == 1;
        let mut pairs = Vec::new();
        for (row, a) in a.iter().enumerate().filter(|(_, row)| is_only(a, row)) {
            let found = |is_exact| -> Vec<(usize, usize)> {
                let others =
                    b.iter().enumerate().filter(|(_, row)| is_only(b, row) && fits(a, row, is_exact));
                others.map(|(other, _)| (row, other)).collect()
            };
            let exact = found(true);
            pairs.extend(if exact.is_empty() && of_b.is_some() { found(false) } else { exact });
        }
        pairs
    }

    fn rows() -> impl Strategy<Value = Vec<TestRow>> {
        let row = (
            prop::sample::select(vec!["v", "w"]),
            0..3_u8,
            prop::sample::select(vec!["P", "Q"]),
            prop::option::of(0..3_u8),
        );
        prop::collection::vec(row, 0..30)
    }

    proptest! {
        #[test]
        fn agrees_with_the_slow_twin(
            a in rows(),
            b in rows(),
            of_a in prop::option::of(prop::sample::select(vec!["P", "Q"])),
            of_b in prop::option::of(prop::sample::select(vec!["P", "Q"])),
        ) {
            let one = |text: Option<&str>| text.map(str::to_owned).into_iter().collect();
            let options = CompareOptions { variant: one(of_a), with: one(of_b), ..CompareOptions::default() };
            let (frame_a, frame_b) = (frame(&a), frame(&b));
            let folder = Path::new("results");
            // A value that occurs in neither result is covered by another test.
            let Ok(sides) = SelectedVariants::new((&frame_a, folder), (&frame_b, folder), &options) else { return Ok(()) };
            let none = ReadFile { name: String::new(), header: Vec::new(), lines: Vec::new() };
            let pairing = pair((&frame_a, &none), (&frame_b, &none), &sides);
            prop_assert_eq!(&pairing.pairs, &slow(&a, &b, of_a, of_b));
            let is_only = |row: &&TestRow| a.iter().filter(|other| other == row).count() == 1;
            let taken = a.iter().filter(|row| of_a.is_none_or(|policy| row.2 == policy)).filter(is_only).count();
            let paired: std::collections::BTreeSet<usize> = pairing.pairs.iter().map(|pair| pair.0).collect();
            prop_assert_eq!(pairing.left_out.only_in_a, taken - paired.len());
        }
    }
}
