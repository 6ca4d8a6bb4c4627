/// The hash FNV-1a with 64 bits.
///
/// It is no protection against deliberate collisions. Fingerprints, signatures and saved games contain its values, so they
/// never change.
///
/// ```
/// use pacman2_rules::Fnv1a;
///
/// let mut hash = Fnv1a::new();
/// hash.write(b"a");
/// assert_eq!(hash.finish(), 0xaf63dc4c8601ec8c);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fnv1a(u64);

impl Fnv1a {
    /// Starts a hash.
    pub const fn new() -> Fnv1a {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_unit(byte.into()));
    }

    /// Adds a number as one unit, as FNV-1a adds a byte.
    pub fn write_unit(&mut self, unit: u64) {
        self.0 = (self.0 ^ unit).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Returns the hash of all that was added.
    #[must_use]
    pub const fn finish(self) -> u64 {
        self.0
    }
}

impl Default for Fnv1a {
    fn default() -> Fnv1a {
        Fnv1a::new()
    }
}
