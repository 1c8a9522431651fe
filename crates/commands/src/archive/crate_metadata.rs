//! Metadata of an archive (RO-Crate), for programs that do not know dfrsim.

use chrono::{DateTime, SecondsFormat, Utc};
use dfrsim_lab::{MANIFEST, Results};
use serde_json::{Value, json};
use std::{fs, io};

/// File name that RO-Crate prescribes.
pub(crate) const METADATA: &str = "ro-crate-metadata.json";

/// Returns the time at which the results were finished: the modification time of the manifest, which
/// a run writes last.
pub(crate) fn finished(results: &Results<'_>) -> io::Result<String> {
    let finished = fs::metadata(results.folder.join(MANIFEST))?.modified()?;
    Ok(DateTime::<Utc>::from(finished).to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// Extracts the date from metadata; `None` if they are invalid.
pub(crate) fn date_of(metadata: &[u8]) -> Option<String> {
    let document: Value = serde_json::from_slice(metadata).ok()?;
    let entities = document["@graph"].as_array()?;
    let date = entities.iter().find(|entity| entity["@id"] == "./")?["datePublished"].as_str()?;
    DateTime::parse_from_rfc3339(date).ok().map(|_| date.to_owned())
}

/// Builds the metadata as JSON-LD, for results that were finished on this date.
pub(crate) fn metadata(results: &Results<'_>, date: &str) -> io::Result<Vec<u8>> {
    let manifest = &results.manifest;
    let title = if manifest.title.is_empty() { &manifest.study } else { &manifest.title };
    let names: Vec<&str> = manifest.files.keys().map(String::as_str).chain([MANIFEST]).collect();
    let reference = |id: &str| json!({ "@id": id });
    let inputs = manifest.inputs.iter().map(|input| format!("urn:sha256:{}", input.sha256));
    let inputs: Vec<String> = inputs.collect();

    let mut graph = vec![
        json!({
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": reference("https://w3id.org/ro/crate/1.1"),
            "about": reference("./"),
        }),
        json!({
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": format!("Results of the study `{}` of dfrsim: {} rows", manifest.study, manifest.rows.total),
            "datePublished": date,
            "hasPart": names.iter().map(|name| reference(name)).collect::<Vec<Value>>(),
            "mentions": reference("#run"),
        }),
        json!({
            "@id": "#dfrsim",
            "@type": "SoftwareApplication",
            "name": manifest.program,
            "softwareVersion": manifest.version,
        }),
        json!({
            "@id": "#run",
            "@type": "CreateAction",
            "name": format!("dfrsim run scenario.toml (seed {}, audit {})", manifest.seed, manifest.audit),
            "instrument": reference("#dfrsim"),
            "endTime": date,
            "object": inputs.iter().map(String::as_str).chain(["scenario.toml"]).map(reference).collect::<Vec<Value>>(),
            "result": reference("./"),
        }),
    ];
    for (input, id) in manifest.inputs.iter().zip(&inputs) {
        graph.push(json!({ "@id": id, "@type": "CreativeWork", "name": input.file, "sha256": input.sha256 }));
    }
    for name in names {
        let mut file = json!({ "@id": name, "@type": "File", "encodingFormat": encoding(name) });
        if let Some(digest) = manifest.files.get(name) {
            file["sha256"] = json!(digest);
        }
        graph.push(file);
    }
    let document = json!({ "@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph });
    let mut text = serde_json::to_vec_pretty(&document)?;
    text.push(b'\n');
    Ok(text)
}

fn encoding(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "csv")) => "text/csv",
        Some((_, "md")) => "text/markdown",
        Some((_, "toml")) => "application/toml",
        Some((_, "json")) => "application/json",
        _ => "text/plain",
    }
}
