//! The data behind a picture.

use csv::WriterBuilder;

/// Comma-separated values with a header; numbers read back exactly.
#[derive(Debug)]
pub(crate) struct Csv(csv::Writer<Vec<u8>>);

const NO_FAILURE: &str = "memory takes any record";

impl Csv {
    pub(crate) fn new<const COLUMNS: usize>(header: [&str; COLUMNS]) -> Csv {
        let mut writer = WriterBuilder::new().from_writer(Vec::new());
        writer.write_record(header).expect(NO_FAILURE);
        Csv(writer)
    }
    /// A line with as many fields as the header.
    pub(crate) fn line<const COLUMNS: usize>(&mut self, fields: [&dyn ToString; COLUMNS]) {
        self.0.write_record(fields.map(ToString::to_string)).expect(NO_FAILURE);
    }
    pub(crate) fn finish(self) -> String {
        String::from_utf8(self.0.into_inner().expect(NO_FAILURE)).expect("fields are text")
    }
}
