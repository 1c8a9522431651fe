//! Columns of a `sacct` listing.

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
        Start = "Start",
        End = "End",
        Elapsed = "Elapsed",
        ElapsedRaw = "ElapsedRaw",
        Suspended = "Suspended",
        Timelimit = "Timelimit",
        TimelimitRaw = "TimelimitRaw",
        Nodes = "NNodes",
        Cpus = "NCPUS",
        ReqCpus = "ReqCPUS",
        AllocCpus = "AllocCPUS",
        ReqMem = "ReqMem",
        ReqTres = "ReqTRES",
        AllocTres = "AllocTRES",
        SubmitLine = "SubmitLine",
        ReqGres = "ReqGRES",
        Constraints = "Constraints",
        Reservation = "Reservation",
    }
}

/// Positions of the columns in a listing.
pub(super) struct Columns {
    delimiter: char,
    /// Number of columns, including those that are not read.
    count: usize,
    /// Index of each column in a line, by [`Column`]; `None` if the listing lacks the column.
    indices: [Option<usize>; Column::ALL.len()],
}

/// A line split into fields.
pub(super) struct Row<'a> {
    columns: &'a Columns,
    fields: Vec<&'a str>,
    /// Number of fields that form the job name, which may contain delimiters.
    name_fields: usize,
}

impl Columns {
    /// Parses the header line of a listing.
    ///
    /// # Errors
    ///
    /// The reason why the columns cannot be used.
    pub(super) fn parse(line: &str) -> Result<Columns, String> {
        // Spreadsheet programs write a byte order mark before the text.
        let line = line.trim_start_matches('\u{feff}');
        let is_delimiter = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '/');
        let delimiter = line.chars().find(|&letter| is_delimiter(letter)).unwrap_or('|');
        let names: Vec<&str> = line.split(delimiter).collect();
        let place = |column: &Column| names.iter().position(|name| name.eq_ignore_ascii_case(column.name()));
        let mut places = [None; Column::ALL.len()];
        for column in Column::ALL {
            if names.iter().filter(|name| name.eq_ignore_ascii_case(column.name())).count() > 1 {
                return Err(format!("the header line names column {} twice", column.name()));
            }
            places[*column as usize] = place(column);
        }
        let columns = Columns { delimiter, count: names.len(), indices: places };
        let has = |column| columns.index(column).is_some();
        let needed = [Column::JobId, Column::State, Column::Submit, Column::Start];
        let mut missing: Vec<&str> =
            needed.into_iter().filter(|&column| !has(column)).map(Column::name).collect();
        if ![Column::End, Column::Elapsed, Column::ElapsedRaw].into_iter().any(has) {
            missing.push("End");
        }
        if missing.is_empty() {
            return Ok(columns);
        }
        Err(format!("the header line should name the columns; missing: {}", missing.join(", ")))
    }

    fn index(&self, column: Column) -> Option<usize> {
        self.indices[column as usize]
    }

    /// Splits a line into fields. Surplus fields belong to the job name, if there is such a column.
    pub(super) fn row<'a>(&'a self, line: &'a str) -> Result<Row<'a>, Problem> {
        let fields: Vec<&str> = line.split(self.delimiter).collect();
        let surplus = fields.len().checked_sub(self.count);
        match surplus.filter(|&surplus| surplus == 0 || self.index(Column::JobName).is_some()) {
            Some(surplus) => Ok(Row { columns: self, fields, name_fields: 1 + surplus }),
            None => Err(Problem::FieldCount { found: fields.len(), expected: self.count }),
        }
    }
}

impl<'a> Row<'a> {
    /// Returns the value of a column; empty if the listing lacks it.
    pub(super) fn get(&self, column: Column) -> &'a str {
        let Some(place) = self.columns.index(column) else { return "" };
        let name = self.columns.index(Column::JobName).unwrap_or(usize::MAX);
        let behind = if place > name { self.name_fields - 1 } else { 0 };
        self.fields[place + behind].trim()
    }

    /// Returns the job name, including any delimiters.
    pub(super) fn job_name(&self) -> Option<String> {
        let place = self.columns.index(Column::JobName)?;
        Some(self.fields[place..place + self.name_fields].join(&self.columns.delimiter.to_string()))
    }

    /// Returns the first of these columns that is not empty, with its value.
    pub(super) fn first(&self, columns: &[Column]) -> Option<(Column, &'a str)> {
        columns.iter().map(|&column| (column, self.get(column))).find(|(_, text)| !text.is_empty())
    }
}
