//! Tables as Arrow streams, which pandas, polars and pyarrow accept without a copy.

use crate::value_error;
use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// Builds a column with a value for each job.
pub(crate) fn column<J, T, A: Array + From<Vec<T>> + 'static>(jobs: &[J], of: impl Fn(&J) -> T) -> ArrayRef {
    Arc::new(A::from(jobs.iter().map(of).collect()))
}

/// Wraps a table as the capsule of `__arrow_c_stream__`.
pub(crate) fn stream(py: Python<'_>, table: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = table.schema();
    let batches = RecordBatchIterator::new([Ok(table)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Builds a table from named columns.
pub(crate) fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(value_error)
}

/// Formats names and values as a small HTML table.
pub(crate) fn html(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let rows = rows.into_iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{value}</td></tr>"));
    format!("<table>{}</table>", rows.collect::<String>())
}

/// Columns of a table as lists, each with its name and its type: `f` for numbers, `u` for integers,
/// `s` for texts, `b` for booleans.
pub(crate) type Columns = Vec<(String, char, Py<PyAny>)>;

/// Converts a table to columns.
pub(crate) fn columns(py: Python<'_>, table: &RecordBatch) -> PyResult<Columns> {
    let schema = table.schema();
    let of = |(place, column): (usize, &ArrayRef)| {
        let (kind, list) = if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
            ('f', PyList::new(py, numbers.iter().collect::<Vec<_>>())?)
        } else if let Some(counts) = column.as_primitive_opt::<UInt64Type>() {
            ('u', PyList::new(py, counts.iter().collect::<Vec<_>>())?)
        } else if let Some(texts) = column.as_string_opt::<i32>() {
            ('s', PyList::new(py, texts.iter().collect::<Vec<_>>())?)
        } else {
            ('b', PyList::new(py, column.as_boolean().iter().collect::<Vec<_>>())?)
        };
        Ok((schema.field(place).name().clone(), kind, list.into_any().unbind()))
    };
    table.columns().iter().enumerate().map(of).collect()
}

/// Restores a table from columns.
pub(crate) fn from_columns(py: Python<'_>, columns: Columns) -> PyResult<RecordBatch> {
    let of = |(name, kind, list): (String, char, Py<PyAny>)| {
        let list = list.bind(py);
        let column: ArrayRef = match kind {
            'f' => Arc::new(Float64Array::from(list.extract::<Vec<Option<f64>>>()?)),
            'u' => Arc::new(UInt64Array::from(list.extract::<Vec<Option<u64>>>()?)),
            's' => Arc::new(StringArray::from(list.extract::<Vec<Option<String>>>()?)),
            _ => Arc::new(BooleanArray::from(list.extract::<Vec<Option<bool>>>()?)),
        };
        Ok((name, column))
    };
    let columns = columns.into_iter().map(of).collect::<PyResult<Vec<_>>>()?;
    RecordBatch::try_from_iter(columns).map_err(value_error)
}

/// Converts a table to a dictionary of lists.
pub(crate) fn lists<'py>(py: Python<'py>, table: &RecordBatch) -> PyResult<Bound<'py, PyDict>> {
    let lists = PyDict::new(py);
    for (name, _, list) in columns(py, table)? {
        lists.set_item(name, list)?;
    }
    Ok(lists)
}
