//! Maps from the columns of a table to the fields of a job.

use super::field::{JobField, Quantity};
use super::path::Path as ColumnPath;
use super::value::{TimeFormat, Unit};
use dfrsim_input::{Faults, Input, Located, Reader};
use dfrsim_model::named;
use std::collections::BTreeMap;
use std::path::Path;

named! {
    /// Form of a table.
    pub enum TableForm as "form" {
        /// Values between delimiters, with quotes around those that contain one.
        Delimited = "delimited",
        /// Values between blanks.
        Blanks = "blanks",
        /// A JSON object for each job: one for each line, or in a list.
        Json = "json",
        /// Words `KEY=VALUE`, one line for each job.
        Pairs = "pairs",
        /// LSF's `lsb.acct`.
        LsbAcct = "lsb.acct",
        /// A dispatching plan of AccaSim.
        AccaSim = "accasim",
    }
}

named! {
    /// Basis of an amount of memory.
    pub(super) enum Per as "unit of allocation" {
        Job = "job",
        Node = "node",
        Processor = "processor",
    }
}

/// A map from the columns of a table to the fields of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Name in messages: that of a shipped map, or the path of its file.
    pub name: String,
    /// Data set or program that the map is for.
    pub source: String,
    pub(super) form: Option<TableForm>,
    pub(super) delimiter: Option<u8>,
    /// Names of the columns, if the table has none.
    pub(super) names: Vec<String>,
    pub(super) comment: Option<u8>,
    /// True if rows may have more values than there are columns.
    pub(super) has_surplus: bool,
    /// Keys that lead to the list of jobs in a JSON document.
    pub(super) path: Vec<String>,
    /// Texts that stand for an absent value.
    pub(super) missing: Vec<String>,
    pub(super) skips: Vec<Skip>,
    /// True if each job is one task, as a pod is.
    pub(super) has_one_task: bool,
    /// Number of equal parts of a core in which processors are counted.
    core_parts: u32,
    /// Rates by which values are divided, by the texts of the columns that determine them.
    pub(super) rates: BTreeMap<String, f64>,
    pub(super) fields: Vec<(JobField, MapEntry)>,
}

/// Rows that are not jobs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skip {
    pub(super) column: ColumnPath,
    /// Values of such rows.
    pub(super) is: Vec<String>,
    /// Values of all other rows.
    pub(super) is_not: Vec<String>,
    pub(super) reason: String,
}

/// The columns of a field, with the meaning of their values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapEntry {
    /// The first one present is read.
    pub(super) columns: Vec<ColumnPath>,
    /// Column whose values are factors.
    pub(super) times: Option<ColumnPath>,
    /// Column whose times are subtracted.
    pub(super) minus: Option<ColumnPath>,
    /// Columns whose texts determine the rate by which the value is divided; empty if there is none.
    pub(super) rate_of: Vec<ColumnPath>,
    pub(super) formats: Vec<TimeFormat>,
    pub(super) unit: Option<Unit>,
    pub(super) factor: f64,
    pub(super) per: Per,
    /// Key of the value in a list such as `cpu=4,mem=8G`.
    pub(super) key: Option<String>,
    /// True if the number of items in a list is the value.
    pub(super) is_count: bool,
    /// True if a part above one stands for whole units.
    pub(super) is_whole_above_one: bool,
    /// True if the table may lack the column.
    pub(super) is_optional: bool,
    pub(super) missing: Vec<String>,
    pub(super) states: States,
}

/// Names of states.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct States {
    pub(super) completed: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) cancelled: Vec<String>,
    /// States of jobs that have not ended.
    pub(super) running: Vec<String>,
    pub(super) otherwise: Option<Otherwise>,
}

named! {
    /// Meaning of all other states.
    pub(super) enum Otherwise as "state" {
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
        Unknown = "unknown",
    }
}

/// States of Slurm, for maps without names of states.
fn slurm_states() -> States {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    States {
        completed: names(&["COMPLETED"]),
        failed: names(&[
            "FAILED",
            "TIMEOUT",
            "NODE_FAIL",
            "OUT_OF_MEMORY",
            "PREEMPTED",
            "BOOT_FAIL",
            "DEADLINE",
            "LAUNCH_FAILED",
            "RECONFIG_FAIL",
            "SPECIAL_EXIT",
            "REQUEUED",
        ]),
        cancelled: names(&["CANCELLED", "REVOKED"]),
        running: names(&["PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "RESIZING"]),
        otherwise: None,
    }
}

/// Texts that stand for an absent value if the map names none.
const MISSING: [&str; 12] =
    ["null", "NULL", "None", "none", "NaN", "nan", "NaT", "N/A", "NA", "\\N", "Unknown", "-"];

const TOP_KEYS: [&str; 5] = ["source", "table", "job", "skip", "rates"];
const TABLE_KEYS: [&str; 10] =
    ["form", "delimiter", "names", "surplus", "comment", "path", "missing", "time", "one_task", "core_parts"];

/// Largest number of parts of a core in which processors are counted.
const MAX_CORE_PARTS: u32 = 1_000;
const ENTRY_KEYS: [&str; 18] = [
    "column",
    "key",
    "times",
    "minus",
    "rate_of",
    "format",
    "unit",
    "factor",
    "per",
    "count",
    "whole_above_one",
    "optional",
    "missing",
    "completed",
    "failed",
    "cancelled",
    "running",
    "otherwise",
];

impl Map {
    /// Reads the map of a file.
    ///
    /// # Errors
    ///
    /// All errors in the file.
    pub fn open(path: &Path) -> Result<Map, Faults> {
        let text = dfrsim_input::read_text(path)?;
        Map::parse(&path.display().to_string(), &text)
    }

    /// Parses a map. `name` is its name in messages.
    ///
    /// # Errors
    ///
    /// All errors in the text.
    pub fn parse(name: &str, text: &str) -> Result<Map, Faults> {
        let input = Input::toml(name, text)?;
        let mut reader = Reader::default();
        let map = read_map(&mut reader, &input, name);
        reader.finish(map)
    }

    /// Returns the columns that the table must have, in the order of the fields; empty if the table
    /// has no names of columns.
    pub fn required_columns(&self) -> impl Iterator<Item = &str> {
        let entries = self.fields.iter().filter(|(_, entry)| !entry.is_optional && entry.columns.len() == 1);
        let named = entries.flat_map(|(_, entry)| entry.all_columns());
        named.filter(|_| self.names.is_empty()).map(ColumnPath::top)
    }

    /// Returns whether the map has the nodes of jobs, or each job is one task.
    pub fn has_nodes(&self) -> bool {
        self.has_one_task || self.fields.iter().any(|(field, _)| *field == JobField::Nodes)
    }
    /// Returns the number of equal parts of a core in which processors are counted; 1 if they are
    /// whole cores.
    pub fn core_parts(&self) -> u32 {
        self.core_parts
    }
    /// Returns whether the map is for values between blanks.
    pub(crate) fn is_of_blanks(&self) -> bool {
        self.form == Some(TableForm::Blanks)
    }
}

impl MapEntry {
    pub(super) fn all_columns(&self) -> impl Iterator<Item = &ColumnPath> {
        self.columns.iter().chain(&self.times).chain(&self.minus).chain(&self.rate_of)
    }
}

fn read_map(reader: &mut Reader, input: &Input, name: &str) -> Option<Map> {
    let root = reader.object(&input.root(), &TOP_KEYS)?;
    let source = match root.get("source") {
        Some(at) => reader.text(&at).map(str::to_owned),
        None => Some(name.to_owned()),
    };
    let table = root.get("table").and_then(|at| reader.object(&at, &TABLE_KEYS));
    let table = table.as_ref();
    let get = |key: &str| table.and_then(|table| table.get(key));
    let byte = |reader: &mut Reader, at: Located<'_>| {
        let byte = at.text().filter(|text| text.len() == 1).map(|text| text.as_bytes()[0]);
        reader.expected(&at, byte, || "one character, such as \",\" or \"\\t\"")
    };
    let form = get("form").and_then(|at| reader.named::<TableForm>(&at));
    let delimiter = get("delimiter").and_then(|at| byte(reader, at));
    let comment = get("comment").and_then(|at| byte(reader, at));
    let has_surplus = match get("surplus") {
        Some(at) => reader.boolean(&at)?,
        None => false,
    };
    let has_one_task = match get("one_task") {
        Some(at) => reader.boolean(&at)?,
        None => false,
    };
    let core_parts = match get("core_parts") {
        Some(at) => reader.integer(&at, 1..=MAX_CORE_PARTS)?,
        None => 1,
    };
    let names = get("names").map_or(Some(Vec::new()), |at| texts(reader, &at))?;
    let missing = match get("missing") {
        Some(at) => texts(reader, &at)?,
        None => MISSING.iter().map(|&text| text.to_owned()).collect(),
    };
    let path = get("path")
        .and_then(|at| reader.text(&at))
        .map_or(Vec::new(), |path| path.split('.').map(str::to_owned).collect());
    let time = match get("time") {
        Some(at) => time_formats(reader, &at)?,
        None => vec![TimeFormat::Any],
    };
    let skips = reader.each_of(&root, "skip", read_skip);
    let rates = root.get("rates").map_or(Some(BTreeMap::new()), |at| read_rates(reader, &at));
    let job = reader.field(&root, "job")?;
    let known: Vec<&str> = JobField::ALL.iter().map(|field| field.name()).collect();
    let fields = reader.object(&job, &known)?;
    if let (true, Some(at)) = (has_one_task, fields.get(JobField::Nodes.name())) {
        reader.fault(&at, "expected no nodes, since each job is one task (`one_task`)");
    }
    let mut entries = Vec::new();
    for &field in JobField::ALL {
        if let Some(at) = fields.get(field.name()) {
            if root.get("rates").is_none() && at.object().is_some_and(|entry| entry.get("rate_of").is_some())
            {
                reader
                    .fault(&at, "expected a table `[rates]`, in which the texts of `rate_of` are looked up");
            }
            entries.extend(read_entry(reader, &at, field, &time).map(|entry| (field, entry)));
        }
    }
    let has = |of: &[JobField]| of.iter().any(|field| fields.get(field.name()).is_some());
    for (needed, text) in [
        (&[JobField::Submit][..], "submit"),
        (&[JobField::RunTime, JobField::End], "run_time, or start and end"),
        (
            &[JobField::Processors, JobField::RequestedProcessors, JobField::Nodes],
            "processors, requested_processors or nodes",
        ),
    ] {
        if !has(needed) {
            reader.fault(&job, format!("missing field: {text}"));
        }
    }
    if !has(&[JobField::RunTime]) && has(&[JobField::End]) && !has(&[JobField::Start, JobField::Wait]) {
        reader.fault(&job, "missing field: start or wait, since without run_time the run time is that from the start to the end");
    }
    let (name, skips) = (name.to_owned(), skips?);
    Some(Map {
        name,
        source: source?,
        form,
        delimiter,
        names,
        has_surplus,
        comment,
        path,
        missing,
        skips,
        has_one_task,
        core_parts,
        rates: rates?,
        fields: entries,
    })
}

/// Reads the rates by the texts that determine them, such as `"ResNet-18, 2" = 4.5`.
fn read_rates(reader: &mut Reader, at: &Located<'_>) -> Option<BTreeMap<String, f64>> {
    let object = reader.expected(at, at.object(), || "a table of numbers above 0")?;
    let positive = |rate: f64| (rate.is_finite() && rate > 0.0).then_some(rate);
    object
        .iter()
        .map(|(key, place)| Some((key.to_owned(), reader.number(&place, "a number above 0", positive)?)))
        .collect()
}

fn texts(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<String>> {
    let items = reader.list(at)?;
    reader.each(&items, |reader, item| reader.expected(item, item.text().map(str::to_owned), || "a text"))
}

fn read_skip(reader: &mut Reader, at: &Located<'_>) -> Option<Skip> {
    let skip = reader.object(at, &["column", "is", "is_not", "reason"])?;
    let column = reader.field(&skip, "column").and_then(|at| column(reader, &at));
    let reason = reader.field(&skip, "reason").and_then(|at| reader.text(&at).map(str::to_owned));
    let mut list = |key: &str| skip.get(key).map_or(Some(Vec::new()), |at| texts(reader, &at));
    let (is, is_not) = (list("is")?, list("is_not")?);
    if is.is_empty() == is_not.is_empty() {
        reader.fault(at, "expected a list of values, either `is` or `is_not`");
    }
    Some(Skip { column: column?, is, is_not, reason: reason? })
}

fn column(reader: &mut Reader, at: &Located<'_>) -> Option<ColumnPath> {
    reader.text(at).map(ColumnPath::parse)
}

fn time_formats(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<TimeFormat>> {
    let items = if at.is_list() { reader.list(at)? } else { vec![at.clone()] };
    reader.each(&items, |reader, item| {
        let format = item.text().and_then(TimeFormat::parse);
        reader.expected(
            item,
            format,
            || "unix, unix-ms, unix-us, unix-ns, any, or a format such as %Y-%m-%d %H:%M:%S",
        )
    })
}

fn read_entry(
    reader: &mut Reader,
    at: &Located<'_>,
    field: JobField,
    time: &[TimeFormat],
) -> Option<MapEntry> {
    let mut entry = MapEntry {
        columns: Vec::new(),
        times: None,
        minus: None,
        rate_of: Vec::new(),
        formats: time.to_vec(),
        unit: None,
        factor: 1.0,
        per: Per::Job,
        key: None,
        is_count: false,
        is_whole_above_one: false,
        is_optional: false,
        missing: Vec::new(),
        states: slurm_states(),
    };
    let Some(object) = at.object() else {
        entry.columns.push(column(reader, at)?);
        return Some(entry);
    };
    let object = reader.object(&object.place().clone(), &ENTRY_KEYS)?;
    let given = reader.field(&object, "column")?;
    let list = if given.is_list() { reader.list(&given)? } else { vec![given] };
    entry.columns = reader.each(&list, column)?;
    let quantity = field.quantity();
    let may_have = |key: &str| match key {
        "times" | "factor" => matches!(quantity, Quantity::Count | Quantity::Duration | Quantity::Memory),
        "minus" | "rate_of" => matches!(quantity, Quantity::Duration),
        "format" => matches!(quantity, Quantity::Time | Quantity::Duration),
        "unit" => matches!(quantity, Quantity::Duration | Quantity::Memory),
        "per" => quantity == Quantity::Memory,
        "count" => quantity == Quantity::Count,
        "whole_above_one" => field == JobField::GpuPart,
        "completed" | "failed" | "cancelled" | "running" | "otherwise" => quantity == Quantity::Status,
        _ => true,
    };
    for (key, place) in object.iter().filter(|(key, _)| !may_have(key)) {
        reader.fault(&place, format!("`{key}` has no meaning for the field `{field}`"));
    }
    if let Some(place) = object.get("times") {
        entry.times = Some(column(reader, &place)?);
    }
    if let Some(place) = object.get("minus") {
        entry.minus = Some(column(reader, &place)?);
    }
    if let Some(place) = object.get("rate_of") {
        let list = if place.is_list() { reader.list(&place)? } else { vec![place] };
        entry.rate_of = reader.each(&list, column)?;
    }
    if let Some(place) = object.get("format") {
        entry.formats = time_formats(reader, &place)?;
    }
    if let Some(place) = object.get("unit") {
        let unit = reader.named::<Unit>(&place)?;
        if unit.is_of_time() == (quantity == Quantity::Memory) {
            reader.fault(&place, format!("`{unit}` is not a unit of the field `{field}`"));
        }
        entry.unit = Some(unit);
    }
    if let Some(place) = object.get("factor") {
        let positive = |factor: f64| (factor.is_finite() && factor > 0.0).then_some(factor);
        entry.factor = reader.number(&place, "a number above 0", positive)?;
    }
    if let Some(place) = object.get("key") {
        entry.key = Some(reader.text(&place)?.to_owned());
    }
    if let Some(place) = object.get("per") {
        entry.per = reader.named(&place)?;
    }
    for (key, flag) in [
        ("count", &mut entry.is_count),
        ("whole_above_one", &mut entry.is_whole_above_one),
        ("optional", &mut entry.is_optional),
    ] {
        if let Some(place) = object.get(key) {
            *flag = reader.boolean(&place)?;
        }
    }
    if let Some(place) = object.get("missing") {
        entry.missing = texts(reader, &place)?;
    }
    entry.states = read_states(reader, &object)?;
    Some(entry)
}

fn read_states(reader: &mut Reader, object: &dfrsim_input::Object<'_>) -> Option<States> {
    let mut states = States::default();
    for (key, names) in [
        ("completed", &mut states.completed),
        ("failed", &mut states.failed),
        ("cancelled", &mut states.cancelled),
        ("running", &mut states.running),
    ] {
        if let Some(place) = object.get(key) {
            *names = texts(reader, &place)?;
        }
    }
    if let Some(place) = object.get("otherwise") {
        states.otherwise = Some(reader.named(&place)?);
    }
    Some(if states == States::default() { slurm_states() } else { states })
}
