//! Kinds of texts, by their first lines.

use super::foreign::{self, Foreign};
use super::json;
use super::kind::Kind;
use crate::formats::table::{Form, Shape, is_accasim_job};
use crate::log::Field;
use dfrsim_model::platform::series;
use std::path::Path;

/// Number of fields from which a line of numbers is taken for SWF. Shorter ones are tables.
const FEWEST_SWF_FIELDS: usize = 15;
/// Number of fields of the Grid Workloads Format.
const GWF_FIELDS: usize = 29;
/// Number of colons from which a line is taken for accounting of Grid Engine, which has 43 fields or
/// more.
const FEWEST_SGE_COLONS: usize = 40;

/// Recognises a text, of which the first part is given. The name is used only for texts that could
/// be of several kinds.
pub(super) fn recognise(text: &str, is_whole: bool, name: &Path) -> Kind {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines: Vec<&str> = text.lines().collect();
    if !is_whole && lines.len() > 1 && !text.ends_with('\n') {
        lines.pop();
    }
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
    let Some(first) = lines.first() else { return Kind::Foreign(&foreign::EMPTY) };
    let start = text.trim_start();
    if start.starts_with('<') {
        return Kind::Foreign(markup(start));
    }
    if start.starts_with("#!") {
        return Kind::Foreign(&foreign::SCRIPT);
    }
    if start.starts_with('{') || start.starts_with('[') && !is_toml_table(first) {
        return json::recognise(start);
    }
    if first.starts_with(';') {
        return Kind::Swf;
    }
    let content: Vec<&str> =
        lines.iter().copied().filter(|line| !line.trim_start().starts_with(['#', ';'])).collect();
    let has_hash = first.trim_start().starts_with('#');
    let Some(top) = content.first() else {
        return if is_named(name, "gwf") { Kind::Gwf } else { Kind::Swf };
    };
    if is_pbs(top) {
        return Kind::Pbs;
    }
    if let Some(foreign) = configuration(&content).or_else(|| output(top)).or_else(|| series_of(text, top)) {
        return Kind::Foreign(foreign);
    }
    if let Some(kind) = numbers(&content, has_hash, name) {
        return kind;
    }
    named_columns(&lines, &content).unwrap_or_else(|| {
        let start: String = top.trim().chars().take(40).collect();
        Kind::Text(start.escape_debug().to_string())
    })
}

fn is_named(path: &Path, extension: &str) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(&format!(".{extension}"))
}

fn markup(text: &str) -> &'static Foreign {
    let start: String = text.chars().take(2_000).collect::<String>().to_ascii_lowercase();
    let kinds = [
        ("<html", &foreign::HTML),
        ("<!doctype html", &foreign::HTML),
        ("<platform", &foreign::SIMGRID),
        ("<domain", &foreign::LIBVIRT),
    ];
    kinds.into_iter().find(|(mark, _)| start.contains(mark)).map_or(&foreign::XML, |(_, kind)| kind)
}

/// Returns whether the line is the head of a TOML table, such as `[[workloads]]`.
fn is_toml_table(line: &str) -> bool {
    let line = line.trim();
    let name = line.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
    line.contains(']')
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Returns whether the line has the form `MM/DD/YYYY HH:MM:SS;TYPE;`.
fn is_pbs(line: &str) -> bool {
    let mut parts = line.split(';');
    let (at, kind) = (parts.next().unwrap_or_default().trim(), parts.next().unwrap_or_default().trim());
    let shape = |text: &str| -> String {
        text.chars().map(|letter| if letter.is_ascii_digit() { '9' } else { letter }).collect()
    };
    shape(at) == "99/99/9999 99:99:99" && !kind.is_empty() && kind.len() <= 2 && parts.next().is_some()
}

/// Recognises configuration files by lines of the form `KEY=VALUE` or `[table]`.
fn configuration(lines: &[&str]) -> Option<&'static Foreign> {
    let has_key = |line: &str, keys: &[&str]| {
        let key = line.split('=').next().unwrap_or_default().trim();
        line.contains('=') && keys.iter().any(|known| known.eq_ignore_ascii_case(key))
    };
    const SLURM: [&str; 10] = [
        "NodeName",
        "PartitionName",
        "ClusterName",
        "SlurmctldHost",
        "ControlMachine",
        "SlurmUser",
        "AuthType",
        "SchedulerType",
        "SelectType",
        "SlurmctldPort",
    ];
    let first = lines.first()?;
    let jobs = |line: &str| line.trim_start().starts_with("JobId=");
    if jobs(first) {
        let is_completed =
            first.contains(" UserId=") && first.contains(" EndTime=") && !first.contains(" JobName=");
        return Some(if is_completed { &foreign::JOBCOMP } else { &foreign::SCONTROL_JOBS });
    }
    if first.starts_with("NodeName=") && [" Arch=", " CfgTRES="].iter().any(|key| first.contains(key)) {
        return Some(&foreign::SINFO);
    }
    if first.starts_with("LicenseName=") {
        return Some(&foreign::LICENCES);
    }
    const BURST_BUFFER: [&str; 5] =
        ["GetSysState", "StageInTimeout", "StageOutTimeout", "CreateBuffer", "Directive"];
    let is_buffer = first.starts_with("Name=") && first.contains(" TotalSpace=");
    if is_buffer
        || lines.iter().all(|line| line.contains('='))
            && lines.iter().any(|line| has_key(line, &BURST_BUFFER))
    {
        return Some(&foreign::BURST_BUFFER);
    }
    if lines.iter().any(|line| has_key(line, &SLURM)) {
        return Some(&foreign::SLURM_CONF);
    }
    let is_table = |line: &&str, name: &str| {
        let line = line.trim();
        is_toml_table(line)
            && line.starts_with('[')
            && line.trim_matches(['[', ']']).split('.').next() == Some(name)
    };
    let has_table = |name: &str| lines.iter().any(|line| is_table(line, name));
    if lines.iter().any(|line| has_key(line, &["study"])) || has_table("workloads") {
        return Some(&foreign::SCENARIO);
    }
    if has_table("job") {
        return Some(&foreign::MAP);
    }
    if has_table("classes") || has_table("reference") {
        return Some(&foreign::PLATFORM);
    }
    let is_toml = |line: &str| {
        let (key, value) = line.split_once('=').unwrap_or_default();
        let is_key = |key: &str| {
            !key.is_empty()
                && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        is_toml_table(line) && line.trim_start().starts_with('[')
            || is_key(key.trim()) && value.starts_with(' ')
    };
    is_toml(first).then_some(&foreign::TOML)
}

/// Recognises series of carbon intensities and prices by the names of their columns, unless these also
/// name jobs.
fn series_of(text: &str, first: &str) -> Option<&'static Foreign> {
    let lower = first.to_ascii_lowercase();
    let is_of_jobs = ["job", "user", "submit", "task"].into_iter().any(|word| lower.contains(word));
    let is_relative = lower.starts_with("from_s,") && lower.contains("_per_kwh");
    (!is_of_jobs && (is_relative || !text.starts_with(';') && series::is_calendar(text)))
        .then_some(&foreign::INTENSITY)
}

/// Recognises outputs and accounting files of schedulers by their first line.
fn output(first: &str) -> Option<&'static Foreign> {
    let line = first.trim();
    if line.starts_with("\"JOB_") || line.starts_with("\"EVENT_") {
        return Some(&foreign::LSB_ACCT);
    }
    if is_accasim_job(line) {
        return Some(&foreign::ACCASIM);
    }
    if ["Cluster - ", "Parent - ", "Account - ", "User - "].iter().any(|start| line.starts_with(start)) {
        return Some(&foreign::SACCTMGR_DUMP);
    }
    if line.starts_with("Job <") || line.starts_with("Summary of time in seconds spent") {
        return Some(&foreign::BJOBS);
    }
    if line.bytes().filter(|&byte| byte == b':').count() >= FEWEST_SGE_COLONS {
        return Some(&foreign::SGE);
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let starts = |names: &[&str]| words.starts_with(names);
    let kinds: [(bool, &Foreign); 5] = [
        (starts(&["JOBID", "PARTITION"]), &foreign::SQUEUE),
        (starts(&["JOBID", "USER", "STAT"]) || starts(&["JOBID", "USER", "JOB_NAME"]), &foreign::BJOBS),
        (starts(&["PARTITION", "AVAIL"]) || starts(&["NODELIST", "NODES"]), &foreign::SINFO),
        (starts(&["Job", "id", "Name"]) || starts(&["Job", "ID", "Username"]), &foreign::QSTAT),
        (line.starts_with("job-ID "), &foreign::QSTAT),
    ];
    kinds.into_iter().find(|(holds, _)| *holds).map(|(_, kind)| kind)
}

/// Recognises lines of numbers that are separated by blanks: SWF, with or without a line of names,
/// GWF, or another table.
fn numbers(lines: &[&str], has_hash: bool, name: &Path) -> Option<Kind> {
    let fields = |line: &str| -> Vec<String> { line.split_ascii_whitespace().map(str::to_owned).collect() };
    let is_number = |field: &String| field.parse::<f64>().is_ok();
    let first = fields(lines.first()?);
    let numbers =
        |fields: &[String]| fields.iter().take(Field::COUNT).filter(|field| is_number(field)).count();
    let second = lines.get(1).map(|line| fields(line)).unwrap_or_default();
    // Texts with delimiters have few fields between blanks.
    let of_numbers =
        |fields: &[String]| fields.len() > 1 && 2 * numbers(fields) > fields.len().min(Field::COUNT);
    let is_gwf = |fields: &[String]| {
        let texts = fields.get(11..16).unwrap_or_default().iter().any(|field| !is_number(field));
        fields.len() == GWF_FIELDS
            || is_named(name, "gwf")
            || has_hash && fields.len() > Field::COUNT && texts
    };
    if of_numbers(&first) {
        if is_gwf(&first) {
            return Some(Kind::Gwf);
        }
        let longest = lines.iter().take(6).map(|line| fields(line).len()).max().unwrap_or(0);
        let table = (longest < FEWEST_SWF_FIELDS).then(|| Shape::of_blanks(lines)).flatten();
        return Some(table.map_or(Kind::Swf, Kind::Table));
    }
    let has_names = first.len() >= FEWEST_SWF_FIELDS && numbers(&first) == 0;
    let is_table = has_names && of_numbers(&second) && second.len() >= FEWEST_SWF_FIELDS;
    is_table.then_some(if is_gwf(&second) { Kind::Gwf } else { Kind::Swf })
}

/// Recognises tables by the names of their columns.
fn named_columns(lines: &[&str], content: &[&str]) -> Option<Kind> {
    let words: Vec<&str> = content.first()?.split_ascii_whitespace().collect();
    let has_word = |name: &str| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    let is_ruled =
        content.get(1).is_some_and(|line| line.trim().bytes().all(|byte| matches!(byte, b'-' | b' ')));
    if (has_word("JobID") || has_word("JobIDRaw"))
        && (is_ruled || has_word("State"))
        && !content[0].contains('|')
    {
        let is_fixed = Shape::of_lines(content).is_none_or(|shape| shape.count < words.len());
        if is_fixed {
            return Some(Kind::Slurm);
        }
    }
    // A delimiter or a line break in a field gives lines another number of columns.
    let has_name = |name: &str| content[0].split('|').any(|column| column.trim().eq_ignore_ascii_case(name));
    if has_name("State") && (has_name("JobID") || has_name("JobIDRaw")) {
        return Some(Kind::Slurm);
    }
    let shape = Shape::of_lines(content);
    // A line of names may begin with the character of comments.
    let commented = || {
        let first = lines.first()?.trim_start().strip_prefix('#')?.trim_start();
        let with_names: Vec<&str> = std::iter::once(first).chain(content.iter().copied()).collect();
        Shape::of_lines(&with_names).filter(|shape| !shape.columns.is_empty())
    };
    let shape = match shape {
        Some(shape) if shape.columns.is_empty() => commented().or(Some(shape)),
        shape => shape,
    };
    let Some(shape) = shape else {
        let blanks = Shape::of_blanks(content).filter(|shape| shape.count > 2)?;
        return Some(Kind::Table(blanks));
    };
    Some(of_columns(&shape).unwrap_or(Kind::Table(shape)))
}

/// Recognises a kind by its columns.
fn of_columns(shape: &Shape) -> Option<Kind> {
    let has = |names: &[&str]| shape.has_all(names);
    if (has(&["JobID"]) || has(&["JobIDRaw"])) && has(&["State"]) {
        return Some(Kind::Slurm);
    }
    let is_listing = shape.form == Form::Delimited(b'|');
    let kinds: [(bool, &Foreign); 7] = [
        (is_listing && has(&["Account", "User", "Share"]), &foreign::SACCTMGR_ASSOC),
        (is_listing && has(&["Name", "GraceTime"]), &foreign::SACCTMGR_QOS),
        (is_listing && has(&["Account", "User", "RawShares"]), &foreign::SACCTMGR_OTHER),
        (is_listing && has(&["Cluster", "NodeName"]), &foreign::SACCTMGR_OTHER),
        (is_listing && has(&["PARTITION", "JOBID", "ST"]), &foreign::SQUEUE),
        (has(&["job_id", "success", "waiting_time"]), &foreign::JOBS_OUT),
        (has(&["workload", "policy", "instance"]), &foreign::ROWS),
    ];
    kinds.into_iter().find(|(holds, _)| *holds).map(|(_, kind)| Kind::Foreign(kind))
}
