//! Which rows of two results belong together.

use crate::row::{Cell, Row};
use dfrsim_model::SimSpan;
use std::collections::BTreeMap;

/// Which policies are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policies<'a> {
    /// The policy of A; all if none is given.
    pub(super) of_a: Option<&'a str>,
    /// The policy of B; the same as that of A if none is given.
    pub(super) of_b: Option<&'a str>,
}

/// Rows of A and B in pairs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pairing<'a> {
    /// In the order of A, and for each row of A in that of B.
    pub(super) pairs: Vec<(&'a Row, &'a Row)>,
    /// How many rows of A have none in B.
    pub(super) only_in_a: usize,
    /// How many rows of B have none in A.
    pub(super) only_in_b: usize,
}

impl Policies<'_> {
    fn takes_a(&self, row: &Row) -> bool {
        self.of_a.is_none_or(|policy| row.cell.policy == policy)
    }
    fn takes_b(&self, row: &Row) -> bool {
        self.of_b.or(self.of_a).is_none_or(|policy| row.cell.policy == policy)
    }
    /// Whether two rows are of the same instance and setting. What does not matter to one of the policies (a period, a
    /// rule of MCB) may be anything in the row of the other.
    fn pair(&self, a: &Row, b: &Row) -> bool {
        fn same<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
            a.zip(b).is_none_or(|(a, b)| a == b)
        }
        let (a, b) = (&a.cell, &b.cell);
        (self.of_b.is_some() || a.policy == b.policy)
            && same(a.period_s.as_ref(), b.period_s.as_ref())
            && same(a.packing.as_ref(), b.packing.as_ref())
            && same(a.drop.as_ref(), b.drop.as_ref())
            && place(a) == place(b)
    }
}

/// What all settings of an instance have in common.
fn place(cell: &Cell) -> (&str, &str, SimSpan, SimSpan) {
    (&cell.workload, &cell.instance, cell.tau_s, cell.penalty_s)
}

/// Finds the pairs.
pub(super) fn pair<'a>(a: &'a [Row], b: &'a [Row], policies: Policies<'_>) -> Pairing<'a> {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, row) in b.iter().enumerate().filter(|(_, row)| policies.takes_b(row)) {
        places.entry(place(&row.cell)).or_default().push(index);
    }
    let mut pairing = Pairing::default();
    let mut paired = vec![false; b.len()];
    for row in a.iter().filter(|row| policies.takes_a(row)) {
        let begin = pairing.pairs.len();
        let candidates = places.get(&place(&row.cell)).into_iter().flatten();
        for &index in candidates.filter(|&&index| policies.pair(row, &b[index])) {
            pairing.pairs.push((row, &b[index]));
            paired[index] = true;
        }
        pairing.only_in_a += usize::from(pairing.pairs.len() == begin);
    }
    pairing.only_in_b = places.values().flatten().filter(|&&index| !paired[index]).count();
    pairing
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::column::Columns as _;
    use crate::row::Figures;
    use proptest::prelude::*;

    /// A row with this degradation and 1 everywhere else.
    pub(in super::super) fn row(workload: &str, instance: &str, policy: &str, degradation: f64) -> Row {
        let fields = vec!["1"; Figures::COLUMNS.len()];
        let figures = Figures { degradation, ..Figures::read(fields.into_iter()).unwrap() };
        let cell = Cell {
            workload: workload.into(),
            instance: instance.into(),
            load: None,
            policy: policy.into(),
            penalty_s: SimSpan::from_secs(300),
            period_s: None,
            packing: None,
            drop: None,
            estimates: "exact".into(),
            overrun: "extend".into(),
            tau_s: SimSpan::from_secs(10),
            nodes: 1,
            jobs: 2,
            bound: 1.0,
        };
        Row { key: "0000000000000000".parse().unwrap(), cell, outcome: Ok(Box::new(figures)) }
    }

    fn any_row() -> impl Strategy<Value = Row> {
        let small = || 0_u64..3;
        let rule = || prop::option::of(prop::sample::select(vec!["x".to_owned(), "y".to_owned()]));
        (0..2_u8, 0..3_u8, prop::sample::select(vec!["P", "Q"]), small(), prop::option::of(small()), rule())
            .prop_map(|(workload, instance, policy, penalty, period, packing)| {
                let mut row = row(&workload.to_string(), &instance.to_string(), policy, 1.0);
                row.cell.penalty_s = SimSpan::from_secs(penalty);
                row.cell.period_s = period.map(SimSpan::from_secs);
                row.cell.packing = packing;
                row
            })
    }

    /// The twin: everything with everything, each condition spelt out.
    fn slow<'a>(a: &'a [Row], b: &'a [Row], policies: Policies<'_>) -> Pairing<'a> {
        let fits = |a: &Row, b: &Row| {
            let (a, b) = (&a.cell, &b.cell);
            let policy = match (policies.of_a, policies.of_b) {
                (None, None) => a.policy == b.policy,
                (Some(x), None) => a.policy == x && b.policy == x,
                (None, Some(y)) => b.policy == y,
                (Some(x), Some(y)) => a.policy == x && b.policy == y,
            };
            policy
                && a.workload == b.workload
                && a.instance == b.instance
                && a.penalty_s == b.penalty_s
                && a.tau_s == b.tau_s
                && (a.period_s.is_none() || b.period_s.is_none() || a.period_s == b.period_s)
                && (a.packing.is_none() || b.packing.is_none() || a.packing == b.packing)
                && (a.drop.is_none() || b.drop.is_none() || a.drop == b.drop)
        };
        let pairs =
            a.iter().flat_map(|a| b.iter().filter(move |b| fits(a, b)).map(move |b| (a, b))).collect();
        let mine = a.iter().filter(|row| policies.of_a.is_none_or(|policy| row.cell.policy == policy));
        let theirs = b
            .iter()
            .filter(|row| policies.of_b.or(policies.of_a).is_none_or(|policy| row.cell.policy == policy));
        Pairing {
            pairs,
            only_in_a: mine.filter(|a| !b.iter().any(|b| fits(a, b))).count(),
            only_in_b: theirs.filter(|b| !a.iter().any(|a| fits(a, b))).count(),
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_slow_twin(
            a in prop::collection::vec(any_row(), 0..30),
            b in prop::collection::vec(any_row(), 0..30),
            of_a in prop::option::of(prop::sample::select(vec!["P", "Q"])),
            of_b in prop::option::of(prop::sample::select(vec!["P", "Q"])),
        ) {
            let policies = Policies { of_a, of_b };
            prop_assert_eq!(pair(&a, &b, policies), slow(&a, &b, policies));
        }
    }
}
