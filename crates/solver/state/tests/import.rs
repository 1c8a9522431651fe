//! Exports of other systems as states.

use dfrsim_input::{Input, Reader};
use dfrsim_state::import::{Exports, Imported};
use serde_json::{Value, json};

fn import(files: &[&Input]) -> Result<Imported, String> {
    let mut exports = Exports::default();
    for file in files {
        assert!(exports.add(file), "{} is not recognised", file.file());
    }
    let mut reader = Reader::default();
    let imported = exports.convert(&mut reader);
    reader.finish(imported).map_err(|faults| faults.to_string())
}

fn json_file(name: &str, value: &Value) -> Input {
    Input::json(name, &serde_json::to_string_pretty(value).unwrap()).unwrap()
}

fn notes(imported: &Imported) -> Vec<(usize, &str)> {
    imported.notes.iter().map(|(what, count, _)| (count, what)).collect()
}

fn hypervisors() -> Value {
    json!([
        { "ID": "1", "Hypervisor Hostname": "c1.example.org", "Hypervisor Type": "QEMU", "Host IP": "10.0.0.1",
          "State": "up", "vCPUs Used": 2, "vCPUs": 16, "Memory MB Used": 4096, "Memory MB": 65536 },
        { "ID": "2", "Hypervisor Hostname": "c2.example.org", "Hypervisor Type": "QEMU", "Host IP": "10.0.0.2",
          "State": "down", "vCPUs Used": 0, "vCPUs": 16, "Memory MB Used": 0, "Memory MB": 65536 },
    ])
}

fn servers() -> Value {
    let server = |id: &str, name: &str, status: &str, host: Value| {
        json!({ "ID": id, "Name": name, "Status": status, "Task State": null, "Power State": "Running",
                "Networks": {}, "Flavor Name": "m1.small", "Flavor ID": "f1", "Host": host })
    };
    json!([
        server("a", "web", "ACTIVE", json!("c1")),
        server("b", "web", "SHUTOFF", json!("c2")),
        server("c", "db", "RESCUE", json!("c1")),
        server("d", "new", "BUILD", Value::Null),
        server("e", "old", "SHELVED_OFFLOADED", json!("None")),
    ])
}

fn flavors() -> Value {
    json!([{ "ID": "f1", "Name": "m1.small", "RAM": 2048, "Disk": 20, "VCPUs": 2, "Is Public": true }])
}

#[test]
fn servers_of_openstack_have_the_sizes_of_their_flavors() {
    let files = [
        json_file("hypervisors.json", &hypervisors()),
        json_file("servers.json", &servers()),
        json_file("flavors.json", &flavors()),
        json_file(
            "groups.json",
            &json!([{ "ID": "g", "Name": "ha", "Policies": ["anti-affinity"], "Members": "a, b, gone" },
                    { "ID": "h", "Name": "soft", "Policy": "soft-affinity", "Members": ["a", "c"] }]),
        ),
    ];
    let imported = import(&files.each_ref()).unwrap();
    let vms = imported.state["vms"].as_array().unwrap();
    let found: Vec<_> = vms.iter().map(|vm| (&vm["name"], &vm["node"], &vm["pinned"])).collect();
    assert_eq!(
        json!(found),
        json!([
            ["web (a)", "c1.example.org", null],
            ["web (b)", "c2.example.org", null],
            ["db", "c1.example.org", true],
            ["new", null, null],
        ])
    );
    assert_eq!((&vms[0]["cpu"], &vms[0]["memory"]), (&json!(2), &json!(2048)));
    assert_eq!(
        imported.state["constraints"],
        json!([
            { "kind": "spread", "vms": ["web (a)", "web (b)"] },
            { "kind": "gather", "weight": 100, "vms": ["web (a)", "db"] },
            { "kind": "quarantine", "nodes": ["c2.example.org"] },
        ])
    );
    assert_eq!(
        notes(&imported),
        [
            (1, "hypervisors that are down: no server comes or goes"),
            (
                1,
                "servers with the status SHUTOFF, which keep their allocation and are placed like running ones"
            ),
            (1, "servers with the status RESCUE, which stay on their hosts"),
            (1, "servers with the status SHELVED_OFFLOADED and without a host, left out"),
            (1, "members of server groups that are not servers with a host, ignored"),
        ]
    );
}

#[test]
fn what_openstack_needs_is_named() {
    let (hypervisors, servers) = (json_file("h.json", &hypervisors()), json_file("s.json", &servers()));
    let missing = import(&[&hypervisors, &servers]).unwrap_err();
    assert_eq!(
        missing,
        "h.json: flavors are missing: add the output of `openstack flavor list --all -f json`"
    );
    let mut other = flavors();
    other[0]["Name"] = "m1.smal".into();
    other[0]["ID"] = "f2".into();
    let faults = import(&[&hypervisors, &servers, &json_file("f.json", &other)]).unwrap_err();
    assert!(faults.contains("unknown flavor `m1.small`"), "{faults}");
    assert!(faults.contains("did you mean `m1.smal`?"), "{faults}");
    // Since version 2.88 of its interface, hypervisors have no capacities.
    let short = json!([{ "ID": "1", "Hypervisor Hostname": "c1", "Hypervisor Type": "QEMU", "State": "up" }]);
    let faults =
        import(&[&json_file("h.json", &short), &servers, &json_file("f.json", &flavors())]).unwrap_err();
    assert!(
        faults.contains("missing field `vCPUs`: write the list with `openstack --os-compute"),
        "{faults}"
    );
}

#[test]
fn guests_of_proxmox_are_named_by_their_numbers() {
    let resources = json!({ "data": [
        { "id": "node/pve1", "type": "node", "node": "pve1", "status": "online", "maxcpu": 8, "maxmem": 17_179_869_184_u64 },
        { "id": "node/pve2", "type": "node", "node": "pve2", "status": "offline" },
        { "id": "storage/pve1/local", "type": "storage", "node": "pve1", "storage": "local", "status": "available" },
        { "id": "qemu/100", "type": "qemu", "vmid": 100, "name": "web", "node": "pve1", "status": "running",
          "maxcpu": 2, "maxmem": 2_147_483_649_u64, "template": 0 },
        { "id": "qemu/101", "type": "qemu", "vmid": 101, "name": "base", "node": "pve1", "status": "stopped",
          "maxcpu": 2, "maxmem": 2_147_483_648_u64, "template": 1 },
        { "id": "qemu/102", "type": "qemu", "vmid": 102, "name": "off", "node": "pve1", "status": "stopped",
          "maxcpu": 2, "maxmem": 2_147_483_648_u64, "template": 0 },
        { "id": "lxc/103", "type": "lxc", "vmid": 103, "node": "pve1", "status": "running", "maxcpu": 1,
          "maxmem": 1_048_576, "template": false },
    ]});
    let imported = import(&[&json_file("resources.json", &resources)]).unwrap();
    assert_eq!(imported.state["nodes"], json!([{ "name": "pve1", "cpu": 8, "memory": 16384 }]));
    assert_eq!(
        imported.state["vms"],
        json!([
            { "name": "qemu/100 (web)", "cpu": 2, "memory": 2049, "node": "pve1" },
            { "name": "lxc/103", "cpu": 1, "memory": 1, "node": "pve1" },
        ])
    );
    assert_eq!(
        notes(&imported),
        [
            (1, "nodes that are offline and have no capacity, left out"),
            (1, "templates, left out"),
            (1, "VMs and containers with the status `stopped`, which hold nothing, left out"),
            (1, "containers, which are restarted when they move"),
        ]
    );
    let without_nodes =
        json!([{ "type": "qemu", "vmid": 1, "node": "pve1", "status": "running", "maxcpu": 1, "maxmem": 1 }]);
    let faults = import(&[&json_file("vms.json", &without_nodes)]).unwrap_err();
    assert!(
        faults.contains("no resource has the type `node`: give the whole list, without `--type vm`"),
        "{faults}"
    );
}

const VHOST: &str = "Host,Datacenter,Cluster,in Maintenance Mode,# CPU,Cores per CPU,# Cores,# Memory\n\
    esx1,DC,A,False,2,8,16,\"131,072\"\nesx2,DC,A,True,2,8,16,131072\nesx3,DC,B,False,2,8,16,131072\n";
const VINFO: &str = "VM,Powerstate,Template,CPUs,Memory,Cluster rule(s),Cluster rule name(s),Cluster,Host\n\
    web1,poweredOn,False,2,4096,ClusterAntiAffinityRuleSpec,web apart,A,esx1\n\
    web2,poweredOn,False,2,4096,ClusterAntiAffinityRuleSpec,web apart,A,esx2\n\
    db,poweredOn,False,4,\"8,192\",ClusterVmHostRuleInfo,licensed hosts,B,esx3\n\
    off,poweredOff,False,4,8192,,,A,esx1\nbase,poweredOff,True,4,8192,,,A,esx1\n";

#[test]
fn vms_of_vsphere_stay_in_their_clusters() {
    let (hosts, vms) = (Input::csv("vHost.csv", VHOST), Input::csv("vInfo.csv", VINFO));
    let imported = import(&[&vms, &hosts]).unwrap();
    assert_eq!(
        imported.state["nodes"][0],
        json!({ "name": "esx1", "cpu": 16, "memory": 131_072, "labels": { "cluster": "A" } })
    );
    assert_eq!(imported.state["vms"][2], json!({ "name": "db", "cpu": 4, "memory": 8192, "node": "esx3" }));
    assert_eq!(
        imported.state["constraints"],
        json!([
            { "kind": "spread", "vms": ["web1", "web2"] },
            { "kind": "fence", "vms": ["web1", "web2"], "nodes": ["esx1", "esx2"] },
            { "kind": "fence", "vms": ["db"], "nodes": ["esx3"] },
            { "kind": "ban", "vms": ["web1", "db"], "nodes": ["esx2"] },
        ])
    );
    assert_eq!(
        notes(&imported),
        [
            (1, "hosts in maintenance mode: VMs may leave, and none may come"),
            (1, "VMs that are not powered on, which hold nothing, left out"),
            (1, "templates, left out"),
            (1, "rules of the kind `ClusterVmHostRuleInfo`, not used: its hosts are not exported"),
        ]
    );
    let faults = import(&[
        &hosts,
        &Input::csv("v.csv", &VINFO.replace(",esx3", ",esx33").replace("2,4096", "x,4096")),
    ]);
    let faults = faults.unwrap_err();
    assert!(
        faults.contains("v.csv:2: CPUs: `x` is not a whole number") || faults.contains("v.csv:2"),
        "{faults}"
    );
    assert!(faults.contains("v.csv:4: Host: unknown host `esx33`; did you mean `esx3`?"), "{faults}");
}

fn node(name: &str, zone: &str, taints: &Value, is_cordoned: bool) -> Value {
    json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": name, "labels": { "zone": zone, "kubernetes.io/hostname": name } },
        "spec": { "taints": taints, "unschedulable": is_cordoned },
        "status": { "allocatable": { "cpu": "3920m", "memory": "15Gi", "pods": "110", "ephemeral-storage": "100Gi" },
                    "conditions": [{ "type": "MemoryPressure", "status": "False" }, { "type": "Ready", "status": "True" }] } })
}

fn pod(name: &str, node: Option<&str>, owner: &str, spec: &Value) -> Value {
    let mut pod = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "shop", "labels": { "app": name.split('-').next() },
                      "ownerReferences": [{ "kind": owner, "name": "x" }] },
        "spec": { "nodeName": node, "containers": [{ "name": "c", "resources": { "requests": { "cpu": "250m", "memory": "129M" } } }] },
        "status": { "phase": if node.is_some() { "Running" } else { "Pending" } } });
    for (field, value) in spec.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    pod
}

#[test]
fn pods_keep_the_rules_of_their_scheduler() {
    let apart = json!({ "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
        { "labelSelector": { "matchLabels": { "app": "web" } }, "topologyKey": "kubernetes.io/hostname" }] } } });
    let gpu = json!({
        "tolerations": [{ "key": "gpu", "operator": "Exists" }],
        "nodeSelector": { "zone": "b" },
        "overhead": { "cpu": "50m" },
        "initContainers": [
            { "name": "side", "restartPolicy": "Always", "resources": { "requests": { "cpu": "100m" } } },
            { "name": "init", "resources": { "requests": { "cpu": "2", "memory": "64Mi" } } }],
    });
    let plain = json!({});
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [
        node("n1", "a", &json!([]), false),
        node("n2", "a", &json!([]), true),
        node("n3", "b", &json!([{ "key": "gpu", "value": "yes", "effect": "NoSchedule" }]), false),
        pod("web-1", Some("n1"), "ReplicaSet", &apart),
        pod("web-2", Some("n2"), "ReplicaSet", &apart),
        pod("train-1", None, "Job", &gpu),
        pod("log-1", Some("n1"), "DaemonSet", &plain),
        pod("lone", Some("n1"), "none", &plain),
        { "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web", "namespace": "shop" },
          "spec": { "selector": { "matchLabels": { "app": "web" } } }, "status": { "disruptionsAllowed": 1 } },
    ]});
    let mut list = list;
    list["items"][7]["metadata"]["ownerReferences"] = json!([]);
    let imported = import(&[&json_file("cluster.json", &list)]).unwrap();
    // The daemon's requests of 0.25 CPU, 124 MiB and one pod are taken from its node.
    assert_eq!(imported.state["nodes"][0]["cpu"], json!(3.67));
    assert_eq!(imported.state["nodes"][0]["memory"], json!(15_236));
    assert_eq!(imported.state["nodes"][0]["resources"], json!({ "pods": 109 }));
    assert_eq!(imported.state["nodes"][1]["cpu"], json!(3.92));
    let train = &imported.state["vms"][2];
    // The init container beside the sidecar needs 2.1 CPU, more than the 0.35 of the running pod.
    assert_eq!(
        (&train["name"], &train["cpu"], &train["memory"]),
        (&json!("shop/train-1"), &json!(2.15), &json!(124))
    );
    assert_eq!(
        imported.state["constraints"],
        json!([
            { "kind": "fence", "vms": ["shop/web-1", "shop/web-2", "shop/lone"], "nodes": ["n1", "n2"] },
            { "kind": "fence", "vms": ["shop/train-1"], "nodes": ["n3"] },
            { "kind": "spread", "vms": ["shop/web-1", "shop/web-2"] },
            { "kind": "serialise", "vms": ["shop/web-1", "shop/web-2"] },
            { "kind": "ban", "vms": ["shop/web-1", "shop/train-1", "shop/lone"], "nodes": ["n2"] },
        ])
    );
    assert_eq!(imported.state["vms"][3]["pinned"], true);
    assert_eq!(
        notes(&imported),
        [
            (1, "nodes that are cordoned: pods may leave, and none may come"),
            (1, "pods of daemon sets and of nodes, whose requests are taken from their nodes"),
            (1, "pods without a controller, which stay on their nodes"),
        ]
    );
}

/// Preferences of pods become soft rules with their weights: of nodes, of pods on one node, and soft
/// topology spreads over nodes, and over zones if there are as many as pods.
#[test]
fn preferences_of_pods_are_soft_rules() {
    let label = |app: &str| json!({ "labelSelector": { "matchLabels": { "app": app } }, "topologyKey": "kubernetes.io/hostname" });
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    let web = json!({ "affinity": {
        "nodeAffinity": { preferred: [{ "weight": 70, "preference": {
            "matchExpressions": [{ "key": "zone", "operator": "In", "values": ["b"] }] } }] },
        "podAntiAffinity": { preferred: [{ "weight": 30, "podAffinityTerm": label("web") }] } } });
    let db = json!({
        "affinity": { "podAffinity": { preferred: [{ "weight": 5, "podAffinityTerm": label("web") }] } },
        "topologySpreadConstraints": [
            { "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "topologyKey": "zone",
              "labelSelector": { "matchLabels": { "app": "db" } } }],
    });
    let spread = |key: &str| {
        json!({ "topologySpreadConstraints": [
        { "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "topologyKey": key,
          "labelSelector": { "matchLabels": { "app": "job" } } }] })
    };
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [
        node("n1", "a", &json!([]), false),
        node("n2", "b", &json!([]), false),
        pod("web-1", Some("n1"), "ReplicaSet", &web),
        pod("web-2", Some("n1"), "ReplicaSet", &web),
        pod("db-1", Some("n1"), "StatefulSet", &db),
        pod("db-2", Some("n2"), "StatefulSet", &db),
        pod("job-1", Some("n1"), "Job", &spread("kubernetes.io/hostname")),
        pod("job-2", Some("n1"), "Job", &spread("kubernetes.io/hostname")),
        pod("job-3", None, "Job", &spread("zone")),
    ]});
    let imported = import(&[&json_file("cluster.json", &list)]).unwrap();
    let jobs = ["shop/job-1", "shop/job-2", "shop/job-3"];
    assert_eq!(
        imported.state["constraints"],
        json!([
            { "kind": "fence", "weight": 70, "vms": ["shop/web-1", "shop/web-2"], "nodes": ["n2"] },
            { "kind": "spread", "weight": 30, "vms": ["shop/web-1", "shop/web-2"] },
            { "kind": "gather", "weight": 5, "vms": ["shop/web-1", "shop/web-2", "shop/db-1", "shop/db-2"] },
            { "kind": "split-among", "weight": 100, "vms": [["shop/db-1"], ["shop/db-2"]],
              "groups": [["n1"], ["n2"]] },
            { "kind": "spread", "weight": 100, "vms": jobs },
        ])
    );
    assert_eq!(notes(&imported), [(1, "soft topology spreads of more pods than groups of nodes, not used")]);
    assert_eq!(imported.state["vms"][0]["labels"], json!({ "app": "web" }));
}

#[test]
fn faults_of_exports_have_their_places() {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [
        node("n1", "a", &json!([]), false),
        pod("web-1", Some("n2"), "ReplicaSet", &json!({})),
        pod("web-2", Some("n1"), "ReplicaSet", &json!({ "overhead": { "cpu": "1 core" } })),
    ]});
    let faults = import(&[&json_file("cluster.json", &list)]).unwrap_err();
    assert!(faults.contains("items[1].spec.nodeName: unknown host `n2`; expected n1"), "{faults}");
    assert!(faults.contains("items[2].spec.overhead.cpu: \"1 core\" is not a quantity"), "{faults}");
    let both = [json_file("cluster.json", &list), json_file("servers.json", &servers())];
    let faults = import(&both.each_ref()).unwrap_err();
    assert!(
        faults.contains("this is an export of OpenStack, but `cluster.json` is one of Kubernetes"),
        "{faults}"
    );
    assert!(!Exports::is_export(&Input::csv("nodes.csv", "node,cpu,memory\nn,1,1\n")));
    assert!(!Exports::is_export(&json_file("state.json", &json!({ "nodes": [] }))));
}

/// `kubeadm` marks nodes by labels without a value, and `kubectl apply` keeps what it applied as a
/// text with a line break at its end.
#[test]
fn labels_without_a_value_are_left_out() {
    let node = json!({ "kind": "Node",
        "metadata": { "name": "n1", "labels": { "node-role.kubernetes.io/control-plane": "", "zone": "a" } },
        "status": { "allocatable": { "cpu": "2", "memory": "4Gi", "pods": "110" } } });
    let pod = json!({ "kind": "Pod", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "nodeName": "n1", "nodeSelector": { "node-role.kubernetes.io/control-plane": "" },
                  "containers": [{ "resources": { "requests": { "cpu": "1", "memory": "1Gi" } } }] } });
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [node, pod] });
    let imported = import(&[&json_file("cluster.json", &list)]).unwrap();
    assert_eq!(imported.state["nodes"][0]["labels"], json!({ "zone": "a" }));
    assert!(notes(&imported).contains(&(1, "labels of hosts without a value, left out")));
    assert!(!notes(&imported).iter().any(|(_, what)| what.contains("no longer allow")));
}

/// A list of pods alone names what is missing once, and not each pod.
#[test]
fn without_nodes_only_these_are_missing() {
    let pod = json!({ "kind": "Pod", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "nodeName": "n1", "containers": [] } });
    let list = json!({ "apiVersion": "v1", "kind": "PodList", "items": [pod] });
    let faults = import(&[&json_file("pods.json", &list)]).unwrap_err();
    assert_eq!(faults.lines().count(), 1, "{faults}");
    assert!(faults.contains("there are no nodes"), "{faults}");
    let guests = json!({ "data": [{ "type": "qemu", "vmid": 1, "node": "pve", "status": "running" }] });
    let faults = import(&[&json_file("vms.json", &guests)]).unwrap_err();
    assert_eq!(faults.lines().count(), 1, "{faults}");
}

/// The list of a cluster with pools begins with them.
#[test]
fn a_list_of_proxmox_may_begin_with_a_pool() {
    let list = json!({ "data": [
        { "type": "pool", "pool": "lab", "id": "/pool/lab", "maxcpu": 2 },
        { "type": "node", "node": "pve", "status": "online", "maxcpu": 4, "maxmem": 8_589_934_592_u64 },
        { "type": "network", "network": "localnetwork", "node": "pve", "status": "ok" },
    ] });
    let imported = import(&[&json_file("resources.json", &list)]).unwrap();
    assert_eq!(imported.state["nodes"].as_array().unwrap().len(), 1);
}
