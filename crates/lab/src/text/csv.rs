//! Comma-separated values in memory.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};

/// One line, with its end.
pub(crate) fn line<T: AsRef<[u8]>>(fields: &[T]) -> String {
    lines([fields])
}

/// Many lines, each with its end.
pub(crate) fn lines<'a, T: AsRef<[u8]> + 'a>(records: impl IntoIterator<Item = &'a [T]>) -> String {
    let mut writer = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("memory takes any record");
    }
    let bytes = writer.into_inner().expect("memory takes any record");
    String::from_utf8(bytes).expect("fields are text")
}

/// The fields of one line; `None` if it is not exactly one line.
pub(crate) fn fields(line: &str) -> Option<StringRecord> {
    let mut records = records(line);
    let first = records.next()?;
    records.next().is_none().then_some(first)
}

/// The records of a text; those that cannot be read are left out.
pub(crate) fn records(text: &str) -> impl Iterator<Item = StringRecord> {
    let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.into_records().map_while(Result::ok)
}
