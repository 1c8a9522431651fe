//! Rows as a Parquet file.

use crate::{Datum, Kind, Results, Row};
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

/// Writes the rows as one Parquet table with the columns of `rows.csv`, for pandas, Polars, DuckDB and others. The output
/// should be buffered.
///
/// | values | type |
/// |---|---|
/// | texts | `BYTE_ARRAY`, annotated as string |
/// | whole numbers | `INT64` |
/// | other numbers | `DOUBLE`, the same ones |
/// | spans of time | `DOUBLE`, in seconds: to the microsecond for up to 285 years |
///
/// Every column is optional: what is empty in `rows.csv` is null. The file's metadata has the scenario as TOML under
/// `dfrsim.scenario`, and the version of this crate under `dfrsim.version`.
///
/// # Errors
/// Those of the output; [`ParquetError::General`] for a count beyond 2^63 - 1.
pub fn parquet(results: &Results, out: impl Write + Send) -> Result<()> {
    let metadata = [("dfrsim.version", env!("CARGO_PKG_VERSION")), ("dfrsim.scenario", &results.scenario)];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let properties = WriterProperties::builder().set_key_value_metadata(Some(metadata.into())).build();
    let mut file = SerializedFileWriter::new(out, schema()?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let rows: Vec<Vec<Datum>> = results.rows.iter().map(Row::data).collect();
    for place in 0..Row::columns().count() {
        let Some(mut column) = group.next_column()? else { break };
        write_column(column.untyped(), rows.iter().map(|row| &row[place]))?;
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(())
}

fn schema() -> Result<TypePtr> {
    let column = |(name, kind): (&str, Kind)| {
        let (physical, logical) = match kind {
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Integer => (PhysicalType::INT64, None),
            Kind::Number => (PhysicalType::DOUBLE, None),
        };
        let column = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        column.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let columns = Row::columns().zip(Row::kinds()).map(column).collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("rows").with_fields(columns).build().map(Arc::new)
}

/// Writes the values of one column; definition level 1 says that there is one, 0 that it is missing.
fn write_column<'a>(column: &mut ColumnWriter<'_>, data: impl Iterator<Item = &'a Datum>) -> Result<()> {
    let (mut texts, mut counts, mut numbers, mut levels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for datum in data {
        match datum {
            Datum::Text(text) => texts.push(ByteArray::from(text.as_str())),
            Datum::Integer(count) => counts.push(i64::try_from(*count).map_err(|_| too_large(*count))?),
            Datum::Number(number) => numbers.push(*number),
            Datum::Missing(_) => {}
        }
        levels.push(i16::from(!matches!(datum, Datum::Missing(_))));
    }
    match column {
        ColumnWriter::ByteArrayColumnWriter(writer) => writer.write_batch(&texts, Some(&levels), None)?,
        ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&counts, Some(&levels), None)?,
        ColumnWriter::DoubleColumnWriter(writer) => writer.write_batch(&numbers, Some(&levels), None)?,
        _ => unreachable!("the schema has no other types"),
    };
    Ok(())
}

fn too_large(count: u64) -> ParquetError {
    ParquetError::General(format!("{count} does not fit a column of whole numbers"))
}
