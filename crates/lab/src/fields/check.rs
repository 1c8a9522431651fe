//! Checks that involve several fields of a table.

use super::reader::Reader;
use super::table::TableAt;

/// Context of a check of several fields of a table: reports errors at the place of a field.
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
    /// Reports an error in a field, or in the table if the field is absent.
    pub fn fault(&mut self, field: &str, message: impl Into<String>) {
        self.reader.fault_at(&self.table.span_of(field), message);
    }
    /// Reports an error at a path within a field, such as `classes[1].speed`.
    pub fn fault_below(&mut self, field: &str, path: &str, message: impl Into<String>) {
        self.reader.fault_at(&self.table.span_below(field, path), message);
    }
    /// Reports an error in the table as a whole.
    pub fn fault_of_table(&mut self, message: impl Into<String>) {
        self.reader.fault_at(self.table.span(), message);
    }
}
