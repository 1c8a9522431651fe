use super::{Expected, Kind, of_start};
use proptest::prelude::*;
use std::path::Path;

/// Recognises a text that is in a file of this name.
fn named(name: &str, text: &str) -> Kind {
    of_start(text.as_bytes(), true, Path::new(name))
}

fn of(text: &str) -> Kind {
    named("jobs.txt", text)
}

/// Returns the description of a file that is no log.
fn other(bytes: &[u8]) -> String {
    let kind = of_start(bytes, true, Path::new("jobs.swf"));
    assert!(kind.refusal().is_some(), "{kind:?}");
    kind.description()
}

const SWF: &str = "1 0 5 60 4 50.25 -1 4 100 -1 1 7 1 -1 1 1 -1 -1";

#[test]
fn logs_are_recognised_under_any_name() {
    let swf = ["; MaxProcs:8", SWF, &format!("# a note\n{SWF}"), &format!("\u{feff}\r\n; x\r\n{SWF}\r\n")];
    for text in swf.map(str::to_owned).into_iter().chain([
        format!("{SWF} {{7,7}} q_long 1:ppn=4\n{SWF} {{8}} q_long 1:ppn=4"),
        format!("id submit wait run n cpu mem rn rt rm st u g app q p prev think\n{SWF}"),
        SWF.replace(" 60 ", " x "),
        "1 0 5 60 4 50.25 -1 4 100 -1 1 7 1 -1 1 1 -1".to_owned(),
    ]) {
        assert_eq!(of(&text), Kind::Swf, "{text}");
    }
    let gwf = "1 30 -1 60 4 -1 -1 4 100 -1 1 U7 G1 -1 -1 -1 S1 S1 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
    assert_eq!(of(gwf), Kind::Gwf);
    assert_eq!(of(&format!("# a grid\n{gwf}")), Kind::Gwf);
    for listing in [
        "JobID|State|Submit\n1|COMPLETED|x",
        "JobID|State|SubmitLine\n1|COMPLETED|sbatch -C 'a|b' x\n2|COMPLETED|sbatch y\nz",
        "User,JobIDRaw,State,Start\nu0,1,COMPLETED,x",
        "jobid\tstate\tsubmit\n1\tCOMPLETED\tx",
        "       JobID    JobName      State \n------------ ---------- ---------- \n1 a COMPLETED",
        r#"{"meta": {"plugin": {"type": "openapi/slurmdbd"}}, "jobs": [{"account": "a", "job_id": 1, "state": {}}]}"#,
    ] {
        assert_eq!(of(listing), Kind::Slurm, "{listing}");
    }
    assert_eq!(of("03/01/2026 09:00:00;Q;12.head;queue=batch"), Kind::Pbs);
    for workload in [
        r#"{"nb_res": 4, "jobs": [], "profiles": {}}"#,
        r#"{"description": "x", "jobs": [{"id": "a", "subtime": 0, "res": 4, "profile": "p"}"#,
    ] {
        assert_eq!(of(workload), Kind::Batsim, "{workload}");
    }
}

#[test]
fn other_files_are_named() {
    for (bytes, what) in [
        (&b""[..], "an empty file"),
        (b"\r\n \n", "an empty file"),
        (b"PAR1\x15", "a Parquet table"),
        (b"PK\x03\x04\x14", "a zip archive"),
        (b"PK\x03\x04\x14 [Content_Types].xml", "a spreadsheet"),
        (b"BZh91AY", "a file compressed with bzip2"),
        (b"\x28\xb5\x2f\xfd\x04", "a file compressed with zstd"),
        (b"%PDF-1.7", "a PDF document"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\x00\x01\x02", "a binary file of an unknown kind"),
        (b"\xff\xfeJ\0o\0b\0", "a text in UTF-16"),
        (b"<!DOCTYPE html>\n<html>", "an HTML page"),
        (b"<?xml version='1.0'?>\n<platform version='4'>", "a SimGrid platform"),
        (b"ClusterName=c\nNodeName=n1 CPUs=4", "a slurm.conf"),
        (b"# slurm\n\nSlurmctldHost = head", "a slurm.conf"),
        (b"JobId=7 JobName=a\n   UserId=u0(1)", "an output of `scontrol show job`"),
        (
            b"JobId=7 UserId=u0(1) GroupId=g(1) Name=a JobState=COMPLETED StartTime=x EndTime=y",
            "a file of Slurm's jobcomp/filetxt",
        ),
        (b"Cluster|Account|User|Partition|Share|", "associations of sacctmgr"),
        (b"Name|Priority|GraceTime|Preempt", "qualities of service of sacctmgr"),
        (b"\"JOB_FINISH\" \"10.1\" 1700000000 101", "LSF accounting (lsb.acct)"),
        (b"study = \"online\"\npolicies = []", "a scenario"),
        (b"[[classes]]\nnodes = 4", "a platform"),
        (b"{\"event\":\"start\"}", "an events file of dfrsim"),
        (b"{\"nodes\": [], \"vms\": []}", "a state of a cluster"),
        (
            "Datetime (UTC),Country,Zone id,Carbon intensity gCO\u{2082}eq/kWh (direct)\n2024-01-01 00:00:00,Utopia,UT,5\n".as_bytes(),
            "a series of carbon intensities or prices",
        ),
        (b"\"MTU (CET/CEST)\",\"Day-ahead Price (EUR/MWh)\"\n", "a series of carbon intensities or prices"),
        (b"from_s,g_per_kwh\n0,1\n", "a series of carbon intensities or prices"),
        (b"timestamp,job_id,energy_price_eur_mwh\n1,2,3\n", "a table with commas, columns timestamp, job_id, energy_price_eur_mwh"),
        (b"{\"name\": \"w\", \"workflow\": {}}", "a workflow of WfCommons"),
        (b"#!/bin/sh\n", "a script"),
        (b"hello world", "a text that starts with `hello world`"),
    ] {
        assert_eq!(other(bytes), what);
    }
    let sge = format!("all.q:n1:g:u0:job:1:sge:0:1:2:3:{}", "0:".repeat(33));
    assert_eq!(other(sge.as_bytes()), "accounting of Grid Engine");
    let mut tar = vec![b'x'; 300];
    tar[257..262].copy_from_slice(b"ustar");
    assert_eq!(other(&tar), "a tar archive");
}

#[test]
fn tables_are_described() {
    for (text, what) in [
        ("job,user,end\n1,u0,3\n2,u1,4", "a table with commas, columns job, user, end"),
        ("1,u0,3\n2,u1,4", "a table with commas, 3 columns without names"),
        ("job;user name;n\n1;\"a;b\";3", "a table with semicolons, columns job, user name, n"),
        ("id\tgpus\n1\t2", "a table with tabs, columns id, gpus"),
        ("1 2 3\n4 5 6", "a table with blanks, 3 columns without names"),
        ("{\"id\": 1, \"n\": {\"x\": 2}}\n{\"id\": 2}", "a table of JSON lines, columns id, n"),
        ("[{\"id\": 1, \"end\": 2}]", "a JSON list of objects, columns id, end"),
    ] {
        assert_eq!(other(text.as_bytes()), what);
    }
}

#[test]
fn files_of_other_kinds_than_expected_are_refused() {
    const ASSOC: &str = "Cluster|Account|User|Share\nc|root||1\n";
    const QOS: &str = "Name|Priority|GraceTime\nnormal|0|00:00:00\n";
    const CONF: &str = "ClusterName=c\nNodeName=n1 CPUs=4\n";
    const SCONTROL: &str = "ReservationName=r StartTime=2026-03-01T09:00:00 EndTime=2026-03-02T09:00:00\n   Nodes=n1 NodeCnt=1 CoreCnt=4 Features=(null) PartitionName=(null)\n";
    const EVENTS: &str = "Cluster|NodeName|TimeStart|TimeEnd|State\nc|n1|2026-03-01T09:00:00|Unknown|DOWN\n";
    const USAGE: &str = "Account|User|RawShares|NormShares|RawUsage\nroot||1|1|5\n";
    const BUFFERS: &str =
        "Name=lua DefaultPool=(null) Granularity=1 TotalSpace=0 FreeSpace=0 UsedSpace=0\n  Flags=x\n";
    const LICENCES: &str = "LicenseName=cae@db\n    Total=9 Used=0 Free=9 Reserved=0 Remote=yes\n";
    for (text, expected) in [
        (CONF, Expected::SlurmConf),
        ("# empty\nNodeName=n1 Name=gpu File=/dev/nvidia0\n", Expected::GresConf),
        ("Name=gpu Type=a100 Count=2\n", Expected::GresConf),
        (ASSOC, Expected::Associations),
        ("Cluster - 'c':Fairshare=1\nParent - 'root'\n", Expected::Associations),
        ("Account|User|MaxJobs\na||4\n", Expected::Associations),
        (QOS, Expected::Qos),
        ("Name|Priority\nnormal|0\n", Expected::Qos),
        (SCONTROL, Expected::Reservations),
        ("No reservations in the system\n", Expected::Reservations),
        ("Cluster|Name|TimeStart|TimeEnd|NodeNames\nc|r|2026|2027|n1\n", Expected::Reservations),
        (EVENTS, Expected::NodeEvents),
        (USAGE, Expected::Usage),
        (BUFFERS, Expected::BurstBuffer),
        ("GetSysState=/opt/dw\nAllowUsers=ben\n", Expected::BurstBuffer),
        (LICENCES, Expected::Licences),
        ("No licenses configured in Slurm.\n", Expected::Licences),
        ("{\"event\": \"run\", \"time_us\": 0}\n", Expected::Events),
        ("{\"nodes\": [], \"vms\": []}", Expected::State),
        ("name,cpu,memory\nn1,4,8\n", Expected::State),
        ("", Expected::Qos),
    ] {
        assert_eq!(named("file", text).refusal_as(expected), None, "{text}");
    }
    for (text, expected, message) in [
        (
            SWF,
            Expected::Qos,
            "found a log in SWF, expected the output of `sacctmgr --parsable2 show qos`; a log is given with `--workload`",
        ),
        (
            QOS,
            Expected::Associations,
            "found qualities of service of sacctmgr, expected the output of `sacctmgr --parsable2 show assoc`; give them with `--qos`",
        ),
        (ASSOC, Expected::Qos, "; give them with `--sacctmgr`"),
        (
            CONF,
            Expected::Usage,
            "found a slurm.conf, expected the output of `sshare --all --parsable2`; give it with `--slurm-conf`",
        ),
        (ASSOC, Expected::SlurmConf, "found associations of sacctmgr, expected a slurm.conf; "),
        (CONF, Expected::Events, "expected an events file of dfrsim"),
        (
            CONF,
            Expected::BurstBuffer,
            "expected the output of `scontrol show burst`, or a burst_buffer.conf; give it with `--slurm-conf`",
        ),
        (
            LICENCES,
            Expected::BurstBuffer,
            "found an output of `scontrol show licenses`, expected the output of `scontrol show burst`, or a burst_buffer.conf; give it with `--licenses`",
        ),
        (
            BUFFERS,
            Expected::Usage,
            "found an output of `scontrol show burst`, or a burst_buffer.conf, expected the output of `sshare",
        ),
        (
            "study = \"online\"\n",
            Expected::Results,
            "found a scenario, expected a folder of results, as written by `dfrsim run`; run it with `dfrsim run`",
        ),
        (SWF, Expected::State, "expected a state of a cluster; a log is given"),
    ] {
        let found = named("file", text).refusal_as(expected).unwrap_or_default();
        assert!(found.contains(message), "{found}");
    }
}

proptest! {
    /// A damaged file has a kind and one message at most.
    #[test]
    fn any_bytes_have_a_kind(bytes in prop::collection::vec(any::<u8>(), 0..300), is_whole: bool) {
        let kind = of_start(&bytes, is_whole, Path::new("jobs.swf"));
        if let Some(message) = kind.refusal() {
            prop_assert!(!message.contains('\n'), "{}", message);
        }
    }

    /// Cut and changed texts of all kinds do not panic.
    #[test]
    fn damaged_texts_have_a_kind(
        which in 0_usize..8,
        cut in 0_usize..120,
        at in 0_usize..120,
        put in prop::sample::select(vec!['\0', '\r', '\n', '{', '"', '\\', '|', ';', ',', '[', '=', '\u{feff}']),
    ) {
        let texts = [
            "{\"nb_res\": 4, \"jobs\": [{\"id\": \"a\\\"\"}]}",
            "JobID|State|Submit\n1|COMPLETED|x\n",
            "03/01/2026 09:00:00;Q;12.head;queue=batch",
            "NodeName=n1 CPUs=4\n[a]\nb = 1",
            "[[workloads]]\nname = 'a'",
            "a,b,\"c\n1,2,3",
            SWF,
            "<html><body>",
        ];
        let mut text: String = texts[which].chars().take(cut).collect();
        let place = text.char_indices().map(|(place, _)| place).nth(at).unwrap_or(text.len());
        text.insert(place, put);
        let message = named("jobs.json", &text).refusal().unwrap_or_default();
        prop_assert!(!message.contains('\n'), "{}", message);
    }
}
