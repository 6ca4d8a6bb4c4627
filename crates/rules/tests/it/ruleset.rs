//! The table of settings.

use std::collections::BTreeSet;

use pacman2_rules::{ForfeitRuling, Ruleset, Setting};

#[test]
fn every_setting_is_set_and_read_alone() {
    for setting in Setting::ALL {
        let (least, most) = setting.range().into_inner();
        for value in [least, most] {
            let ruleset = Ruleset::default().with(setting, value).expect("the ends of the range are possible");
            let expected = |other| if other == setting { value } else { Ruleset::default().get(other) };
            assert_eq!(ruleset.iter().collect::<Vec<_>>(), Setting::ALL.map(|other| (other, expected(other))));
        }
    }
}

#[test]
fn values_out_of_range_are_rejected() {
    for setting in Setting::ALL {
        let (least, most) = setting.range().into_inner();
        for value in [least - 1, most + 1, i64::MIN, i64::MAX] {
            let error = Ruleset::default().with(setting, value).expect_err("the value is out of range");
            assert_eq!((error.setting, error.value), (setting, value));
        }
    }
}

#[test]
fn names_and_keys_are_unique() {
    let distinct = |name: fn(Setting) -> &'static str| Setting::ALL.map(name).into_iter().collect::<BTreeSet<_>>().len();
    assert_eq!([distinct(Setting::name), distinct(Setting::json_key), distinct(Setting::description)], [Setting::COUNT; 3]);
    assert_eq!(Setting::ALL.map(Setting::index), [0, 1, 2, 3, 4]);
}

#[test]
fn the_default_is_botzones() {
    assert_eq!(Ruleset::default().iter().map(|(_, value)| value).collect::<Vec<_>>(), [20, 10, 10, 4, 100]);
    assert_eq!(Ruleset::default().forfeit_ruling, ForfeitRuling::Sample);
}

#[test]
fn rulings_have_names() {
    for ruling in ForfeitRuling::ALL {
        assert_eq!(ruling.name().parse(), Ok(ruling));
        assert_eq!(ForfeitRuling::ALL[ruling.index()], ruling);
    }
    let error = "Judge".parse::<ForfeitRuling>().expect_err("names are in lower case");
    assert_eq!(error.to_string(), "unknown ruling \"Judge\"; expected sample, judge or prose");
}
