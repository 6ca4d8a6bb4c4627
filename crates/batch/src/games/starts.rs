//! What the games in slots began with.

use std::sync::Arc;

use super::{StartPosition, StartSource};

/// What a game began with. A start that is on the list of the source is not counted as a reference: counting costs 20 to 30 cycles
/// at the beginning of a game and as many at its end, because other threads may count, too.
#[derive(Clone)]
pub(super) enum SlotStart {
    /// The place on the list.
    Listed(usize),
    Own(Arc<StartPosition>),
}

/// The list of the source, if it has one.
#[derive(Clone)]
pub(super) struct StartList(Option<Arc<[Arc<StartPosition>]>>);

impl StartList {
    pub(super) fn of(source: &dyn StartSource) -> StartList {
        StartList(source.list().filter(|list| !list.is_empty()).map(Arc::from))
    }

    /// Returns what the game of that seed begins with.
    #[inline]
    pub(super) fn begin(&self, seed: u64, source: &dyn StartSource) -> SlotStart {
        match &self.0 {
            Some(list) => SlotStart::Listed(index_below(seed, list.len())),
            None => SlotStart::Own(source.start(seed)),
        }
    }

    #[inline]
    pub(super) fn get<'a>(&'a self, start: &'a SlotStart) -> &'a Arc<StartPosition> {
        match start {
            SlotStart::Listed(place) => &self.0.as_ref().expect("a listed start has a list")[*place],
            SlotStart::Own(start) => start,
        }
    }
}

/// Maps a seed uniformly to an index below `count`.
#[inline]
pub(super) fn index_below(seed: u64, count: usize) -> usize {
    // The upper half of the product is below `count`.
    ((u128::from(seed) * count as u128) >> 64) as usize
}
