//! Tests the links between the pages of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Collects all Markdown files below a folder, except build products and hidden folders.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Returns the targets of `[text](target)` outside code.
fn targets(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    let pieces = prose.flat_map(|part| part.split('`').step_by(2));
    let after = pieces.flat_map(|piece| piece.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    // A link whose text is code begins in one piece and continues in the next.
    after.filter(|target| !target.is_empty()).collect()
}

/// Returns the anchor by which code hosts link to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut found, mut count) = (Vec::new(), 0);
    pages(&root, &mut found);
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for target in targets(&text).into_iter().filter(|target| !target.contains("://")) {
            let (path, part) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(file.exists(), "{}: no {target}", page.display());
            if !part.is_empty() {
                let text = fs::read_to_string(&file).unwrap();
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#').trim()));
                assert!(anchors.any(|name| name == part), "{}: no heading for {target}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 50, "{count} links");
}
