//! Benchmarks of the simulation: `cargo bench -p dfrsim-paper-discovery`.

use dfrsim_model::{Seed, Share};
use dfrsim_paper_discovery::engine::sharing::{Competitor, Sharing};
use dfrsim_paper_discovery::engine::{Approach, Settings, Testbed, simulate};
use divan::Bencher;

fn main() {
    divan::main();
}

/// Simulates the 12 hours of the dissertation's experiment with two hogs.
#[divan::bench(args = Approach::ALL, sample_count = 20)]
fn twelve_hours(bencher: Bencher<'_, '_>, approach: &Approach) {
    let workload = Testbed { hogs: 2, ..Testbed::default() }.workload(Seed::new(1)).unwrap();
    let settings = Settings::default();
    bencher.bench(|| simulate(&workload, *approach, &settings, &mut ()));
}

/// Divides the CPU of a node among `count` machines by their weights.
#[divan::bench(args = [4, 100])]
fn weighted_shares(bencher: Bencher<'_, '_>, count: u64) {
    let competitors: Vec<Competitor> = (0..count)
        .map(|vm| Competitor { weight: 1 + (vm % 7) as u32, need: Share::from_ratio(vm * 37 % 101, 101) })
        .collect();
    let mut shares = Vec::new();
    bencher.bench_local(|| Sharing::Weights.share(&competitors, Share::ONE, &mut shares));
}
