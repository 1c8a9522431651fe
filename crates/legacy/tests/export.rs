//! Rows in formats that tell numbers from texts.

use dfrsim_legacy::{Datum, Kind, Results, Row, RunOptions, Scenario, export, run};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Four rows: a policy with ticks and one without, with two taus each; then the last one is made to have failed.
fn results() -> Results {
    let text = "study = 'online'\npolicies = ['FCFS', '/per/OPT=MIN']\nsimulation = { tau = [10, 0.5] }\n\
        [[workloads]]\nname = 'the \"model\"'\nnodes = 8\nlublin = { traces = 1, jobs = 20, loads = 0.7 }\n";
    let scenario = Scenario::parse(text, "few.toml", &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
    run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    let mut results = Results::read(folder.path()).unwrap();
    assert_eq!(results.rows.len(), 4);
    results.rows[3].outcome = Err("it got stuck".to_owned());
    results
}

fn value<'a>(data: &'a [Datum], column: &str) -> &'a Datum {
    &data[Row::columns().position(|name| name == column).unwrap()]
}

/// The first row is FCFS, which has no ticks, with tau 10 s; the last one has tau 0.5 s, and failed.
#[test]
fn data_have_the_kinds_of_their_columns() {
    let rows = results().rows;
    assert_eq!(Row::kinds().count(), Row::columns().count());
    for row in &rows {
        assert!(row.data().iter().map(Datum::kind).eq(Row::kinds()));
    }
    let first = rows[0].data();
    for (column, expected) in [
        ("workload", Datum::Text("the \"model\"".to_owned())),
        ("load", Datum::Number(0.7)),
        ("period_s", Datum::Missing(Kind::Number)),
        ("packing", Datum::Missing(Kind::Text)),
        ("tau_s", Datum::Number(10.0)),
        ("jobs", Datum::Integer(20)),
        ("message", Datum::Missing(Kind::Text)),
        ("pauses", Datum::Integer(0)),
        ("max_stretch", Datum::Number(rows[0].outcome.as_ref().unwrap().max_stretch)),
    ] {
        assert_eq!(value(&first, column), &expected, "{column}");
    }
    let failed = rows[3].data();
    for (column, expected) in [
        ("period_s", Datum::Number(600.0)),
        ("packing", Datum::Text("cp".to_owned())),
        ("tau_s", Datum::Number(0.5)),
        ("status", Datum::Text("failed".to_owned())),
        ("message", Datum::Text("it got stuck".to_owned())),
        ("pauses", Datum::Missing(Kind::Integer)),
        ("max_stretch", Datum::Missing(Kind::Number)),
    ] {
        assert_eq!(value(&failed, column), &expected, "{column}");
    }
}

#[test]
fn lines_of_json_hold_the_data() {
    let rows = results().rows;
    let mut out = Vec::new();
    export::json_lines(&rows, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), rows.len());
    for (line, row) in text.lines().zip(&rows) {
        assert!(
            line.starts_with(&format!("{{\"key\":\"{}\",\"workload\":\"the \\\"model\\\"\",", row.key)),
            "{line}"
        );
        let object: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
        assert_eq!(object.len(), Row::columns().count());
        for (column, datum) in Row::columns().zip(row.data()) {
            let found = object[column].get();
            match datum {
                Datum::Text(text) => assert_eq!(serde_json::from_str::<String>(found).unwrap(), text),
                Datum::Integer(count) => assert_eq!(found, count.to_string(), "{column}"),
                Datum::Number(number) => assert_eq!(found.parse(), Ok(number), "{column}"),
                Datum::Missing(_) => assert_eq!(found, "null", "{column}"),
            }
        }
    }
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use super::*;
    use parquet::basic::Type;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use std::fs::File;

    #[test]
    fn a_parquet_file_reads_back_with_its_types() {
        let results = results();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        export::parquet(&results, File::create(&path).unwrap()).unwrap();

        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let metadata = reader.metadata().file_metadata();
        let types = metadata.schema_descr().columns().iter();
        let types: Vec<(&str, Type)> = types.map(|column| (column.name(), column.physical_type())).collect();
        let physical = |kind| match kind {
            Kind::Text => Type::BYTE_ARRAY,
            Kind::Integer => Type::INT64,
            Kind::Number => Type::DOUBLE,
        };
        let expected: Vec<(&str, Type)> = Row::columns().zip(Row::kinds().map(physical)).collect();
        assert_eq!(types, expected);
        let pairs = metadata.key_value_metadata().unwrap();
        let scenario = pairs.iter().find(|pair| pair.key == "dfrsim.scenario").unwrap();
        assert_eq!(scenario.value.as_deref(), Some(results.scenario.as_str()));

        let read: Vec<Vec<Field>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect())
            .collect();
        let field = |datum| match datum {
            Datum::Text(text) => Field::Str(text),
            Datum::Integer(count) => Field::Long(i64::try_from(count).unwrap()),
            Datum::Number(number) => Field::Double(number),
            Datum::Missing(_) => Field::Null,
        };
        let expected: Vec<Vec<Field>> =
            results.rows.iter().map(|row| row.data().into_iter().map(field).collect()).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn no_rows_are_a_table_too() {
        let results = Results { rows: Vec::new(), ..results() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        export::parquet(&results, File::create(&path).unwrap()).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
