//! Runs a sweep from a program: parses a scenario, runs it into a folder, and reads the rows back.
//!
//! `cargo run --release --example sweep -- FOLDER`

use dfrsim::lab::Step;
use dfrsim::prelude::*;
use std::error::Error;
use std::sync::atomic::AtomicBool;

const SCENARIO: &str = r#"
study = "online"
title = "A sweep in code"
policies = ["EASY", "CONS", "GreedyPM*/per/OPT=MIN/MVT=600"]
[simulation]
penalty = [0, 300]
[[workloads]]
name = "model"
nodes = 64
lublin = { replications = 5, jobs = 500, loads = [0.5, 0.8] }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("expected a folder for the results")?;
    let registry = dfrsim::registry();
    let scenario = registry.parse(SCENARIO, "sweep.rs", None, &[])?;
    let progress = |step: &Step<'_>| eprint!("\r{} of {}", step.finished, step.total);
    let report = scenario.run(&RunOptions::new(&folder), &AtomicBool::new(false), &progress)?;
    eprintln!();
    for table in report.tables.iter().filter(|table| table.is_printed) {
        println!("{}\n\n{}", table.title, table.table.markdown());
    }
    let results = Results::read(folder.as_ref(), &registry)?;
    let rows = &results.rows()?[0];
    let degradation = rows.column_index("degradation").ok_or("rows have a degradation")?;
    let largest = (0..rows.len()).filter_map(|row| rows.number(row, degradation)).fold(0.0, f64::max);
    println!("largest degradation of {} simulations: {largest:.1}", rows.len());
    Ok(())
}
