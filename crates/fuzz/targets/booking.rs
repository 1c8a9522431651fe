//! Nodes with their timetables and a collective request, built and not read: what is answered passes the checker, and what is
//! committed is read again.
#![no_main]

use arbitrary::Arbitrary;
use dfrsim_coallocation::Coallocator;
use dfrsim_coallocation::check::check_allocation;
use dfrsim_coallocation::file::{
    Resources, Window, check_request, grid, request, reservation_lines, reservations,
};
use dfrsim_model::coallocation::Reservation;
use dfrsim_model::{Seed, SimSpan, SimTime};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Problem {
    nodes: Vec<(u8, u8)>,
    taken: Vec<(u8, u8, u8, u8, u8)>,
    duration: u16,
    resources: u8,
    earliest: u16,
    latest: u16,
    minimum: Option<u8>,
    total: Option<u8>,
    seed: u64,
}

fuzz_target!(|problem: Problem| {
    let mut text = "node,cores,ghz\n".to_owned();
    for (at, (cores, ghz)) in problem.nodes.iter().take(6).enumerate() {
        text += &format!("n{at},{cores},{}.5\n", ghz % 8);
    }
    let Ok(resources) = Resources::parse("nodes.csv", &text) else { return };
    let mut table = "node,from,until,cores,ghz\n".to_owned();
    for (node, from, span, cores, ghz) in problem.taken.iter().take(12) {
        let (node, from) = (usize::from(*node) % problem.nodes.len().clamp(1, 6), u32::from(*from) * 600);
        table += &format!("n{node},{from},{},{},{}\n", from + u32::from(*span) * 60, cores % 4, ghz % 3);
    }
    let Ok(taken) = reservations("timetables.csv", &table, &resources) else { return };
    let Ok(grid) = grid("timetables.csv", &resources, &taken) else { return };
    let mut asked = format!(
        "duration = {}\nresources = {}\nearliest = {}\nlatest = {}\n",
        problem.duration,
        problem.resources % 8,
        problem.earliest,
        u32::from(problem.earliest) + u32::from(problem.latest) * 4
    );
    if let Some(minimum) = problem.minimum {
        asked += &format!("minimum = {{ cores = {} }}\n", minimum % 8);
    }
    if let Some(total) = problem.total {
        asked += &format!("total = {{ cores = {total} }}\n");
    }
    let window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(86_400) };
    let Ok(request) = request("request.toml", &asked, &resources, window) else { return };
    if check_request("request.toml", &grid, &resources, &request).is_err() {
        return;
    }
    if let Ok(found) = Coallocator::default().search(&grid, &request, Seed::new(problem.seed)) {
        let faults = check_allocation(&resources.resources, &taken, &request, &found.allocation);
        assert!(faults.is_empty(), "{}\n{text}{table}{asked}", faults[0]);
        table += &reservation_lines(&resources, &found.allocation.reservations, false);
        let committed = reservations("again.csv", &table, &resources).expect("what was committed is read");
        assert!(grid_of(&resources, &committed), "no node is booked twice");
    }
});

fn grid_of(resources: &Resources, reserved: &[Reservation]) -> bool {
    grid("again.csv", resources, reserved).is_ok()
}
