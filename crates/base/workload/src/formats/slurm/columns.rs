//! The columns of a listing.

use crate::log::Problem;
use dfrsim_model::named;

named! {
    /// A column that is used.
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

/// Where each column is.
pub(super) struct Columns {
    delimiter: char,
    /// How many there are, used or not.
    count: usize,
    /// By column: its place.
    places: [Option<usize>; Column::ALL.len()],
}

/// A line by its columns.
pub(super) struct Row<'a> {
    columns: &'a Columns,
    fields: Vec<&'a str>,
    /// How many of the fields are the name of the job, which may have delimiters in it.
    name_fields: usize,
}

impl Columns {
    /// The columns that the first line of a listing names, or what is wrong with it.
    pub(super) fn parse(line: &str) -> Result<Columns, String> {
        // Spreadsheets put a mark of the byte order before the text.
        let line = line.trim_start_matches('\u{feff}');
        let is_delimiter = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '/');
        let delimiter = line.chars().find(|&letter| is_delimiter(letter)).unwrap_or('|');
        let names: Vec<&str> = line.split(delimiter).collect();
        let place = |column: &Column| names.iter().position(|name| name.eq_ignore_ascii_case(column.name()));
        let mut places = [None; Column::ALL.len()];
        for column in Column::ALL {
            if names.iter().filter(|name| name.eq_ignore_ascii_case(column.name())).count() > 1 {
                return Err(format!("the first line names the column {} twice", column.name()));
            }
            places[*column as usize] = place(column);
        }
        let columns = Columns { delimiter, count: names.len(), places };
        let has = |column| columns.place(column).is_some();
        let needed = [Column::JobId, Column::State, Column::Submit, Column::Start];
        let mut missing: Vec<&str> =
            needed.into_iter().filter(|&column| !has(column)).map(Column::name).collect();
        if ![Column::End, Column::Elapsed, Column::ElapsedRaw].into_iter().any(has) {
            missing.push("End");
        }
        if missing.is_empty() {
            return Ok(columns);
        }
        Err(format!("the first line should name the columns, and does not have {}", missing.join(", ")))
    }

    fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }

    /// The fields of a line. Surplus ones belong to the name of the job, if there is that column.
    pub(super) fn row<'a>(&'a self, line: &'a str) -> Result<Row<'a>, Problem> {
        let fields: Vec<&str> = line.split(self.delimiter).collect();
        let surplus = fields.len().checked_sub(self.count);
        match surplus.filter(|&surplus| surplus == 0 || self.place(Column::JobName).is_some()) {
            Some(surplus) => Ok(Row { columns: self, fields, name_fields: 1 + surplus }),
            None => Err(Problem::FieldCount { found: fields.len(), expected: self.count }),
        }
    }
}

impl<'a> Row<'a> {
    /// What a column has; empty if it is not there.
    pub(super) fn get(&self, column: Column) -> &'a str {
        let Some(place) = self.columns.place(column) else { return "" };
        let name = self.columns.place(Column::JobName).unwrap_or(usize::MAX);
        let behind = if place > name { self.name_fields - 1 } else { 0 };
        self.fields[place + behind].trim()
    }

    /// The name of the job, with the delimiters in it.
    pub(super) fn job_name(&self) -> Option<String> {
        let place = self.columns.place(Column::JobName)?;
        Some(self.fields[place..place + self.name_fields].join(&self.columns.delimiter.to_string()))
    }

    /// The first of these columns that has something.
    pub(super) fn first(&self, columns: &[Column]) -> Option<(Column, &'a str)> {
        columns.iter().map(|&column| (column, self.get(column))).find(|(_, text)| !text.is_empty())
    }
}
