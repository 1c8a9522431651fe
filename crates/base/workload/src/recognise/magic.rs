//! Kinds of binary files, by their first bytes.

use super::foreign::{self, Foreign};

/// First bytes of each kind.
static SIGNATURES: [(&[u8], &Foreign); 29] = [
    (b"PAR1", &foreign::PARQUET),
    (b"BZh", &foreign::BZIP2),
    (b"\xfd7zXZ\0", &foreign::XZ),
    (b"\x28\xb5\x2f\xfd", &foreign::ZSTD),
    (b"\x04\x22\x4d\x18", &foreign::LZ4),
    (b"\x1f\x9d", &foreign::COMPRESS),
    (b"\x1f\x8b", &foreign::GZIP),
    (b"7z\xbc\xaf\x27\x1c", &foreign::SEVEN_ZIP),
    (b"Rar!\x1a", &foreign::RAR),
    (b"\x89HDF\r\n", &foreign::HDF5),
    (b"ORC", &foreign::ORC),
    (b"Obj\x01", &foreign::AVRO),
    (b"ARROW1", &foreign::ARROW),
    (b"FEA1", &foreign::ARROW),
    (b"\x93NUMPY", &foreign::NUMPY),
    (b"\x80\x02", &foreign::PICKLE),
    (b"\x80\x03", &foreign::PICKLE),
    (b"\x80\x04", &foreign::PICKLE),
    (b"\x80\x05", &foreign::PICKLE),
    (b"SQLite format 3\0", &foreign::SQLITE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &foreign::SPREADSHEET),
    (b"%PDF", &foreign::PDF),
    (b"\x89PNG\r\n", &foreign::PICTURE),
    (b"\xff\xd8\xff", &foreign::PICTURE),
    (b"GIF8", &foreign::PICTURE),
    (b"\x7fELF", &foreign::PROGRAM),
    (b"MZ\x90\0", &foreign::PROGRAM),
    (b"\xff\xfe", &foreign::UTF_16),
    (b"\xfe\xff", &foreign::UTF_16),
];

/// Position of the signature of a tar archive.
const TAR_AT: usize = 257;

/// Recognises a file that is not text by its first bytes.
pub(super) fn recognise(start: &[u8]) -> Option<&'static Foreign> {
    if start.starts_with(b"PK\x03\x04") {
        let has = |words: &[u8]| memchr::memmem::find(start, words).is_some();
        let is_sheet =
            has(b"xl/") || has(b"[Content_Types].xml") || has(b"mimetypeapplication/vnd.oasis.opendocument");
        return Some(if is_sheet { &foreign::SPREADSHEET } else { &foreign::ZIP });
    }
    if start.get(TAR_AT..).is_some_and(|rest| rest.starts_with(b"ustar")) {
        return Some(&foreign::TAR);
    }
    let of_signature = SIGNATURES.iter().find(|(signature, _)| start.starts_with(signature));
    // Texts have no NUL.
    let binary = || memchr::memchr(0, start).map(|_| &foreign::BINARY);
    of_signature.map(|(_, foreign)| *foreign).or_else(binary)
}
