//! Numbers as texts show them.

/// Formats a large number with a comma after every three digits.
pub fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits.char_indices().flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas() {
        let numbers = [0, 999, 1000, 123_456, 156_849_000];
        assert_eq!(numbers.map(with_commas), ["0", "999", "1,000", "123,456", "156,849,000"]);
    }
}
