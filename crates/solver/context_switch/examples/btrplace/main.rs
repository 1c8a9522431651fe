//! Converts an instance of BtrPlace, which places VMs under constraints, to two files of `dfrsim
//! solve plan`: the state of the cluster, in which each VM is a vjob, and the requested states.
//!
//! `cargo run --release -p dfrsim-context-switch --example btrplace -- INSTANCE.json STATE.json
//! STATES.json`
//!
//! `dfrsim solve plan STATE.json --states STATES.json` then plans the instance.
//!
//! BtrPlace: <https://github.com/btrplace/scheduler>.

mod instance;
mod names;
mod rules;
#[cfg(test)]
mod tests;

use dfrsim_input::Input;
use instance::Instance;
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, state, states] = &arguments[..] else {
        return Err("expected INSTANCE.json STATE.json STATES.json".into());
    };
    let instance = Instance::parse(&Input::open(Path::new(from))?)?;
    fs::write(state, instance.state().to_string())?;
    fs::write(states, instance.states().to_string())?;
    Ok(())
}
