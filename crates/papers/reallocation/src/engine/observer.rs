//! Observers of a grid.

use dfrsim_model::grid_event::Record;

/// Receiver of a record of each event, in order.
pub trait Observer {
    /// Receives the next record.
    fn record(&mut self, record: Record<'_>);
    /// Returns whether records of the events on clusters are needed, such as starts with their
    /// nodes.
    fn listens(&self) -> bool {
        true
    }
}

/// Ignores all records; for runs without an observer.
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
