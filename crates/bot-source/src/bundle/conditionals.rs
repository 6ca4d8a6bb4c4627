//! Which macros are defined for certain at a place of a source, and which lines count.

use std::collections::BTreeSet;

use crate::cpp_text::{Condition, Directive};

/// Macros that Botzone's compiler defines.
const PREDEFINED: [&[u8]; 2] = [b"_BOTZONE_ONLINE", b"__cplusplus"];

/// The conditionals around a place, in all files that include each other there.
pub(super) struct Conditionals {
    defined: BTreeSet<Vec<u8>>,
    open: Vec<Conditional>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counts {
    Always,
    Never,
    Perhaps,
}

struct Conditional {
    counts: Counts,
    /// The macro without which the lines count, as in include guards.
    unless: Option<Vec<u8>>,
    /// The macros that are defined for certain since it began.
    added: Vec<Vec<u8>>,
}

impl Conditionals {
    pub(super) fn new() -> Conditionals {
        Conditionals { defined: PREDEFINED.iter().map(|name| name.to_vec()).collect(), open: Vec::new() }
    }

    pub(super) fn is_defined(&self, name: &[u8]) -> bool {
        self.defined.contains(name)
    }

    /// Returns whether the lines here never count.
    pub(super) fn are_dead(&self) -> bool {
        self.open.iter().any(|conditional| conditional.counts == Counts::Never)
    }

    /// Returns whether the lines here may not count.
    pub(super) fn are_in_doubt(&self) -> bool {
        self.open.iter().any(|conditional| conditional.counts != Counts::Always)
    }

    /// Takes note of a directive. `next` is the one in the next line that is not blank.
    pub(super) fn see(&mut self, directive: &Directive, next: Option<&Directive>) {
        match directive {
            Directive::If(condition) => self.begin(condition, next),
            Directive::Else => self.turn(true),
            Directive::ElseIf => self.turn(false),
            Directive::EndIf => self.end(),
            _ if self.are_dead() => {}
            Directive::Define(name) => self.define(name.clone()),
            Directive::Undefine(name) => {
                self.defined.remove(name);
            }
            _ => {}
        }
    }

    pub(super) fn define(&mut self, name: Vec<u8>) {
        if self.defined.insert(name.clone())
            && let Some(inner) = self.open.last_mut()
        {
            inner.added.push(name);
        }
    }

    fn begin(&mut self, condition: &Condition, next: Option<&Directive>) {
        let (counts, unless) = match condition {
            Condition::Never => (Counts::Never, None),
            Condition::Defined(name) if self.is_defined(name) => (Counts::Always, None),
            Condition::Undefined(name) if self.is_defined(name) => (Counts::Never, None),
            // An include guard: what is defined in it is defined behind it, whether it counted now or before.
            Condition::Undefined(name) if next == Some(&Directive::Define(name.clone())) => (Counts::Always, Some(name.clone())),
            Condition::Undefined(name) => (Counts::Perhaps, Some(name.clone())),
            Condition::Defined(_) | Condition::Other => (Counts::Perhaps, None),
        };
        self.open.push(Conditional { counts, unless, added: Vec::new() });
    }

    /// Goes on behind `#else`, or `#elif`, whose condition is not examined.
    fn turn(&mut self, is_else: bool) {
        let Some(Conditional { counts, unless, added }) = self.open.last_mut() else { return };
        *counts = match *counts {
            // Where a guard counts no more, it may have been defined before.
            Counts::Always if unless.is_none() => Counts::Never,
            Counts::Never if is_else => Counts::Always,
            _ => Counts::Perhaps,
        };
        for name in added.drain(..) {
            self.defined.remove(&name);
        }
    }

    fn end(&mut self) {
        let Some(Conditional { counts, unless, added }) = self.open.pop() else { return };
        for name in added {
            self.defined.remove(&name);
            if counts == Counts::Always || unless.as_ref() == Some(&name) {
                self.define(name);
            }
        }
    }
}
