//! Random names of fractional policies.

use dfrsim_model::{Rng, Seed};
use dfrsim_policies::Policy;
use rand::RngExt;

fn any<'a>(rng: &mut Rng, parts: &[&'a str]) -> &'a str {
    parts[rng.random_range(0..parts.len())]
}

/// Draws one of the parts, or most often the empty one.
fn some<'a>(rng: &mut Rng, parts: &[&'a str]) -> &'a str {
    if rng.random_range(0..3) > 0 { "" } else { any(rng, parts) }
}

/// Draws a fractional policy with any valid combination of parts, or EQUIPARTITION.
pub(crate) fn fractional(seed: u64) -> String {
    let rng = &mut Seed::new(seed).fork("name").rng();
    loop {
        let name = [
            any(rng, &["", "Greedy", "GreedyP", "GreedyPM", "MCB"]),
            any(rng, &["", "*"]),
            any(rng, &["", "/per", "/per", "/stretch-per"]),
            some(rng, &["/BUDGET=2", "/BUDGET=20"]),
            some(rng, &["/RELABEL"]),
            any(rng, &["/OPT=MIN", "/OPT=MIN", "/OPT=AVG", "/OPT=MAX"]),
            some(rng, &["/MVT=600", "/MFT=600"]),
            some(rng, &["/PERIOD=900", "/PERIOD=2700"]),
            some(rng, &["/BELOW=30", "/BELOW=90"]),
            some(rng, &["/PAY=1", "/PAY=10"]),
            some(rng, &["/SPREAD"]),
            some(rng, &["/RETRY=60", "/RETRY=30/SWAP=1", "/RETRY=600/SWAP=3"]),
            some(rng, &["/LAS=0.5", "/LAS=300"]),
            some(rng, &["/AHEAD=0", "/AHEAD=2700"]),
        ]
        .concat();
        if Policy::named(&name).is_some() {
            return name;
        }
        if rng.random_range(0..1_000) == 0 {
            return "EQUIPARTITION".to_owned();
        }
    }
}
