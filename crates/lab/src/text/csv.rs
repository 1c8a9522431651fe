//! CSV texts in memory.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};

/// A CSV file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadFile {
    /// File name within the results.
    pub name: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Fields of each line.
    pub lines: Vec<Vec<String>>,
}

/// Formats one line, including its line break.
pub(crate) fn line<T: AsRef<str>>(fields: &[T]) -> String {
    // The fast path avoids a writer, which allocates buffers for thousands of fields.
    if fields.len() < 2 || fields.iter().any(|field| field.as_ref().contains(['"', ',', '\r', '\n'])) {
        let fields: Vec<&[u8]> = fields.iter().map(|field| field.as_ref().as_bytes()).collect();
        return lines([fields.as_slice()]);
    }
    let mut line = String::with_capacity(fields.iter().map(|field| field.as_ref().len() + 1).sum());
    for field in fields {
        line.push_str(field.as_ref());
        line.push(',');
    }
    line.pop();
    line.push('\n');
    line
}

/// Formats several lines, including their line breaks.
pub(crate) fn lines<'a, T: AsRef<[u8]> + 'a>(records: impl IntoIterator<Item = &'a [T]>) -> String {
    let mut writer = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("writing to memory cannot fail");
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("fields are text")
}

/// Parses the fields of one line; `None` unless the text is exactly one line.
pub(crate) fn fields(line: &str) -> Option<StringRecord> {
    // The fast path avoids a reader, whose state machine has thousands of transitions.
    if !line.is_empty() && !line.contains(['"', '\r', '\n']) {
        return Some(line.split(',').collect::<Vec<_>>().into());
    }
    let mut records = records(line);
    let first = records.next()?;
    records.next().is_none().then_some(first)
}

/// Parses the records of a text, up to the first invalid one.
pub(crate) fn records(text: &str) -> impl Iterator<Item = StringRecord> {
    let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.into_records().map_while(Result::ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_a_writer_writes_and_a_reader_reads() {
        let texts = ["", "a", "a b", "a,b", "a\"b", "a\rb", "a\nb", "#", "\u{e4}", " "];
        for first in texts {
            for second in texts {
                for record in [&[first][..], &[first, second], &[first, second, first]] {
                    let line = line(record);
                    assert_eq!(line, lines([record]));
                    assert_eq!(fields(&line).as_ref(), records(&line).next().as_ref(), "{record:?}");
                    let read = fields(line.trim_end_matches('\n')).unwrap();
                    assert!(read.iter().eq(record.iter().copied()), "{record:?}");
                }
            }
        }
    }
}
