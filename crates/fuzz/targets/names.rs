//! Names: what is read prints as what is read as the same.
#![no_main]

use dfrsim_lab::Shard;
use dfrsim_model::{SimSpan, SimTime};
use libfuzzer_sys::fuzz_target;
use std::fmt::{Debug, Display};
use std::str::FromStr;

fn prints_as_itself<T: FromStr + Display + PartialEq + Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().parse::<T>().ok(), Some(value));
    }
}

fuzz_target!(|text: &str| {
    prints_as_itself::<dfrsim_policies::Policy>(text);
    prints_as_itself::<dfrsim::offline_study::Algorithm>(text);
    prints_as_itself::<Shard>(text);
    prints_as_itself::<SimTime>(text);
    prints_as_itself::<SimSpan>(text);
});
