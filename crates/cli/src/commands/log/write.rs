//! Writing logs.

use crate::failure::Failure;
use crate::output::OutputFile;
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Header, Record};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{BufWriter, IntoInnerError, Write as _};
use std::path::Path;

/// Writes a log in SWF; a name that ends in .gz is written as gzip. Names that say another format are refused.
pub(super) fn log(path: &Path, header: &Header, records: &[Record]) -> Result<(), Failure> {
    let plain =
        if path.extension().is_some_and(|it| it == "gz") { path.with_extension("") } else { path.to_owned() };
    if let Some(other) = plain.extension().filter(|it| !it.eq_ignore_ascii_case("swf")) {
        return Err(Failure::input(format!(
            "{}: logs are written as SWF, not as `.{}`; expected a name that ends in .swf or .swf.gz",
            path.display(),
            other.display()
        )));
    }
    let mut out = OutputFile::create(path)?;
    let written = if path.extension().is_some_and(|extension| extension == "gz") {
        // The encoder is slow on single fields.
        let gzip = GzEncoder::new(&mut out, Compression::default());
        let mut buffer = BufWriter::with_capacity(1 << 16, gzip);
        swf::write(&mut buffer, header, records)
            .and_then(|()| buffer.into_inner().map_err(IntoInnerError::into_error))
            .and_then(|gzip| gzip.finish().map(drop))
    } else {
        swf::write(&mut out, header, records)
    };
    written.and_then(|()| out.flush()).map_err(|error| out.failure(&error))?;
    out.finish()
}
