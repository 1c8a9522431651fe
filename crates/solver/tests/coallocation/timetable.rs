//! Tests the timetable against a list of reservations.

use dfrsim_coallocation::{Grid, Timetable};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{Reservation, Resource};
use proptest::prelude::*;

/// Creates a resource with two properties that are never scarce.
fn endless() -> Vec<Resource> {
    vec![Resource { capacity: [1_000_000, 1_000_000].into(), labels: [].into() }]
}

fn part(from: u64, until: u64, amounts: [u64; 2]) -> Reservation {
    let (from, until) = (SimTime::from_secs(from), SimTime::from_secs(until));
    Reservation { resource: 0, from, until, amounts: amounts.into() }
}

fn reservations() -> impl Strategy<Value = Vec<Reservation>> {
    let one = (0..400_u64, 1..60_u64, [0..9_u64, 0..9_u64])
        .prop_map(|(from, length, amounts)| part(from, from + length, amounts));
    prop::collection::vec(one, 0..300)
}

/// Returns the maximum reserved amount by definition: it is reached at `from` or at the start of a
/// reservation.
fn maximum(reserved: &[Reservation], property: usize, from: SimTime, until: SimTime) -> u64 {
    let at = |time: SimTime| -> u64 {
        let holds = |it: &&Reservation| it.from <= time && time < it.until;
        reserved.iter().filter(holds).map(|it| it.amounts[property]).sum()
    };
    let begins = reserved.iter().map(|it| it.from).filter(|&begin| from < begin && begin < until);
    if from >= until { 0 } else { begins.map(at).fold(at(from), u64::max) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_largest_amount_over_a_window_is_found(
        reserved in reservations(),
        windows in prop::collection::vec((0..480_u64, 0..200_u64), 40),
    ) {
        let at_once = Timetable::with_reservations(2, &reserved);
        let mut one_by_one = Grid::new(endless()).unwrap();
        for each in &reserved {
            one_by_one.reserve(std::slice::from_ref(each)).unwrap();
        }
        for (from, length) in windows {
            let (from, until) = (SimTime::from_secs(from), SimTime::from_secs(from + length));
            for property in 0..2 {
                let expected = maximum(&reserved, property, from, until);
                prop_assert_eq!(at_once.maximum(property, from, until), expected);
                prop_assert_eq!(one_by_one.timetable(0).maximum(property, from, until), expected);
                let next = SimTime::from_micros(from.micros() + 1);
                prop_assert_eq!(at_once.at(property, from), maximum(&reserved, property, from, next));
            }
        }
    }
}

/// Intervals are half-open: 3 until just before 5 s, then 4.
#[test]
fn what_ends_makes_room_for_what_begins() {
    let timetable = Timetable::with_reservations(2, &[part(0, 5, [3, 0]), part(5, 9, [4, 1])]);
    let at = |seconds| timetable.at(0, SimTime::from_secs(seconds));
    assert_eq!([at(0), at(4), at(5), at(8), at(9)], [3, 3, 4, 4, 0]);
    assert_eq!(timetable.maximum(0, SimTime::ZERO, SimTime::from_secs(5)), 3);
    assert_eq!(timetable.maximum(0, SimTime::ZERO, SimTime::from_micros(5_000_001)), 4);
    assert_eq!(timetable.steps(), 3);
}
