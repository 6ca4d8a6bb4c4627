//! What is done with all blocks of games, with any instruction set.

use super::{Block, StartSource};
use crate::arch::Work;
use crate::lanes::Lanes;

/// Returns [`Lanes::MAX_SCALAR_GAMES`].
pub(super) struct MaxScalarGames;

impl Work for MaxScalarGames {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> usize {
        L::MAX_SCALAR_GAMES
    }
}

pub(super) struct Step<'a, B> {
    pub(super) blocks: B,
    pub(super) source: Option<&'a dyn StartSource>,
}

impl<'b, B: Iterator<Item = ((&'b mut Block, &'b [[u8; 4]]), &'b mut [[i32; 4]])>> Work for Step<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for ((block, actions), rewards) in self.blocks {
            block.step(lanes, actions, rewards, self.source);
        }
    }
}

pub(super) struct LegalActions<B> {
    pub(super) blocks: B,
}

impl<'b, B: Iterator<Item = (&'b Block, &'b mut [[u16; 4]])>> Work for LegalActions<B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (block, legal) in self.blocks {
            block.legal_actions(lanes, legal);
        }
    }
}

pub(super) struct RandomActions<B> {
    pub(super) blocks: B,
}

impl<'b, B: Iterator<Item = (&'b mut Block, &'b mut [[u8; 4]])>> Work for RandomActions<B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (block, actions) in self.blocks {
            block.random_actions(lanes, actions);
        }
    }
}
