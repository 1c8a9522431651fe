//! Comma-separated values in memory.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadFile {
    /// Its name.
    pub name: String,
    /// Its header.
    pub header: Vec<String>,
    /// Its lines.
    pub lines: Vec<Vec<String>>,
}

/// One line, with its end.
pub(crate) fn line<T: AsRef<str>>(fields: &[T]) -> String {
    // A writer makes room for thousands of fields.
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
    // A reader is a table of thousands of transitions.
    if !line.is_empty() && !line.contains(['"', '\r', '\n']) {
        return Some(line.split(',').collect::<Vec<_>>().into());
    }
    let mut records = records(line);
    let first = records.next()?;
    records.next().is_none().then_some(first)
}

/// The records of a text; those that cannot be read are left out.
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
