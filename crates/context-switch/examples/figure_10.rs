//! Costs of plans of first-fit decreasing and of the optimiser, on random configurations.

use dfrsim_context_switch::workload::{Sample, SampleShape};
use dfrsim_context_switch::*;
use dfrsim_model::Seed;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<u32> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (nodes, sizes, samples, ms) = (args[0], &args[3..], args[1], args[2]);
    for &vms in sizes {
        let (mut red, mut gap, mut gmax, mut prov) = (0.0, 0.0, 0.0_f64, 0);
        for n in 0..samples {
            let Sample { cluster, current } =
                Sample::draw(SampleShape { nodes, vms }, Seed::new(1).numbered(n.into()));
            let t = Instant::now();
            let d = select_running(&cluster, &current, &first_come_first_served(&cluster), SuspendTo::Disk);
            let t1 = t.elapsed();
            let ffd = plan(&cluster, &current, &d).unwrap();
            let t2 = t.elapsed();
            let limits = Limits { steps: u64::MAX, time: Some(Duration::from_millis(ms.into())) };
            let b = cheapest(&cluster, &current, &d, &limits, Seed::new(1)).unwrap();
            let f = ffd.cost(&cluster);
            let sus = b.plan.actions().filter(|a| matches!(a.kind(), Kind::Suspend { .. })).count();
            if samples <= 10 {
                println!(
                    "{vms} #{n} {:?} ffd {f} ({} pools, {:?} {:?}) best {} bound {} gap {:.3} pools {} suspends {sus} steps {} in {:?}",
                    cluster.vjobs().len(),
                    ffd.pools().len(),
                    t1,
                    t2 - t1,
                    b.cost,
                    b.bound,
                    b.cost as f64 / b.bound.max(1) as f64 - 1.0,
                    b.plan.pools().len(),
                    b.steps,
                    t.elapsed() - t2
                );
            }
            red += 1.0 - b.cost as f64 / f.max(1) as f64;
            let g = b.cost as f64 / b.bound.max(1) as f64 - 1.0;
            gap += g;
            gmax = gmax.max(g);
            prov += u32::from(b.proven);
        }
        let s = f64::from(samples);
        println!(
            "{vms}: reduced {:.2} %, gap mean {:.2} % max {:.2} %, proven {prov}",
            100.0 * red / s,
            100.0 * gap / s,
            100.0 * gmax
        );
    }
}
