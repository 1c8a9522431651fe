//! Work for all threads.

use rayon::prelude::*;
use std::sync::OnceLock;

/// What is made of each of the numbers below `count`, in their order, on however many threads.
pub fn in_parallel<T: Send + Sync>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    for_each(count, &|at| _ = made[at].set(make(at)));
    made.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Does not depend on what is made, so that what hands work to threads is compiled once.
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}
