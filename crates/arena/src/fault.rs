//! Faults of bots, by the verdicts of their turns.

use pacman2_botzone::response::Verdict;
use pacman2_replay::TurnVerdict;
use pacman2_tournament::FaultKind;

/// Returns the kind of fault that a verdict stands for; `None` if it is no fault.
pub(crate) fn fault_kind(verdict: TurnVerdict) -> Option<FaultKind> {
    Some(match verdict {
        TurnVerdict::Run(Verdict::Ok) => return None,
        TurnVerdict::Run(Verdict::Tle) => FaultKind::Tle,
        TurnVerdict::Run(Verdict::Mle) => FaultKind::Mle,
        TurnVerdict::Run(Verdict::Ole) => FaultKind::Ole,
        TurnVerdict::Run(Verdict::Nj) => FaultKind::Nj,
        TurnVerdict::Run(Verdict::Re) => FaultKind::Re,
        TurnVerdict::Illegal => FaultKind::Illegal,
    })
}
