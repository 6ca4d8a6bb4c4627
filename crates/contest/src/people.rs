//! Who takes part: a list with a name, a number, a class and a role.

/// A person of a contest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct PersonId(pub(crate) i64);
