//! Benchmarks of the event queue: cost per event with few and with many scheduled events.

use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Seed, SimTime};
use rand::RngExt as _;

fn main() {
    divan::main();
}

/// Moves every slot's event once, then takes the first one: the load of a fractional decision, which
/// changes the completion time of all running jobs.
#[divan::bench(args = [10, 100, 1000])]
fn move_all_then_take_one(bencher: divan::Bencher, slots: u32) {
    let mut rng = Seed::new(1).fork("bench").rng();
    let times: Vec<u64> = (0..slots).map(|_| rng.random_range(0..1_000_000)).collect();
    bencher.counter(slots).with_inputs(EventQueue::new).bench_local_refs(|queue| {
        for round in 0..2u64 {
            for slot in 0..slots {
                let time = times[((slot as usize) + round as usize) % times.len()];
                let key = EventKey::new(SimTime::from_micros(time), Rank::Completion, u64::from(slot));
                queue.schedule(Slot(slot), key);
            }
        }
        queue.pop()
    });
}
