//! Writer of Batsim workloads.

use crate::log::{Header, Record, Status};
use dfrsim_model::JobId;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes jobs as a Batsim workload, and returns their number. Jobs without processors or run time
/// are skipped, as the format cannot represent them. Jobs of a Batsim workload keep their ids,
/// profiles and extra fields. Other jobs get `delay` profiles of their run times, with a return
/// value of 1 if they failed.
///
/// # Errors
///
/// Writing fails.
pub fn write(out: &mut (impl Write + ?Sized), header: &Header, records: &[Record]) -> io::Result<usize> {
    let mut profiles: BTreeMap<String, String> = BTreeMap::new();
    let (mut jobs, mut widest) = (Vec::new(), 1);
    for record in records {
        let processors = record.requested_processors.or(record.allocated_processors).filter(|it| *it > 0);
        let (Some(res), Some(run_time)) = (processors, record.run_time) else { continue };
        widest = widest.max(res);
        let (texts, fails) = (header.texts.as_deref(), record.status == Status::Failed);
        let text = texts.and_then(|texts| texts.jobs.get(&JobId(record.job)));
        let (id, profile, fields) = match text {
            Some(text) => (text.name.clone(), text.profile.clone(), &*text.fields),
            None => {
                (record.job.to_string(), format!("delay{run_time}{}", if fails { "failed" } else { "" }), "")
            }
        };
        if !profiles.contains_key(&profile) {
            let delay = json!({ "type": "delay", "delay": run_time.as_secs_f64(), "ret": u8::from(fails) });
            let written = texts.and_then(|texts| texts.profiles.get(&profile)).cloned();
            profiles.insert(profile.clone(), written.unwrap_or_else(|| delay.to_string()));
        }
        let mut job = Map::new();
        job.insert("id".into(), id.into());
        job.insert("subtime".into(), record.submit.as_secs_f64().into());
        job.insert("res".into(), res.into());
        job.insert("profile".into(), profile.into());
        if let Some(time) = record.requested_time.filter(|time| !time.is_zero()) {
            job.insert("walltime".into(), time.as_secs_f64().into());
        }
        let mut job = Value::Object(job).to_string();
        job.insert_str(job.len() - 1, fields);
        jobs.push(job);
    }
    let nodes = header.max_procs().unwrap_or(0).max(widest.into());
    let profiles: Vec<String> =
        profiles.iter().map(|(name, profile)| format!("{}: {profile}", Value::from(&**name))).collect();
    write!(
        out,
        "{{\"nb_res\": {nodes},\n\"jobs\": [\n{}\n],\n\"profiles\": {{\n{}\n}}}}\n",
        jobs.join(",\n"),
        profiles.join(",\n")
    )?;
    Ok(jobs.len())
}
