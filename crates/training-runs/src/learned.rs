//! What a generation learned.

use pacman2_training::Epoch;

/// The result of a generation's training.
#[derive(Clone, Copy)]
pub(super) struct Learned {
    /// The number of training samples, and of held-out samples.
    pub(super) training: usize,
    pub(super) held_out: usize,
    /// The epoch whose net was taken.
    pub(super) best: Epoch,
    /// The loss of the hand-made evaluation on the held-out samples.
    pub(super) hand_made: f64,
}
