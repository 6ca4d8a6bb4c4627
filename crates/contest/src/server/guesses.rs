//! Limits on guessing passwords and links, by account and by address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pacman2_web::server::parts::Client;

use super::error::ContestError;

/// The time for which wrong guesses count.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// The most wrong guesses in it, of one account and from one address. A whole class may have one address.
const PER_ACCOUNT: u32 = 10;
const PER_ADDRESS: u32 = 200;
/// The most accounts and addresses that are counted. Beyond that, those that were counted first are forgotten.
const MAX_COUNTED: usize = 4096;

/// The wrong guesses of late.
#[derive(Default)]
pub(super) struct Guesses(Mutex<(Counts<String>, Counts<Client>)>);

struct Counts<K>(HashMap<K, (u32, Instant)>);

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(HashMap::new())
    }
}

impl Guesses {
    /// Counts a guess as wrong before it is looked at, so that guesses at the same time count, too. `right` takes that back.
    pub(super) fn begin(&self, account: Option<&str>, client: Client, now: Instant) -> Result<(), ContestError> {
        let (accounts, addresses) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = [
            account.and_then(|account| accounts.wait(&account.to_owned(), PER_ACCOUNT, now)),
            addresses.wait(&client, PER_ADDRESS, now),
        ];
        if let Some(wait) = waits.into_iter().flatten().max() {
            return Err(ContestError::TooManyGuesses { minutes: wait.as_secs().div_ceil(60) });
        }
        if let Some(account) = account {
            accounts.add(account.to_owned(), now);
        }
        addresses.add(client, now);
        Ok(())
    }

    /// Takes back a guess that was right. The account's wrong guesses are forgotten, too.
    pub(super) fn right(&self, account: Option<&str>, client: Client) {
        let (accounts, addresses) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = account {
            accounts.0.remove(account);
        }
        if let Some((count, _)) = addresses.0.get_mut(&client) {
            *count = count.saturating_sub(1);
        }
    }
}

impl<K: Hash + Eq + Clone> Counts<K> {
    fn wait(&self, key: &K, most: u32, now: Instant) -> Option<Duration> {
        let (count, since) = self.0.get(key)?;
        let left = WINDOW.saturating_sub(now.duration_since(*since));
        (*count >= most && !left.is_zero()).then_some(left)
    }

    fn add(&mut self, key: K, now: Instant) {
        if self.0.len() == MAX_COUNTED && !self.0.contains_key(&key) {
            let oldest = self.0.iter().min_by_key(|(_, (_, since))| *since).map(|(key, _)| key.clone());
            oldest.map(|oldest| self.0.remove(&oldest));
        }
        match self.0.entry(key) {
            Entry::Occupied(mut entry) if now.duration_since(entry.get().1) < WINDOW => entry.get_mut().0 += 1,
            entry => drop(entry.insert_entry((1, now))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::from_address(address.parse().unwrap())
    }

    #[test]
    fn an_account_has_ten_guesses_in_a_quarter_of_an_hour() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let guess = |time| guesses.begin(Some("1"), client("10.0.0.1"), time);
        for _ in 0..PER_ACCOUNT {
            guess(now).unwrap();
        }
        assert!(matches!(guess(now), Err(ContestError::TooManyGuesses { minutes: 15 })));
        assert!(guesses.begin(Some("1"), client("10.0.0.2"), now).is_err(), "from anywhere");
        assert!(guesses.begin(Some("2"), client("10.0.0.1"), now).is_ok());
        assert!(guess(now + WINDOW).is_ok());
    }

    #[test]
    fn right_guesses_do_not_count() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for _ in 0..2 * PER_ADDRESS {
            guesses.begin(Some("1"), client("10.0.0.1"), now).unwrap();
            guesses.right(Some("1"), client("10.0.0.1"));
        }
    }

    #[test]
    fn an_address_that_tries_many_accounts_is_stopped_and_memory_is_bounded() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let tried = (0..).take_while(|number| guesses.begin(Some(&format!("{number}")), client("10.0.0.1"), now).is_ok()).count();
        assert_eq!(tried, PER_ADDRESS as usize);
        for number in 0..MAX_COUNTED + 10 {
            guesses.begin(Some(&format!("a{number}")), client(&format!("2001:db8:{number:x}::1")), now).unwrap();
        }
        assert_eq!(guesses.0.lock().unwrap().0.0.len(), MAX_COUNTED);
    }
}
