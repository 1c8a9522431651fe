//! Output of logs.

use crate::failure::Failure;
use crate::output::{OutputFile, counted, notice};
use dfrsim_workload::formats::{batsim, swf};
use dfrsim_workload::log::{Header, Record};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, IntoInnerError, Write as _};
use std::path::Path;

/// Records in the header that inter-arrival times were scaled.
pub(super) fn note_load(header: &mut Header, factor: f64, target: f64) {
    header
        .push("Note", &format!("inter-arrival times multiplied by {factor} for an offered load of {target}"));
}

/// Writes a log in SWF, or as a workload of Batsim if the name ends in .json; compressed by gzip if
/// .gz follows. Other extensions are refused. The job counts of the header are updated if it has
/// them.
pub(super) fn write_log(path: &Path, header: &Header, records: &[Record]) -> Result<(), Failure> {
    let plain =
        if path.extension().is_some_and(|it| it == "gz") { path.with_extension("") } else { path.to_owned() };
    let is_batsim = plain.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
    if let Some(other) = plain.extension().filter(|it| !is_batsim && !it.eq_ignore_ascii_case("swf")) {
        return Err(Failure::input(format!(
            "{}: logs are written as SWF or for Batsim, not as `.{}`; expected a name that ends in .swf, .swf.gz or .json",
            path.display(),
            other.display()
        )));
    }
    let mut header = header.clone();
    for name in ["MaxJobs", "MaxRecords"] {
        header.replace(name, &records.len().to_string());
    }
    let mut out = OutputFile::create(path)?;
    let write = |to: &mut dyn io::Write| match is_batsim {
        false => swf::write(to, &header, records),
        true => batsim::write(to, &header, records).map(|written| {
            if written < records.len() {
                let left = counted(records.len() - written, "job");
                notice!("{}: omitted {left} without processors or run time", path.display());
            }
        }),
    };
    let written = if path.extension().is_some_and(|extension| extension == "gz") {
        // The encoder is slow on small writes such as single fields.
        let gzip = GzEncoder::new(&mut out, Compression::default());
        let mut buffer = BufWriter::with_capacity(1 << 16, gzip);
        write(&mut buffer)
            .and_then(|()| buffer.into_inner().map_err(IntoInnerError::into_error))
            .and_then(|gzip| gzip.finish().map(drop))
    } else {
        write(&mut out)
    };
    written.and_then(|()| out.flush()).map_err(|error| out.failure(&error))?;
    out.finish()
}
