//! Settings of sites as fields of a scenario.

use crate::read;
use dfrsim_model::site::{
    Account, BackfillSettings, JobArray, JobClass, Limits, MainSettings, PriorityWeights, Reservation,
    Setting, SettingType, SettingVisitor, Settings, SiteSettings, Values,
};
use dfrsim_workload::log::{Header, Naming};
use dfrsim_workload::named_settings::{NamedSettings, with_names, with_numbers};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

/// Table of settings under construction: each setting has a random value or, often, its default.
struct Random<'r, S> {
    table: S,
    numbers: &'r mut dyn FnMut(u64) -> u64,
}

impl<S> SettingVisitor<S> for Random<'_, S> {
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
        let number = &mut *self.numbers;
        let value: Value = match setting.values {
            _ if number(3) == 0 => return,
            Values::Integers { least, most, .. } => {
                let most = if number(2) == 0 { most } else { most.min(least + 1_000) };
                (least + number(most - least + 1)).into()
            }
            Values::Flag => (number(2) == 0).into(),
            Values::Names(names) => names()[number(names().len() as u64) as usize].into(),
            Values::Amounts => json!({"cpu": number(1_000), "gpu": number(4_294_967_296)}),
            Values::Any(_) => return,
        };
        *(setting.get_mut)(&mut self.table) = serde_json::from_value(value).unwrap();
    }
}

fn random<S: Settings>(numbers: &mut dyn FnMut(u64) -> u64) -> S {
    let mut random = Random { table: S::default(), numbers };
    S::visit(&mut random);
    random.table
}

fn class(name: &str, numbers: &mut dyn FnMut(u64) -> u64) -> JobClass {
    let (queues, users) = (vec![1 + numbers(3) as u32], vec![1 + numbers(3) as u32]);
    JobClass { name: name.to_owned(), queues, users, limits: random(numbers), ..random(numbers) }
}

/// Valid settings, with the numbers of a log from 1 to 3.
fn settings(numbers: &mut dyn FnMut(u64) -> u64) -> SiteSettings {
    let mut qos = vec![class("low", numbers), class("high", numbers)];
    qos[1].preempt = vec!["low".to_owned()];
    for class in &mut qos {
        (class.tier, class.billing) = Default::default();
    }
    let account = |name: &str, number, limits: Limits| Account {
        groups: vec![number],
        is_user: false,
        limits,
        ..Account::user(name, None, number)
    };
    let user = Account { users: vec![1], ..Account::user("physics/ada", Some("physics"), 3) };
    let backfill: BackfillSettings = random(numbers);
    SiteSettings {
        weights: random::<PriorityWeights>(numbers),
        main: random::<MainSettings>(numbers),
        accounts: vec![account("physics", 1, random(numbers)), account("biology", 2, random(numbers)), user],
        partitions: vec![class("gpu", numbers)],
        qos,
        arrays: vec![JobArray { jobs: vec![(1, 4), (7, 7)], running: 1 + numbers(9) as u32 }],
        // Only backfilling starts jobs together.
        together: if backfill.off { Vec::new() } else { vec![vec![5, 6]] },
        backfill,
        reservations: vec![Reservation {
            name: "r".to_owned(),
            from_s: numbers(9),
            until_s: 10 + numbers(9),
        }],
        ..random(numbers)
    }
}

/// The table `priority` of a scenario, as `dfrsim site` writes it.
#[derive(Serialize)]
struct Table {
    name: &'static str,
    #[serde(flatten)]
    settings: NamedSettings,
}

#[derive(Serialize)]
struct Tables {
    priority: Vec<Table>,
}

proptest! {
    /// Checks that settings in a scenario are read as they were written, once by serde and once by
    /// the scenario itself.
    #[test]
    fn settings_are_read_as_they_are_written(mut state in any::<u64>()) {
        let mut numbers = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 16) % most
        };
        let settings = settings(&mut numbers);
        prop_assert_eq!(settings.check(), Ok(()));
        let mut header = Header::default();
        for (naming, number, name) in
            [(Naming::Group, 1, "physics"), (Naming::User, 1, "ada"), (Naming::Queue, 2, "low")]
        {
            header.name(naming, number, name);
        }
        let named = with_names(&settings, &header);
        let tables = Tables { priority: vec![Table { name: "p", settings: named.clone() }] };
        let text = format!(
            "study = 'online'\npolicies = 'EASY'\n{}[[workloads]]\nname = 'w'\nnodes = 8\nlublin = {{ replications = 1 }}\n",
            toml::to_string(&tables).unwrap()
        );
        let scenario = read(&text, None, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        prop_assert_eq!(&scenario.priorities[0].settings, &named);
        prop_assert_eq!(with_numbers(&scenario.priorities[0].settings, &header), Ok(settings));
        let written = scenario.to_toml("online");
        prop_assert_eq!(read(&written, None, &[]).unwrap(), scenario);
    }
}
