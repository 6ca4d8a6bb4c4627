//! Attempts to set up the variants of the sandbox.

use pacman2_bot_source::sandbox::helper;
use pacman2_runner::{Sandbox, Tier};

/// An attempt to set up one variant of the sandbox.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) tier: Tier,
    pub(super) control_groups: bool,
    pub(super) availability: Availability,
}

/// Whether a variant of the sandbox is available.
#[derive(Debug)]
pub(super) enum Availability {
    /// It is, with control groups that have these controllers, or without control groups.
    Available(Option<Vec<&'static str>>),
    /// It is not, for this reason.
    Unavailable(String),
}

impl Attempt {
    /// Runs a program that does nothing in the sandbox.
    pub(super) fn run(tier: Tier, control_groups: bool) -> Attempt {
        let sandbox = Sandbox::exactly(tier, control_groups, helper());
        let availability = match sandbox {
            Ok(sandbox) => Availability::Available(sandbox.control_groups().map(<[_]>::to_vec)),
            Err(error) => Availability::Unavailable(error.to_string()),
        };
        Attempt { tier, control_groups, availability }
    }

    pub(super) fn is_available(&self) -> bool {
        matches!(self.availability, Availability::Available(_))
    }

    /// Returns the controllers of the control groups, if this variant is available and has groups.
    pub(super) fn controllers(&self) -> Option<&[&'static str]> {
        match &self.availability {
            Availability::Available(controllers) => controllers.as_deref(),
            Availability::Unavailable(_) => None,
        }
    }

    /// Returns why this variant is not available.
    pub(super) fn reason(&self) -> Option<&str> {
        match &self.availability {
            Availability::Available(_) => None,
            Availability::Unavailable(reason) => Some(reason),
        }
    }
}
