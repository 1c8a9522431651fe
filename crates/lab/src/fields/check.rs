//! Checks of several fields of a table beside each other.

use super::reader::Reader;
use super::table::TableAt;

/// What a check of several fields of a table sees beside their values.
#[derive(Debug)]
pub struct Check<'c, 't, 'r> {
    table: &'c TableAt<'t>,
    reader: &'c mut Reader<'r>,
}

impl<'c, 't, 'r> Check<'c, 't, 'r> {
    #[doc(hidden)]
    pub fn new(table: &'c TableAt<'t>, reader: &'c mut Reader<'r>) -> Check<'c, 't, 'r> {
        Check { table, reader }
    }
    /// A field is wrong beside the others; if it is absent, the table is.
    pub fn fault(&mut self, field: &str, message: impl Into<String>) {
        self.reader.fault_at(&self.table.span_of(field), message);
    }
    /// Something in a field is wrong, at a path such as `classes[1].speed`.
    pub fn fault_below(&mut self, field: &str, path: &str, message: impl Into<String>) {
        self.reader.fault_at(&self.table.span_below(field, path), message);
    }
    /// The table as a whole is wrong.
    pub fn fault_of_table(&mut self, message: impl Into<String>) {
        self.reader.fault_at(self.table.span(), message);
    }
}
