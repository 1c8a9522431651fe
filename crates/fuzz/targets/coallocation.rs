//! Resources, their timetables, and collective requests: what is read is written as the same, and what can be asked is answered.
#![no_main]

use dfrsim_coallocation::file::{Resources, Window, request, reservation_lines, reservations};
use dfrsim_coallocation::{Coallocator, Grid};
use dfrsim_model::{Seed, SimSpan, SimTime};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static NODES: LazyLock<Resources> = LazyLock::new(|| {
    Resources::parse("nodes.csv", include_str!("../seeds/coallocation/nodes.csv")).expect("they are")
});

fuzz_target!(|text: &str| {
    if let Ok(resources) = Resources::parse("nodes.csv", text) {
        let again = Resources::parse("again.csv", &resources.to_csv()).expect("what was written is read");
        assert_eq!(again, resources);
        let _ = Grid::new(resources.resources);
    }
    if let Ok(taken) = reservations("timetables.csv", text, &NODES) {
        let lines = reservation_lines(&NODES, &taken, true);
        assert_eq!(reservations("again.csv", &lines, &NODES).expect("what was written is read"), taken);
        let _ = Grid::with_reservations(NODES.resources.clone(), &taken);
    }
    let window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(86_400) };
    if let Ok(request) = request("request.toml", text, &NODES, window) {
        let grid = Grid::new(NODES.resources.clone()).expect("nodes");
        if grid.check_request(&request).is_ok() {
            let _ = Coallocator::default().search(&grid, &request, Seed::new(1));
        }
    }
});
