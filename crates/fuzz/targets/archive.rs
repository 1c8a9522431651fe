//! Archives of results: all that is unpacked stays in its folder and below its limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (archive, inner) = (folder.path().join("a.zip"), folder.path().join("inner"));
    fs::write(&archive, bytes).expect("a file can be written");
    fs::create_dir(&inner).expect("a folder can be made");
    let _ = dfrsim_commands::archive::extract(&archive, &inner, 1 << 20);
    let entries = fs::read_dir(folder.path()).expect("the folder is there");
    assert_eq!(entries.count(), 2);
});
