//! Doing many independent pieces of work side by side, each of them kept as soon as it has finished.

use super::folder::Folder;
use super::header::Header;
use super::journal::Journal;
use super::options::RunOptions;
use super::shard::heaviest_first;
use crate::RunError;
use crate::key::Key;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What threads share while they work on a scenario.
pub(crate) struct Sweep<'a> {
    /// How many runs are to be finished.
    total: usize,
    /// What they are, in the plural.
    what: &'static str,
    /// The keys in the journal from before.
    kept: FxHashSet<Key>,
    /// `None` if no row is computed and rows are only merged.
    journal: Option<Mutex<Journal>>,
    out: &'a Path,
    interrupt: &'a AtomicBool,
    /// The first failure; it ends the sweep.
    failure: OnceLock<RunError>,
    finished: AtomicUsize,
}

impl<'a> Sweep<'a> {
    /// Begins the journal that `header` describes, or goes on with it; the folders of a merge must have the same header.
    /// If `interrupt` becomes true, no further run begins.
    pub(crate) fn begin(
        options: &'a RunOptions,
        (folder, sources): (&Folder, &[Folder]),
        header: &Header,
        (total, what): (usize, &'static str),
        interrupt: &'a AtomicBool,
    ) -> Result<Sweep<'a>, RunError> {
        let computes = options.part.computes();
        if !computes {
            std::iter::once(folder).chain(sources).try_for_each(|each| each.check_headers(header))?;
        }
        Ok(Sweep {
            total,
            what,
            kept: folder.own_keys(&header.columns)?,
            journal: computes.then(|| folder.open_journal(header).map(Mutex::new)).transpose()?,
            out: &options.out,
            interrupt,
            failure: OnceLock::new(),
            finished: AtomicUsize::new(0),
        })
    }

    /// How many runs are to be finished.
    pub(crate) fn total(&self) -> usize {
        self.total
    }
    /// The folder of the results.
    pub(crate) fn out(&self) -> &'a Path {
        self.out
    }
    /// Whether what earlier runs did not leave is computed; otherwise it is missing.
    pub(crate) fn computes(&self) -> bool {
        self.journal.is_some()
    }

    /// Works on the pieces of these weights, the heaviest first, so that no thread is left with a long one at the end. Every
    /// thread of the pool takes the next one; those that find none help with what is left of the others. Gives what was
    /// done, in the order of the weights.
    pub(crate) fn run<T: Send + Sync>(
        &self,
        weights: &[u64],
        work: impl Fn(usize) -> Option<T> + Sync,
    ) -> Vec<T> {
        let order = heaviest_first(weights);
        let done: Vec<OnceLock<T>> = order.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        rayon::broadcast(|_| {
            while !self.is_over()
                && let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed))
            {
                if let Some(result) = work(place) {
                    done[place].get_or_init(|| result);
                }
            }
        });
        done.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// Whether no further run begins.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.failure.get().is_some()
    }
    /// Whether a record with this key is in the journal from before.
    pub(crate) fn is_kept(&self, key: Key) -> bool {
        self.kept.contains(&key)
    }
    /// Puts records into the journal; `None` if that is not possible, which ends the sweep.
    pub(crate) fn keep(&self, records: Vec<Vec<String>>) -> Option<()> {
        let Some(journal) = &self.journal else { return Some(()) };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.append(records).map_err(|failure| self.fail(failure)).ok()
    }
    /// Ends the sweep. Only the first failure is reported; the others follow from it more often than not.
    pub(crate) fn fail(&self, failure: RunError) {
        _ = self.failure.set(failure);
    }
    /// Some more runs have finished: how many have by now.
    pub(crate) fn finish(&self, runs: usize) -> usize {
        self.finished.fetch_add(runs, Ordering::Relaxed) + runs
    }

    /// # Errors
    /// Why not everything has finished, if so.
    pub(crate) fn end(self) -> Result<(), RunError> {
        let (done, total, what) = (self.finished.into_inner(), self.total, self.what);
        match self.failure.into_inner() {
            Some(failure) => Err(failure),
            None if done >= total => Ok(()),
            None if self.journal.is_none() => Err(RunError::Missing { missing: total - done, total, what }),
            None => Err(RunError::Interrupted { done, total, what }),
        }
    }
}
