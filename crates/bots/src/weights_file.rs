//! Files of weights: a line with type, version and shape, a line about their origin, then little-endian 32-bit floats.

/// An error in a weights file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The first line is not this one: the file holds no such net, or one of another version or shape.
    #[error("not a net of this version: expected the first line \"{0}\"")]
    Header(&'static str),
    /// The weights do not have the right number of bytes.
    #[error("expected {expected} bytes of weights, got {found}")]
    Length {
        /// The right number.
        expected: usize,
        /// The number of bytes in the file.
        found: usize,
    },
    /// A weight is infinite or NaN.
    #[error("weight {index} of {weights} is not a finite number")]
    NotFinite {
        /// Which weight.
        index: usize,
        /// The number of weights.
        weights: usize,
    },
}

/// Reads `count` weights from a file with this first line.
pub(crate) fn read(bytes: &[u8], header: &'static str, count: usize) -> Result<Vec<f32>, NetError> {
    let rest = bytes.strip_prefix(header.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n"));
    let rest = rest.ok_or(NetError::Header(header))?;
    let line = rest.iter().position(|&byte| byte == b'\n').ok_or(NetError::Header(header))?;
    let numbers = &rest[line + 1..];
    if numbers.len() != 4 * count {
        return Err(NetError::Length { expected: 4 * count, found: numbers.len() });
    }
    let weights: Vec<f32> = numbers.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    match weights.iter().position(|weight| !weight.is_finite()) {
        Some(index) => Err(NetError::NotFinite { index, weights: count }),
        None => Ok(weights),
    }
}

/// Returns the file with this first line and these weights.
pub(crate) fn write(header: &str, origin: &str, weights: impl Iterator<Item = f32>) -> Vec<u8> {
    let mut bytes = format!("{header}\n{}\n", origin.replace('\n', " ")).into_bytes();
    bytes.extend(weights.flat_map(f32::to_le_bytes));
    bytes
}
