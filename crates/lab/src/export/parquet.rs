//! Output of rows as a Parquet file.

use super::{columns, datum};
use crate::column::Kind;
use crate::data::{DataFrame, Datum};
use crate::results::Results;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

pub use parquet::errors::ParquetError as Error;

/// Writes rows of one type as a Parquet table, for pandas, Polars, DuckDB and others. The output
/// should be buffered.
///
/// | values | type |
/// |---|---|
/// | texts | `BYTE_ARRAY`, annotated as string |
/// | integers | `INT64` |
/// | other numbers | `DOUBLE`, bit by bit the same |
/// | durations | `DOUBLE`, in seconds: exact to the microsecond for up to 285 years |
/// | booleans | `BOOLEAN` |
///
/// Every column is optional; missing values are null. The file's metadata contains the scenario as
/// TOML under `dfrsim.scenario`, study and version of the crate under `dfrsim.study` and
/// `dfrsim.version`, and units under `dfrsim.unit.COLUMN`.
///
/// # Errors
/// Returns the errors of the output, or [`ParquetError::General`] for a count above 2^63 - 1.
pub fn parquet(results: &Results<'_>, frame: &DataFrame, out: impl Write + Send) -> Result<()> {
    let own = [
        ("dfrsim.version", env!("CARGO_PKG_VERSION")),
        ("dfrsim.study", &results.manifest.study),
        ("dfrsim.scenario", &results.scenario),
    ];
    let own = own.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let units = columns(frame).filter(|(_, _, unit)| !unit.is_empty());
    let units = units.map(|(name, _, unit)| KeyValue::new(format!("dfrsim.unit.{name}"), unit.to_owned()));
    let metadata = own.into_iter().chain(units).collect();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(metadata)).build();
    let mut file = SerializedFileWriter::new(out, schema(frame)?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for place in 0..columns(frame).count() {
        let Some(mut column) = group.next_column()? else { break };
        write_column(column.untyped(), (0..frame.len()).map(|row| datum(frame, row, place)))?;
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(())
}

fn schema(frame: &DataFrame) -> Result<TypePtr> {
    let column = |(name, kind, _): (&str, Kind, &str)| {
        let (physical, logical) = match kind {
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Integer => (PhysicalType::INT64, None),
            Kind::Number => (PhysicalType::DOUBLE, None),
            Kind::Boolean => (PhysicalType::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        column.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let columns = columns(frame).map(column).collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("rows").with_fields(columns).build().map(Arc::new)
}

/// Writes the values of one column; definition level 1 marks a value, 0 a missing one.
fn write_column(column: &mut ColumnWriter<'_>, data: impl Iterator<Item = Datum>) -> Result<()> {
    let (mut texts, mut counts, mut numbers, mut truths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut levels = Vec::new();
    for datum in data {
        levels.push(i16::from(datum != Datum::Missing));
        match datum {
            Datum::Text(text) => texts.push(ByteArray::from(text.as_str())),
            Datum::Integer(count) => counts.push(i64::try_from(count).map_err(|_| too_large(count))?),
            Datum::Number(number) => numbers.push(number),
            Datum::Boolean(value) => truths.push(value),
            Datum::Missing => {}
        }
    }
    match column {
        ColumnWriter::ByteArrayColumnWriter(writer) => writer.write_batch(&texts, Some(&levels), None)?,
        ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&counts, Some(&levels), None)?,
        ColumnWriter::DoubleColumnWriter(writer) => writer.write_batch(&numbers, Some(&levels), None)?,
        ColumnWriter::BoolColumnWriter(writer) => writer.write_batch(&truths, Some(&levels), None)?,
        _ => unreachable!("the schema has no other types"),
    };
    Ok(())
}

fn too_large(count: u64) -> ParquetError {
    ParquetError::General(format!("{count} exceeds the largest INT64 of a Parquet column"))
}
