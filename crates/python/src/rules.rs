//! The rules of a game as Python's keywords: `turns`, the other settings under their own names, and `ruling`.

use pacman2_rules::{ForfeitRuling, Ruleset, Setting};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::convert::whole_number;
use crate::options::named;

/// The rules that keywords give. They replace those of init data.
#[derive(Clone, Default)]
pub(crate) struct RuleKeywords {
    /// The settings that are given, with their values.
    pub(crate) settings: Vec<(Setting, i64)>,
    /// The forfeit ruling.
    pub(crate) forfeit_ruling: ForfeitRuling,
}

impl RuleKeywords {
    /// Reads the keywords that `callee` takes beside its `own`; a setting may be `None`.
    pub(crate) fn read(callee: &str, own: &[&str], keywords: Option<&Bound<'_, PyDict>>) -> PyResult<RuleKeywords> {
        let mut rules = RuleKeywords::default();
        for (name, value) in keywords.into_iter().flatten() {
            let name = name.cast::<PyString>()?.to_cow()?;
            if let Some(setting) = Setting::ALL.into_iter().find(|&setting| keyword(setting) == name) {
                rules.setting(setting, &value)?;
            } else if name == "ruling" {
                rules.forfeit_ruling = named("ruling", &value)?;
            } else {
                let settings = Setting::ALL.map(keyword);
                let known = own.iter().chain(&settings).chain(&["ruling"]).copied().collect::<Vec<_>>().join(", ");
                let sentence = format!("{callee}: expected the keywords {known}, got an unexpected keyword argument '{name}'");
                return Err(PyTypeError::new_err(sentence));
            }
        }
        Ok(rules)
    }

    /// Reads the value of one setting; `None` is no value.
    fn setting(&mut self, setting: Setting, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if !value.is_none() {
            self.settings.push((setting, whole_number(keyword(setting), value, setting.range())?));
        }
        Ok(())
    }
}

/// What Python calls a setting.
fn keyword(setting: Setting) -> &'static str {
    match setting {
        Setting::TurnLimit => "turns",
        other => other.name(),
    }
}

/// The rules as a dict of keywords.
pub(crate) fn to_dict<'py>(py: Python<'py>, ruleset: &Ruleset) -> PyResult<Bound<'py, PyDict>> {
    let rules = PyDict::new(py);
    for (setting, value) in ruleset.iter() {
        rules.set_item(keyword(setting), value)?;
    }
    rules.set_item("ruling", ruleset.forfeit_ruling.name())?;
    Ok(rules)
}
