use super::*;

fn account(name: &str, parent: Option<&str>) -> Account {
    let parent = parent.map(str::to_owned);
    let (groups, users, limits) = Default::default();
    Account { name: name.to_owned(), parent, shares: 1, groups, users, is_user: false, usage_s: 0, limits }
}

#[test]
fn defaults_are_plain_and_right() {
    let mut settings = SiteSettings::default();
    assert!(settings.is_plain());
    settings.check().unwrap();
    settings.qos.push(JobClass { name: "low".to_owned(), total_nodes: Some(1), ..JobClass::default() });
    assert!(!settings.is_plain());
}

#[test]
fn wrong_settings_are_named() {
    let fault = |change: &dyn Fn(&mut SiteSettings)| {
        let mut settings = SiteSettings::default();
        change(&mut settings);
        settings.check().unwrap_err().to_string()
    };
    let accounts = |accounts: &[Account]| fault(&|it| it.accounts = accounts.to_vec());
    assert_eq!(fault(&|it| it.calc_period_s = 0), "calc_period_s: expected 1 to 16000000000 seconds");
    assert_eq!(fault(&|it| it.backfill.max_job_test = Some(0)), "backfill.max_job_test: expected at least 1");
    assert_eq!(
        accounts(&[account("a", Some("b"))]),
        "accounts.a: unknown parent `b`; expected the name of an account"
    );
    assert_eq!(
        accounts(&[account("a", Some("b")), account("b", Some("a"))]),
        "accounts.a: account is its own ancestor"
    );
    assert_eq!(accounts(&[account("a", None), account("a", None)]), "accounts: duplicate name `a`");
    let of_group = |name| Account { groups: vec![3], ..account(name, None) };
    assert_eq!(
        accounts(&[of_group("a"), of_group("b")]),
        "accounts.b: group 3 is assigned to an account twice"
    );
    assert_eq!(fault(&|it| it.qos.push(JobClass::default())), "qos: expected a name in each entry");
    let class = JobClass { name: "p".to_owned(), max_nodes: Some(0), ..JobClass::default() };
    assert_eq!(fault(&|it| it.partitions.push(class.clone())), "partitions.p.max_nodes: expected at least 1");
    let arrays = |jobs: &[(u64, u64)], running| {
        fault(&|it| {
            it.arrays = jobs.iter().map(|&range| JobArray { jobs: vec![range], running }).collect();
        })
    };
    assert_eq!(arrays(&[(1, 4)], 0), "arrays.running: expected at least 1");
    assert_eq!(arrays(&[(4, 9), (1, 4)], 1), "arrays.jobs: job 4 is in two ranges");
    assert_eq!(
        arrays(&[(5, 4)], 1),
        "arrays.jobs: expected ranges from a first job to a last one, found 5 and 4"
    );
    for weight in [0, 101] {
        let class = JobClass { name: "p".to_owned(), weight: Some(weight), ..JobClass::default() };
        assert_eq!(fault(&|it| it.qos.push(class.clone())), "qos.p.weight: expected 1 to 100");
    }
    let reserve = |it: &mut SiteSettings| {
        it.reservations = vec![Reservation { name: "r".to_owned(), from_s: 9, until_s: 9 }];
    };
    let end = "expected a start before the end, and an end of at most 16000000000 seconds";
    assert_eq!(fault(&reserve), format!("reservations.r: {end}"));
    let together = |it: &mut SiteSettings| it.together = vec![vec![1, 2], vec![3, 2]];
    assert_eq!(fault(&together), "together: job 2 is listed twice");
    let preempting = |name: &str, preempt: &[&str]| JobClass {
        name: name.to_owned(),
        preempt: preempt.iter().map(|&name| name.to_owned()).collect(),
        ..JobClass::default()
    };
    let qos = |qos: &[JobClass]| fault(&|it| it.qos = qos.to_vec());
    assert_eq!(qos(&[preempting("a", &["b"])]), "qos.a.preempt: unknown name `b`");
    assert_eq!(
        qos(&[preempting("a", &["a"])]),
        "qos.a.preempt: class preempts itself, directly or through others"
    );
    assert_eq!(
        qos(&[preempting("a", &["b"]), preempting("b", &["c"]), preempting("c", &["a"])]),
        "qos.a.preempt: class preempts itself, directly or through others"
    );
    let both = [preempting("a", &["b"]), preempting("b", &[])];
    assert_eq!(
        fault(&|it| (it.qos, it.partitions) = (both.to_vec(), both.to_vec())),
        "partitions.a.preempt: both QOS and partitions define preemption; use one of them"
    );
    assert_eq!(
        fault(&|it| it.preempt_exempt_time_s = u64::MAX),
        "preempt_exempt_time_s: expected 0 to 16000000000 seconds"
    );
}

/// The serialised settings of earlier versions must not change.
#[test]
fn preemption_is_written_where_there_is_some() {
    let mut settings = SiteSettings::default();
    settings.qos.push(JobClass { name: "low".to_owned(), ..JobClass::default() });
    assert!(!serde_json::to_string(&settings).unwrap().contains("preempt"));
    settings.qos[0].preempt_mode = Some(PreemptMode::Suspend);
    assert!(serde_json::to_string(&settings).unwrap().contains(r#""preempt_mode":"suspend""#));
}
