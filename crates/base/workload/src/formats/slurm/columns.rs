//! Columns of a `sacct` listing.

use super::forms::{ColumnForm, form_of};
use crate::log::Problem;
use dfrsim_model::named;

named! {
    /// A column that is read.
    pub(super) enum Column as "column" {
        JobId = "JobID",
        JobIdRaw = "JobIDRaw",
        JobName = "JobName",
        User = "User",
        Group = "Group",
        Account = "Account",
        Qos = "QOS",
        Partition = "Partition",
        State = "State",
        Submit = "Submit",
        Eligible = "Eligible",
        Start = "Start",
        End = "End",
        Elapsed = "Elapsed",
        ElapsedRaw = "ElapsedRaw",
        Suspended = "Suspended",
        Timelimit = "Timelimit",
        TimelimitRaw = "TimelimitRaw",
        Nodes = "NNodes",
        AllocNodes = "AllocNodes",
        Cpus = "NCPUS",
        ReqCpus = "ReqCPUS",
        AllocCpus = "AllocCPUS",
        ReqMem = "ReqMem",
        ReqTres = "ReqTRES",
        AllocTres = "AllocTRES",
        SubmitLine = "SubmitLine",
        ReqGres = "ReqGRES",
        AllocGres = "AllocGRES",
        Constraints = "Constraints",
        Reservation = "Reservation",
        Licenses = "Licenses",
    }
}

/// Maximum number of delimiters within the fields of a line.
const MAX_SURPLUS: usize = 200;
/// Maximum number of steps of the search for the fields of a line.
const MAX_STEPS: u32 = 100_000;

/// Positions of the columns in a listing.
pub(super) struct Columns {
    delimiter: char,
    /// True if lines end with a delimiter (`--parsable`).
    ends_with_delimiter: bool,
    /// Names as written, including those of columns that are not read.
    names: Vec<String>,
    /// Form of the values of each column.
    forms: Vec<ColumnForm>,
    /// Index of each column in a line, by [`Column`]; `None` if the listing lacks the column.
    indices: [Option<usize>; Column::ALL.len()],
}

/// A line split into fields.
pub(super) struct ListingRow<'a> {
    columns: &'a Columns,
    fields: Vec<&'a str>,
    /// True if a field has the delimiter, so that the fields were found by their forms.
    pub(super) has_delimiter_in_field: bool,
}

impl Columns {
    /// Parses the header line of a listing.
    ///
    /// # Errors
    ///
    /// The reason why the columns cannot be used.
    pub(super) fn parse(line: &str) -> Result<Columns, String> {
        let is_delimiter = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '/');
        let delimiter = line.chars().find(|&letter| is_delimiter(letter)).unwrap_or('|');
        let mut names: Vec<String> = line.split(delimiter).map(|name| name.trim().to_owned()).collect();
        let ends_with_delimiter = names.len() > 1 && names.last().is_some_and(String::is_empty);
        if ends_with_delimiter {
            names.pop();
        }
        let place = |column: &Column| names.iter().position(|name| name.eq_ignore_ascii_case(column.name()));
        let mut places = [None; Column::ALL.len()];
        for column in Column::ALL {
            if names.iter().filter(|name| name.eq_ignore_ascii_case(column.name())).count() > 1 {
                return Err(format!("the header line names column {} twice", column.name()));
            }
            places[*column as usize] = place(column);
        }
        let forms = names.iter().map(|name| form_of(name)).collect();
        let columns = Columns { delimiter, ends_with_delimiter, names, forms, indices: places };
        let needed = [Column::JobId, Column::State, Column::Submit, Column::Start];
        let mut missing: Vec<&str> =
            needed.into_iter().filter(|&column| !columns.has(column)).map(Column::name).collect();
        if ![Column::End, Column::Elapsed, Column::ElapsedRaw].into_iter().any(|it| columns.has(it)) {
            missing.push("End");
        }
        if missing.is_empty() {
            return Ok(columns);
        }
        let without_header =
            delimiter != ' ' && columns.names[0].starts_with(|first: char| first.is_ascii_digit());
        let hint = if without_header { " (list the jobs without --noheader)" } else { "" };
        Err(format!("the header line should name the columns; missing: {}{hint}", missing.join(", ")))
    }

    fn index(&self, column: Column) -> Option<usize> {
        self.indices[column as usize]
    }

    /// Returns whether the listing has a column.
    pub(super) fn has(&self, column: Column) -> bool {
        self.index(column).is_some()
    }

    /// Returns the names of all columns as written.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether a line names the columns again, as in listings that were put together.
    pub(super) fn is_header(&self, row: &ListingRow<'_>) -> bool {
        row.get(Column::JobId).eq_ignore_ascii_case(Column::JobId.name())
            && row.get(Column::Submit).eq_ignore_ascii_case(Column::Submit.name())
    }

    /// Returns whether a line has fewer fields than there are columns.
    pub(super) fn lacks_fields(&self, line: &str) -> bool {
        let delimiters = match u8::try_from(self.delimiter) {
            Ok(delimiter) if delimiter.is_ascii() => memchr::memchr_iter(delimiter, line.as_bytes()).count(),
            _ => line.matches(self.delimiter).count(),
        };
        delimiters + 1 < self.names.len()
    }

    /// Returns whether the last column may have any text.
    pub(super) fn ends_with_free_text(&self) -> bool {
        self.forms.last().is_some_and(|form| form.is_free())
    }

    /// Splits a line into fields. Delimiters within fields, which `sacct` does not escape, are found
    /// by the forms of the other fields; where that is ambiguous, they belong to the last column of
    /// free text that can have them.
    ///
    /// # Errors
    ///
    /// [`Problem::FieldCount`] if the line has too few fields, or too many without such a column.
    pub(super) fn row<'a>(&'a self, line: &'a str) -> Result<ListingRow<'a>, Problem> {
        let expected = self.names.len();
        let mut fields = Vec::with_capacity(expected + 1);
        match u8::try_from(self.delimiter).ok().filter(u8::is_ascii) {
            Some(delimiter) => {
                let mut from = 0;
                for at in memchr::memchr_iter(delimiter, line.as_bytes()) {
                    fields.push(&line[from..at]);
                    from = at + 1;
                }
                fields.push(&line[from..]);
            }
            None => fields.extend(line.split(self.delimiter)),
        }
        if self.ends_with_delimiter
            && fields.len() > expected
            && fields.last().is_some_and(|last| last.trim().is_empty())
        {
            fields.pop();
        }
        if fields.len() > expected + MAX_SURPLUS {
            return Err(Problem::FieldCount { found: fields.len(), expected });
        }
        let wrong = Problem::FieldCount { found: fields.len(), expected };
        let fits = match fields.len().checked_sub(expected) {
            None => return Err(wrong),
            Some(0) => return Ok(ListingRow { columns: self, fields, has_delimiter_in_field: false }),
            Some(_) => {
                // Programs other than Slurm's commands may submit with any line.
                self.join(line, &fields, true).or_else(|| self.join(line, &fields, false))
            }
        };
        let fields = fits.ok_or(wrong)?;
        Ok(ListingRow { columns: self, fields, has_delimiter_in_field: true })
    }

    /// Joins the fields of a line so that each column has a value of its form; `None` if that is
    /// impossible. With `strict`, the forms of free text count as well.
    fn join<'a>(&self, line: &'a str, fields: &[&'a str], strict: bool) -> Option<Vec<&'a str>> {
        let mut ends = Vec::with_capacity(fields.len());
        let mut end = 0;
        for field in fields {
            end += field.len();
            ends.push(end);
            end += self.delimiter.len_utf8();
        }
        let text = |from: usize, until: usize| &line[ends[from] - fields[from].len()..ends[until]];
        // Fields of the columns from the last one, with the number of fields in each.
        let mut lengths: Vec<usize> = Vec::with_capacity(self.forms.len());
        let (mut left, mut next) = (fields.len(), None);
        // A depth-first search without recursion: `next` is the length to try for the next column.
        for step in 0.. {
            if step == MAX_STEPS {
                return None;
            }
            let column = self.forms.len() - lengths.len();
            if column == 0 && left == 0 {
                break;
            }
            let found = (column > 0 && left >= column).then(|| {
                let form = self.forms[column - 1];
                let most = if form.is_free() { left + 1 - column } else { 1 };
                let first = next.unwrap_or(most).min(most);
                (1..=first)
                    .rev()
                    .find(|&length| form.admits(text(left - length, left - 1), self.delimiter, strict))
            });
            match found.flatten() {
                Some(length) => {
                    lengths.push(length);
                    left -= length;
                    next = None;
                }
                None => {
                    // Shortens the value of the column to the right.
                    loop {
                        let length = lengths.pop()?;
                        left += length;
                        if length > 1 {
                            next = Some(length - 1);
                            break;
                        }
                    }
                }
            }
        }
        let mut from = 0;
        let joined = lengths.iter().rev().map(|length| {
            from += length;
            text(from - length, from - 1)
        });
        Some(joined.collect())
    }
}

impl<'a> ListingRow<'a> {
    /// Returns the value of a column without surrounding blanks; empty if the listing lacks it.
    pub(super) fn get(&self, column: Column) -> &'a str {
        self.columns.index(column).map_or("", |place| self.fields[place].trim())
    }

    /// Returns the job name, with any blanks.
    pub(super) fn job_name(&self) -> Option<&'a str> {
        self.columns.index(Column::JobName).map(|place| self.fields[place])
    }

    /// Returns the first of these columns that is not empty, with its value.
    pub(super) fn first(&self, columns: &[Column]) -> Option<(Column, &'a str)> {
        columns.iter().map(|&column| (column, self.get(column))).find(|(_, text)| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "JobID|JobName|Constraints|State|Submit|Start|End|SubmitLine";
    const TIMES: &str = "2026-03-01T09:00:00|2026-03-01T09:00:00|2026-03-01T09:10:00";

    #[test]
    fn delimiters_within_fields_do_not_shift_columns() {
        let columns = Columns::parse(HEADER).unwrap();
        for (name, constraints, submission) in [
            ("a", "red|blue", "sbatch x.sh"),
            ("a", "red|blue", "sbatch -C red|blue x.sh"),
            ("a|b", "", "sbatch -J a|b x.sh"),
            ("a|b c", "[x|y]", "sbatch --wrap a | b || c"),
            ("a", "", "sbatch --wrap date |"),
            ("a", "", ""),
        ] {
            let line = format!("7|{name}|{constraints}|COMPLETED|{TIMES}|{submission}");
            let row = columns.row(&line).unwrap();
            let found = (row.job_name().unwrap(), row.get(Column::Constraints), row.get(Column::SubmitLine));
            assert_eq!(found, (name, constraints, submission), "{line}");
            assert_eq!(row.get(Column::Start), "2026-03-01T09:00:00", "{line}");
        }
    }

    #[test]
    fn lines_that_cannot_be_resolved_are_errors() {
        let columns = Columns::parse(HEADER).unwrap();
        for line in [
            format!("7|a||COMPLETED|{TIMES}"),
            format!("7|a||DONE|1|{TIMES}|sbatch x.sh"),
            format!("7|a||COMPLETED|x|{TIMES}|sbatch x.sh"),
        ] {
            assert!(matches!(columns.row(&line), Err(Problem::FieldCount { .. })), "{line}");
        }
        let without_text = Columns::parse("JobID|State|Submit|Start|End").unwrap();
        assert!(without_text.row(&format!("7|COMPLETED|{TIMES}|8")).is_err());
        assert!(without_text.row(&format!("7|COMPLETED|{TIMES}|")).is_err());
        let parsable = Columns::parse("JobID|State|Submit|Start|End|").unwrap();
        assert!(parsable.row(&format!("7|COMPLETED|{TIMES}|")).is_ok());
    }

    #[test]
    fn listings_without_names_of_columns_are_explained() {
        let error = Columns::parse("7|COMPLETED|2026-03-01T09:00:00").err().unwrap();
        assert!(
            error.ends_with("missing: JobID, State, Submit, Start, End (list the jobs without --noheader)")
        );
    }
}
