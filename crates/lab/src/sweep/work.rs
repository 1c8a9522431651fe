//! Parallel execution of independent pieces of work, each of which is journaled as soon as it has
//! finished.

use super::folder::ResultsFolder;
use super::header::JournalHeader;
use super::journal::Journal;
use super::options::RunOptions;
use super::shard::heaviest_first;
use crate::RunError;
use crate::key::Key;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// State that threads share while they run a scenario.
pub(crate) struct Sweep<'a> {
    /// Number of runs.
    total: usize,
    /// Plural name of the runs.
    unit: &'static str,
    /// Keys in the journal from an earlier start of this run.
    journaled_keys: FxHashSet<Key>,
    /// `None` if rows are merged and none are computed.
    journal: Option<Mutex<Journal>>,
    out: &'a Path,
    interrupt: &'a AtomicBool,
    /// First error; it ends the sweep.
    failure: OnceLock<RunError>,
    finished: AtomicUsize,
}

impl<'a> Sweep<'a> {
    /// Creates or continues the journal that `header` describes; for a merge, checks that the
    /// journals in all folders match `header`. If `interrupt` becomes true, no further run starts.
    pub(crate) fn begin(
        options: &'a RunOptions,
        (folder, sources): (&ResultsFolder, &[ResultsFolder]),
        header: &JournalHeader,
        (total, what): (usize, &'static str),
        interrupt: &'a AtomicBool,
    ) -> Result<Sweep<'a>, RunError> {
        let computes = options.part.computes();
        if !computes {
            std::iter::once(folder).chain(sources).try_for_each(|each| each.check_headers(header))?;
        }
        Ok(Sweep {
            total,
            unit: what,
            journaled_keys: folder.own_keys(&header.columns)?,
            journal: computes.then(|| folder.open_journal(header).map(Mutex::new)).transpose()?,
            out: &options.out,
            interrupt,
            failure: OnceLock::new(),
            finished: AtomicUsize::new(0),
        })
    }

    /// Returns the number of runs.
    pub(crate) fn total(&self) -> usize {
        self.total
    }
    /// Returns the results folder.
    pub(crate) fn out(&self) -> &'a Path {
        self.out
    }
    /// Returns whether rows that are not restored are computed; otherwise they are missing.
    pub(crate) fn computes(&self) -> bool {
        self.journal.is_some()
    }

    /// Processes the pieces of work by decreasing weight, so that no thread is left with a long one
    /// at the end. Every thread of the pool takes the next piece; idle threads help with the
    /// parallel parts of the remaining ones. Returns the results in the order of the weights.
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

    /// Returns whether the sweep has been interrupted or has failed.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.failure.get().is_some()
    }
    /// Returns whether the journal already had a record with this key at the start.
    pub(crate) fn is_journaled(&self, key: Key) -> bool {
        self.journaled_keys.contains(&key)
    }
    /// Appends records to the journal; if that fails, ends the sweep and returns `None`.
    pub(crate) fn append_to_journal(&self, records: Vec<Vec<String>>) -> Option<()> {
        let Some(journal) = &self.journal else { return Some(()) };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.append(records).map_err(|failure| self.fail(failure)).ok()
    }
    /// Ends the sweep. Only the first error is reported, as later ones usually follow from it.
    pub(crate) fn fail(&self, failure: RunError) {
        _ = self.failure.set(failure);
    }
    /// Adds to the number of finished runs, and returns the new number.
    pub(crate) fn finish(&self, runs: usize) -> usize {
        self.finished.fetch_add(runs, Ordering::Relaxed) + runs
    }

    /// Ends the sweep.
    ///
    /// # Errors
    /// Returns the error that stopped the sweep, or the number of missing runs.
    pub(crate) fn end(self) -> Result<(), RunError> {
        let (done, total, what) = (self.finished.into_inner(), self.total, self.unit);
        match self.failure.into_inner() {
            Some(failure) => Err(failure),
            None if done >= total => Ok(()),
            None if self.journal.is_none() => Err(RunError::Missing { missing: total - done, total, what }),
            None => Err(RunError::Interrupted { done, total, what }),
        }
    }
}
