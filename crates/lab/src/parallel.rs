//! Parallel loops over the thread pool.

use rayon::prelude::*;
use std::sync::OnceLock;

/// Calls `make` on the numbers below `count` in parallel; returns the results in order.
pub fn in_parallel<T: Send + Sync>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    for_each(count, &|at| _ = made[at].set(make(at)));
    made.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Runs the loop. It is not generic over the result type, so the parallel code is compiled only
/// once.
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}
