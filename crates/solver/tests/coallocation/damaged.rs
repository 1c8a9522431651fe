//! Tests damaged files: they are read, or rejected with their name, and what is read is written back
//! unchanged.

#[path = "../../../fuzz/damage.rs"]
mod damage;

use damage::damage;
use dfrsim_coallocation::file::{Resources, Window, request, reservation_lines, reservations};
use dfrsim_coallocation::{Coallocator, Grid};
use dfrsim_model::{Seed, SimSpan, SimTime};
use proptest::prelude::*;

const NODES: &str = include_str!("../../../fuzz/seeds/coallocation/nodes.csv");
const TIMETABLES: &str = include_str!("../../../fuzz/seeds/coallocation/timetables.csv");
const REQUEST: &str = include_str!("../../../fuzz/seeds/coallocation/request.toml");
const WINDOW: Window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(86_400) };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    #[test]
    fn resources(text in damage().prop_map(|it| it.of_text(NODES))) {
        match Resources::parse("nodes.csv", &text) {
            Ok(resources) => {
                prop_assert_eq!(&Resources::parse("again.csv", &resources.to_csv()).unwrap(), &resources);
                let _ = Grid::new(resources.resources);
            }
            Err(error) => prop_assert!(error.to_string().starts_with("nodes.csv"), "{}", error),
        }
    }

    #[test]
    fn timetables(text in damage().prop_map(|it| it.of_text(TIMETABLES))) {
        let nodes = Resources::parse("nodes.csv", NODES).unwrap();
        match reservations("timetables.csv", &text, &nodes) {
            Ok(taken) => {
                let lines = reservation_lines(&nodes, &taken, true);
                prop_assert_eq!(&reservations("again.csv", &lines, &nodes).unwrap(), &taken);
                let _ = Grid::with_reservations(nodes.resources, &taken);
            }
            Err(error) => prop_assert!(error.to_string().starts_with("timetables.csv"), "{}", error),
        }
    }

    #[test]
    fn requests(text in damage().prop_map(|it| it.of_text(REQUEST))) {
        let nodes = Resources::parse("nodes.csv", NODES).unwrap();
        match request("request.toml", &text, &nodes, WINDOW) {
            Ok(request) => {
                let grid = Grid::new(nodes.resources).unwrap();
                if grid.check_request(&request).is_ok() {
                    let _ = Coallocator::default().search(&grid, &request, Seed::new(1));
                }
            }
            Err(error) => prop_assert!(error.to_string().starts_with("request.toml"), "{}", error),
        }
    }
}

/// Reads the undamaged files from which the strategies above start.
#[test]
fn undamaged_files_are_read() {
    let nodes = Resources::parse("nodes.csv", NODES).unwrap();
    assert!(reservations("timetables.csv", TIMETABLES, &nodes).is_ok());
    assert!(request("request.toml", REQUEST, &nodes, WINDOW).is_ok());
}
