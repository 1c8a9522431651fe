//! Data of a picture as CSV.

use csv::WriterBuilder;

/// CSV writer with a header; numbers read back exactly.
#[derive(Debug)]
pub(crate) struct Csv(csv::Writer<Vec<u8>>);

const NO_FAILURE: &str = "writing to memory cannot fail";

impl Csv {
    pub(crate) fn new<const COLUMNS: usize>(header: [&str; COLUMNS]) -> Csv {
        let mut writer = WriterBuilder::new().from_writer(Vec::new());
        writer.write_record(header).expect(NO_FAILURE);
        Csv(writer)
    }
    /// Writes a line with as many fields as the header.
    pub(crate) fn line<const COLUMNS: usize>(&mut self, fields: [&dyn ToString; COLUMNS]) {
        self.0.write_record(fields.map(ToString::to_string)).expect(NO_FAILURE);
    }
    pub(crate) fn finish(self) -> String {
        String::from_utf8(self.0.into_inner().expect(NO_FAILURE)).expect("fields are text")
    }
}
