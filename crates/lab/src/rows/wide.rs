//! Wide layout: one instance per line, with eight bytes per result in memory and one field per
//! result in the file.

use super::{bad_header, bad_line, file_name};
use crate::column::{Column, Role, Row, RowType};
use crate::data::{DataFrame, StoredValue};
use crate::key::Key;
use crate::record::{FRAME_COLUMNS, Failure, Status};
use crate::study::{
    InstanceContext, InstanceRows, Journaling, Origin, Outcome, RowFile, RowResult, RowSet, RowStore,
    RowTexts, RunIdentity, RunRows, VariantColumns,
};
use crate::text::csv as csv_text;
use csv::StringRecord;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// Rows in wide layout, one instance per line: its label, instance and fact columns, then a group of
/// columns for each variant. The column of the primary metric has the name of the variant,
/// `VP_CPSUM`, and also holds the status of a run without a value. Further metrics that [the variant
/// has](crate::Study::has_metric) are `VP_CPSUM:average_yield`.
///
/// The layout is for studies with one row type, one text column for variants, numeric metrics, and
/// one row per run, in which the instance or the variant determines everything but the metrics. Rows
/// are identified by the digest of the instance and the name of the variant, so the digest must
/// cover all other settings.
#[derive(Clone, Debug)]
pub struct Wide<R> {
    layout: Layout,
    lines: Vec<Line>,
    rows: PhantomData<fn() -> R>,
}

/// Column layout of wide rows.
#[derive(Clone, Debug)]
struct Layout {
    row_type: &'static RowType,
    variants: Vec<String>,
    /// Indices of the variants, by name.
    places: FxHashMap<String, usize>,
    /// Columns of variants as (variant, index of the metric in the row type); the primary metric
    /// comes first.
    columns: Vec<(usize, usize)>,
    /// First column of each variant, followed by the end of the last one.
    first_columns_of_variants: Vec<usize>,
}

/// The results on one instance.
#[derive(Clone, Debug)]
pub struct Line {
    key: Key,
    /// Values of the columns that the instance determines, as CSV text.
    fields: Box<str>,
    message: Box<str>,
    cells: Box<[WideCell]>,
}

/// Value of a metric of a variant on an instance: a number, or a status in the payload of a NaN.
#[derive(Clone, Copy, Debug)]
pub struct WideCell(f64);

/// Bits of a quiet NaN without payload.
const NAN: u64 = 0x7ff8_0000_0000_0000;

impl WideCell {
    /// No value; for a primary metric, the variant did not run.
    const EMPTY: WideCell = WideCell::coded(0);
    /// The file that was read does not have the column.
    const UNKNOWN: WideCell = WideCell::coded(1);

    const fn coded(code: u64) -> WideCell {
        WideCell(f64::from_bits(NAN | code))
    }
    fn from_status(status: Status) -> WideCell {
        WideCell::coded(2 + status as u64)
    }
    fn from_number(number: Option<f64>) -> Option<WideCell> {
        number.filter(|number| !number.is_nan()).map(WideCell)
    }
    fn read(text: &str) -> Option<WideCell> {
        match text {
            "" => Some(WideCell::EMPTY),
            _ => match text.parse() {
                Ok(number) => WideCell::from_number(Some(number)),
                Err(_) => text.parse().ok().map(WideCell::from_status),
            },
        }
    }
    /// Returns the value of the metric.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
    /// Returns the status of the run, for a primary metric; `None` if the variant did not run.
    #[must_use]
    pub fn status(self) -> Option<Status> {
        if !self.0.is_nan() {
            return Some(Status::Ok);
        }
        let code = (self.0.to_bits() & !NAN).checked_sub(2)?;
        Status::ALL.get(code as usize).copied()
    }
    fn has_same_bits(self, other: WideCell) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl fmt::Display for WideCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value(), self.status()) {
            (Some(value), _) => value.fmt(f),
            (None, Some(status)) => status.fmt(f),
            (None, None) => Ok(()),
        }
    }
}

impl Layout {
    fn new(row_type: &'static RowType) -> Layout {
        Layout {
            row_type,
            variants: Vec::new(),
            places: FxHashMap::default(),
            columns: Vec::new(),
            first_columns_of_variants: vec![0],
        }
    }
    fn primary(&self) -> usize {
        self.row_type
            .columns
            .iter()
            .position(Column::is_primary)
            .expect("the row type in wide layout has a primary metric")
    }
    fn variant_column(&self) -> usize {
        let is_variant = |column: &Column| column.role == Role::Variant;
        self.row_type
            .columns
            .iter()
            .position(is_variant)
            .expect("the row type in wide layout has a variant column")
    }
    /// Returns the indices of the columns that the instance determines.
    fn line_columns(&self) -> impl Iterator<Item = usize> {
        let columns = self.row_type.columns.iter().enumerate();
        let is_line = |role| matches!(role, Role::Label | Role::Instance | Role::Fact);
        columns.filter(move |(_, column)| is_line(column.role)).map(|(place, _)| place)
    }
    /// Adds a variant with its secondary metrics.
    fn add(&mut self, name: String, further: impl IntoIterator<Item = usize>) {
        let variant = self.variants.len();
        let metrics = std::iter::once(self.primary()).chain(further);
        self.columns.extend(metrics.map(|metric| (variant, metric)));
        self.first_columns_of_variants.push(self.columns.len());
        self.places.insert(name.clone(), variant);
        self.variants.push(name);
    }
    /// Returns the secondary metrics with their indices.
    fn secondary_metrics(&self) -> impl Iterator<Item = (usize, &'static Column)> {
        let columns = self.row_type.columns.iter().enumerate();
        columns.filter(|(_, column)| column.is_metric() && !column.is_primary())
    }
    fn of_variants(row_type: &'static RowType, every_variant: Vec<VariantColumns>) -> Layout {
        let mut layout = Layout::new(row_type);
        let column = layout.row_type.columns[layout.variant_column()].name;
        for (labels, further) in every_variant {
            layout.add(variant_name(&labels, column).to_owned(), further);
        }
        layout
    }
    /// Derives the layout from the header of a file; `None` if the file does not have rows of this
    /// type.
    fn from_header(row_type: &'static RowType, header: &StringRecord) -> Option<Layout> {
        let mut layout = Layout::new(row_type);
        let first = layout.first_columns();
        if !header.iter().take(first.len()).eq(first.iter().copied()) {
            return None;
        }
        let groups: Vec<&str> = header.iter().skip(first.len()).collect();
        // The group of a variant begins with the column that has only its name.
        let further = |name: &str, column: &str| {
            let metric = column.strip_prefix(name)?.strip_prefix(':')?;
            row_type.columns.iter().position(|each| each.name == metric && each.is_metric())
        };
        let mut rest = groups.as_slice();
        while let [name, others @ ..] = rest {
            let metrics: Vec<usize> = others.iter().map_while(|column| further(name, column)).collect();
            rest = &others[metrics.len()..];
            layout.add((*name).to_owned(), metrics);
        }
        Some(layout)
    }
    /// Returns the names of the columns that precede those of the variants.
    fn first_columns(&self) -> Vec<&'static str> {
        let own = self.line_columns().map(|place| self.row_type.columns[place].name);
        FRAME_COLUMNS.into_iter().chain(own).collect()
    }
    /// Returns the names of the variants' columns.
    fn column_names(&self) -> impl Iterator<Item = String> {
        self.columns.iter().map(|&(variant, metric)| {
            let (variant, metric) = (&self.variants[variant], &self.row_type.columns[metric]);
            if metric.is_primary() { variant.clone() } else { format!("{variant}:{}", metric.name) }
        })
    }
    fn header(&self) -> Vec<String> {
        self.first_columns().into_iter().map(str::to_owned).chain(self.column_names()).collect()
    }
    /// Parses a record of a file with this layout.
    fn line(&self, record: &StringRecord) -> Option<Line> {
        let first = self.first_columns().len();
        if record.len() != first + self.columns.len() {
            return None;
        }
        let fields: Vec<&str> =
            record.iter().skip(FRAME_COLUMNS.len()).take(first - FRAME_COLUMNS.len()).collect();
        Some(Line {
            key: record[0].parse().ok()?,
            fields: csv_text::line(&fields).trim_end_matches('\n').into(),
            message: record[2].into(),
            cells: record.iter().skip(first).map(WideCell::read).collect::<Option<_>>()?,
        })
    }
}

/// Returns the name of a variant: its label in the variant column.
fn variant_name<'a>(labels: &'a [(&'static str, String)], column: &str) -> &'a str {
    let found = labels.iter().find(|(label, _)| *label == column);
    found.map(|(_, value)| value.as_str()).expect("every variant in wide layout has a name")
}

/// Joins the messages of several variants into one field.
fn join_messages<'a>(messages: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let one = |(name, message): (&str, &str)| format!("{name}: {}", message.replace("; ", ", "));
    messages.filter(|(_, message)| !message.is_empty()).map(one).collect::<Vec<_>>().join("; ")
}
/// Extracts the message of a variant from the joined field.
fn message_of<'a>(messages: &'a str, name: &str) -> &'a str {
    let own = |message: &'a str| message.strip_prefix(name)?.strip_prefix(": ");
    messages.split("; ").find_map(own).unwrap_or_default()
}

impl Line {
    /// Returns the values of the columns that the instance determines.
    fn fields(&self) -> Vec<String> {
        let fields = csv_text::fields(&self.fields).unwrap_or_default();
        fields.iter().map(str::to_owned).collect()
    }
    /// Returns the cell in the column with this index.
    pub fn cell(&self, column: usize) -> WideCell {
        self.cells[column]
    }
    /// Returns the status of the first failed run; `Ok` if no run failed.
    fn status(&self) -> Status {
        let statuses = self.cells.iter().filter_map(|cell| cell.status());
        statuses.into_iter().find(|status| status.is_failure()).unwrap_or_default()
    }
}

impl<R: Row> Wide<R> {
    /// Returns the instances, in the order of the scenario.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
    /// Returns the index of a variant's metric among the [cells](Line::cell) of each line.
    pub fn column(&self, variant: &str, metric: &str) -> Option<usize> {
        let &place = self.layout.places.get(variant)?;
        let mut columns = self.layout.of_variant(place);
        columns.find(|&column| self.layout.row_type.columns[self.layout.columns[column].1].name == metric)
    }
    /// Returns a row with the values that the instance determines.
    pub fn row(&self, line: &Line) -> R
    where
        R: Default,
    {
        let mut row = R::default();
        for (place, field) in self.layout.line_columns().zip(line.fields()) {
            row.set(place, &field);
        }
        row
    }
}

/// Outcome of one run.
#[derive(Debug)]
struct WideOutcome {
    /// Index of the variant in the layout.
    variant: usize,
    primary: WideCell,
    further: Box<[WideCell]>,
    message: Box<str>,
}

/// Earlier cells and messages by the key of the instance, arranged in the columns of the current
/// scenario.
#[derive(Debug, Default)]
struct EarlierLines(FxHashMap<Key, (Box<[WideCell]>, Box<str>)>);

impl EarlierLines {
    /// Loads records with these columns, in any order; returns the number of invalid ones.
    fn take(
        &mut self,
        layout: &Layout,
        header: &[String],
        records: &mut dyn Iterator<Item = StringRecord>,
    ) -> usize {
        let place = |name: &str| header.iter().rposition(|column| column == name);
        let places: Vec<Option<usize>> = layout.column_names().map(|name| place(&name)).collect();
        let message = header.iter().position(|column| column == FRAME_COLUMNS[2]);
        let mut take = |record: &StringRecord| -> Option<()> {
            if record.len() != header.len() {
                return None;
            }
            let cell = |place: &Option<usize>| {
                place.map_or(Some(WideCell::UNKNOWN), |place| WideCell::read(&record[place]))
            };
            let cells = places.iter().map(cell).collect::<Option<_>>()?;
            self.add(record[0].parse().ok()?, cells, message.map_or("", |place| &record[place]).into());
            Some(())
        };
        records.filter(|record| take(record).is_none()).count()
    }
    /// Merges a line into the known ones. Cells of the same run can only differ through time limits,
    /// which depend on the machine.
    fn add(&mut self, key: Key, cells: Box<[WideCell]>, message: Box<str>) {
        let Some((known, messages)) = self.0.get_mut(&key) else {
            self.0.insert(key, (cells, message));
            return;
        };
        for (known, cell) in known.iter_mut().zip(cells) {
            if known.has_same_bits(WideCell::UNKNOWN)
                || known.has_same_bits(WideCell::EMPTY) && !cell.has_same_bits(WideCell::UNKNOWN)
            {
                *known = cell;
            }
        }
        if !message.is_empty() {
            let separator = if messages.is_empty() { "" } else { "; " };
            *messages = format!("{messages}{separator}{message}").into();
        }
    }
}

/// Store of rows in wide layout. Outcomes are [`WideOutcome`], the rows of an instance are a
/// [`Line`].
struct WideRowStore {
    layout: Layout,
    earlier: EarlierLines,
    loaded: EarlierLines,
}

fn cells(outcome: &Outcome) -> &WideOutcome {
    outcome.downcast_ref().expect("an outcome in wide layout")
}

fn of_instance(part: &InstanceRows) -> &Line {
    part.downcast_ref().expect("rows of an instance in wide layout")
}

impl RowStore for WideRowStore {
    fn journaling(&self) -> Journaling {
        Journaling::Instances
    }

    fn files(&self) -> Vec<RowFile> {
        vec![RowFile { name: file_name(self.layout.row_type), header: self.layout.header() }]
    }

    fn journal_header(&self) -> Vec<String> {
        ["key", "message"].into_iter().map(str::to_owned).chain(self.layout.column_names()).collect()
    }

    fn journal(&self, key: Key, outcomes: &[Outcome]) -> Vec<Vec<String>> {
        let (cells, message) = self.layout.cells(outcomes);
        let cells = cells.iter().map(WideCell::to_string);
        vec![[key.to_string(), message].into_iter().chain(cells).collect()]
    }

    fn load(
        &mut self,
        _: Origin,
        header: &[String],
        records: &mut dyn Iterator<Item = StringRecord>,
    ) -> usize {
        self.loaded.take(&self.layout, header, records)
    }

    fn commit(&mut self, is_usable: bool) {
        let taken = std::mem::take(&mut self.loaded).0.into_iter().filter(|_| is_usable);
        taken.for_each(|(key, (cells, message))| self.earlier.add(key, cells, message));
    }

    fn earlier(&self, run: &RunIdentity<'_>) -> Option<Outcome> {
        let (cells, messages) = self.earlier.0.get(&run.key)?;
        let (variant, name) = self.layout.variant(run);
        let [primary, further @ ..] = &cells[self.layout.of_variant(variant)] else { return None };
        let status = primary.status()?;
        if status == Status::Ok && further.iter().any(|cell| cell.has_same_bits(WideCell::UNKNOWN)) {
            return None;
        }
        let further = match status {
            Status::Ok => further.into(),
            _ => vec![WideCell::EMPTY; further.len()].into(),
        };
        let message = message_of(messages, name).into();
        Some(Box::new(WideOutcome { variant, primary: *primary, further, message }))
    }

    fn outcome(&self, run: &RunIdentity<'_>, rows: RunRows) -> Outcome {
        let (variant, _) = self.layout.variant(run);
        let columns = &self.layout.columns[self.layout.of_variant(variant)];
        Box::new(match rows {
            Ok(rows) => {
                debug_assert_eq!(rows.len(), 1, "a run in wide layout has one row");
                let cell = |&(_, metric): &(usize, usize)| WideCell::from_number(rows[0].number(metric));
                WideOutcome {
                    variant,
                    primary: cell(&columns[0]).unwrap_or_else(|| WideCell::from_status(Status::Ok)),
                    further: columns[1..]
                        .iter()
                        .map(|column| cell(column).unwrap_or(WideCell::EMPTY))
                        .collect(),
                    message: Box::default(),
                }
            }
            Err(Failure { status, message }) => WideOutcome {
                variant,
                primary: WideCell::from_status(status),
                further: vec![WideCell::EMPTY; columns.len() - 1].into(),
                message: message.into(),
            },
        })
    }

    fn results<'a>(&self, outcome: &'a Outcome) -> Vec<RowResult<'a>> {
        let WideOutcome { primary, message, .. } = cells(outcome);
        let status = primary.status().unwrap_or_default();
        vec![RowResult { status, message, primary: primary.value() }]
    }

    fn part(&self, on: &InstanceContext<'_>, outcomes: Vec<Outcome>) -> InstanceRows {
        let columns = self.layout.line_columns().map(|place| self.layout.row_type.columns[place].name);
        let fields: Vec<&str> = columns.map(|column| on.value(column).unwrap_or_default()).collect();
        let (cells, message) = self.layout.cells(&outcomes);
        Box::new(Line {
            key: on.key,
            fields: csv_text::line(&fields).trim_end_matches('\n').into(),
            message: message.into(),
            cells: cells.into(),
        })
    }

    fn drop_earlier(&mut self, is_known: &dyn Fn(Key) -> bool) -> usize {
        std::mem::take(&mut self.earlier).0.keys().filter(|key| !is_known(**key)).count()
    }

    fn write(&self, parts: &[InstanceRows]) -> Vec<String> {
        use fmt::Write as _;
        let mut text = csv_text::line(&self.layout.header());
        for line in parts.iter().map(of_instance) {
            let message =
                if line.message.is_empty() { String::new() } else { csv_text::line(&[&*line.message]) };
            let message = message.trim_end_matches('\n');
            write!(text, "{},{},{message},{}", line.key, line.status(), line.fields)
                .expect("writing to a string cannot fail");
            for cell in &line.cells {
                write!(text, ",{cell}").expect("writing to a string cannot fail");
            }
            text.push('\n');
        }
        vec![text]
    }
}

impl<R: Row> RowSet for Wide<R> {
    type Row = R;

    fn store(every_variant: &dyn Fn() -> Vec<VariantColumns>) -> Box<dyn RowStore> {
        let layout = Layout::of_variants(&R::TYPES[0], every_variant());
        Box::new(WideRowStore { layout, earlier: EarlierLines::default(), loaded: EarlierLines::default() })
    }

    fn from_parts(keeper: Box<dyn RowStore>, parts: Vec<InstanceRows>) -> Self {
        let keeper: Box<dyn Any> = keeper;
        let WideRowStore { layout, .. } = *keeper.downcast().expect("a store in wide layout");
        let line = |part: InstanceRows| *part.downcast().expect("rows of an instance in wide layout");
        Wide { layout, lines: parts.into_iter().map(line).collect(), rows: PhantomData }
    }

    fn read(files: &RowTexts) -> Result<Self, String> {
        let (layout, lines) = read::<Vec<Line>>(&R::TYPES[0], files, |_, lines| lines.collect())?;
        Ok(Wide { layout, lines, rows: PhantomData })
    }

    fn frames(files: &RowTexts) -> Result<Vec<DataFrame>, String> {
        frames(&R::TYPES[0], files)
    }
}

fn frames(row_type: &'static RowType, files: &RowTexts) -> Result<Vec<DataFrame>, String> {
    let (_, frame) = read(row_type, files, unpivot)?;
    Ok(vec![frame])
}

impl Layout {
    /// Returns index and name of a run's variant.
    fn variant<'a>(&self, run: &RunIdentity<'a>) -> (usize, &'a str) {
        let name = variant_name(run.labels, self.row_type.columns[self.variant_column()].name);
        (*self.places.get(name).expect("`every_variant` returns all variants of the study"), name)
    }
    /// Returns the range of a variant's columns.
    fn of_variant(&self, variant: usize) -> Range<usize> {
        self.first_columns_of_variants[variant]..self.first_columns_of_variants[variant + 1]
    }
    /// Returns the cells of all outcomes, and their joined messages.
    fn cells(&self, outcomes: &[Outcome]) -> (Vec<WideCell>, String) {
        let mut all = vec![WideCell::EMPTY; self.columns.len()];
        for WideOutcome { variant, primary, further, .. } in outcomes.iter().map(cells) {
            let begin = self.first_columns_of_variants[*variant];
            all[begin] = *primary;
            all[begin + 1..][..further.len()].copy_from_slice(further);
        }
        let outcomes = outcomes.iter().map(cells);
        let messages = outcomes.map(|each| (self.variants[each.variant].as_str(), &*each.message));
        (all, join_messages(messages))
    }
}

/// Reads the file of rows: its layout, and the result of `make` on its lines.
fn read<T>(
    row_type: &'static RowType,
    files: &RowTexts,
    make: impl FnOnce(&Layout, &mut dyn Iterator<Item = Result<Line, String>>) -> Result<T, String>,
) -> Result<(Layout, T), String> {
    let name = file_name(row_type);
    let mut records = csv_text::records(files.get(&name).map_or("", String::as_str)).enumerate();
    let layout = match records.next() {
        Some((_, header)) => Layout::from_header(row_type, &header).ok_or_else(|| bad_header(&name))?,
        None => Layout::new(row_type),
    };
    let mut lines =
        records.map(|(number, record)| layout.line(&record).ok_or_else(|| bad_line(&name, number + 1)));
    let made = make(&layout, &mut lines)?;
    Ok((layout, made))
}

/// Converts lines to a frame with one row per run.
fn unpivot(
    layout: &Layout,
    lines: &mut dyn Iterator<Item = Result<Line, String>>,
) -> Result<DataFrame, String> {
    let mut frame = DataFrame::new(layout.row_type);
    let wrong = || format!("a field of {} is not valid in its column", file_name(layout.row_type));
    let mut entries = vec![StoredValue::MISSING; layout.row_type.columns.len()];
    let variant_column = layout.variant_column();
    let variants: Option<Vec<StoredValue>> =
        layout.variants.iter().map(|name| frame.entry(variant_column, name)).collect();
    let variants = variants.ok_or_else(wrong)?;
    for line in lines {
        let line = line?;
        for (place, field) in layout.line_columns().zip(line.fields()) {
            entries[place] = frame.entry(place, &field).ok_or_else(wrong)?;
        }
        for (variant, &entry) in variants.iter().enumerate() {
            let columns = layout.of_variant(variant);
            let Some(status) = line.cells[columns.start].status() else { continue };
            entries[variant_column] = entry;
            layout.secondary_metrics().for_each(|(metric, _)| entries[metric] = StoredValue::MISSING);
            for column in columns {
                let value = line.cells[column].value().unwrap_or(f64::NAN);
                entries[layout.columns[column].1] = StoredValue::number(value);
            }
            frame.push_entries(status, message_of(&line.message, &layout.variants[variant]), &entries);
        }
    }
    Ok(frame)
}
