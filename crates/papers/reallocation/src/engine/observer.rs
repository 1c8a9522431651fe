//! Observers of a grid.

use dfrsim_model::grid_event::Record;

/// Receives a record of everything that happens, in the order in which it does.
pub trait Observer {
    /// Receives the next record.
    fn record(&mut self, record: Record<'_>);
    /// Whether it needs the nodes of jobs.
    fn listens(&self) -> bool {
        true
    }
}

/// Ignores all records.
impl Observer for () {
    fn record(&mut self, _: Record<'_>) {}
    fn listens(&self) -> bool {
        false
    }
}

impl<F: FnMut(Record<'_>)> Observer for F {
    fn record(&mut self, record: Record<'_>) {
        self(record);
    }
}
