//! What a cluster and its site are (platforms, outages, settings of priorities, `slurm.conf`), instances of vector bin packing, and
//! answers of policies in other processes.
#![no_main]

use dfrsim::external::protocol::Answer;
use dfrsim_model::platform::classes::PlatformFields;
use dfrsim_model::platform::file;
use dfrsim_model::site::SiteSettings;
use dfrsim_vector_packing::file::instance_from_vbp;
use dfrsim_workload::formats::slurm_conf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(fields) = PlatformFields::parse("platform.toml", text) {
        let _ = fields.classes();
    }
    for is_json in [false, true] {
        let _ = file::parse("outages", text, is_json, file::ClusterNodes { nodes: 16, hosts: &[], of_variant: &[] });
    }
    if let Ok(settings) = toml::from_str::<SiteSettings>(text) {
        let _ = settings.check();
    }
    let _ = slurm_conf::read(text);
    let _ = instance_from_vbp("items.vbp", text);
    let _ = serde_json::from_str::<Answer>(text);
});
