//! Dispatch for processors without a version of their own.

/// Calls this function of a net and its inputs, which has to be inlined.
#[inline]
pub(crate) fn call<N, I: ?Sized, O>(function: impl Fn(&N, &I) -> O, net: &N, inputs: &I) -> O {
    function(net, inputs)
}
