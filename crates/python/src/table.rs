//! Tables as Arrow's streams, which pandas, polars and pyarrow take without a copy.

use crate::wrong;
use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::sync::Arc;

/// A column with a value of each job.
pub(crate) fn column<J, T, A: Array + From<Vec<T>> + 'static>(jobs: &[J], of: impl Fn(&J) -> T) -> ArrayRef {
    Arc::new(A::from(jobs.iter().map(of).collect()))
}

/// A table as the capsule of `__arrow_c_stream__`.
pub(crate) fn stream(py: Python<'_>, table: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = table.schema();
    let batches = RecordBatchIterator::new([Ok(table)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// A table of columns with names.
pub(crate) fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(wrong)
}

/// Names and values as a small table of HTML.
pub(crate) fn html(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let rows = rows.into_iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{value}</td></tr>"));
    format!("<table>{}</table>", rows.collect::<String>())
}

/// A table as a dictionary of lists.
pub(crate) fn lists<'py>(py: Python<'py>, table: &RecordBatch) -> PyResult<Bound<'py, PyDict>> {
    let lists = PyDict::new(py);
    let schema = table.schema();
    for (field, column) in schema.fields().iter().zip(table.columns()) {
        let name = field.name();
        if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
            lists.set_item(name, numbers.iter().collect::<Vec<_>>())?;
        } else if let Some(counts) = column.as_primitive_opt::<UInt64Type>() {
            lists.set_item(name, counts.iter().collect::<Vec<_>>())?;
        } else if let Some(texts) = column.as_string_opt::<i32>() {
            lists.set_item(name, texts.iter().collect::<Vec<_>>())?;
        } else {
            lists.set_item(name, column.as_boolean().iter().collect::<Vec<_>>())?;
        }
    }
    Ok(lists)
}
