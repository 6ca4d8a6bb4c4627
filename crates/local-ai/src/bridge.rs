//! The loop: poll, think, and send the answers with the next poll.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_botzone::Json;
use pacman2_botzone::local_ai::{MatchEnd, MatchId, Message, NewMatch, Poll, Refusal, RequestError, parse_new_match};
use pacman2_console::error::bad_input;

use super::active::ActiveMatches;
use super::http::{Call, Header, HttpError, Reply, Transport};
use super::output::Event;
use super::record;
use super::retry::{Failure, Retry};

/// The most matches that wait for others to end, and the most that are known to be none of ours.
const MAX_WAITING: usize = 64;
const MAX_IGNORED: usize = 10_000;

/// What is to be played.
pub struct Plan {
    /// The match to start whenever none is going on.
    pub start: Option<NewMatch>,
    /// The number of matches after which to end.
    pub matches: Option<u32>,
    /// The number of matches that are played at once; others wait.
    pub matches_at_once: usize,
    /// How long the site may take to reply to a poll.
    pub poll_time: Duration,
    /// Where replays go.
    pub folder: PathBuf,
    /// Whether to complete replays with the site's logs.
    pub fetch_logs: bool,
}

/// How the loop ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The matches are over.
    Done,
    /// The program is to end.
    Interrupted,
}

/// What the loop works with. Time passes by `sleep` alone, which returns early if the program is to end.
pub(crate) struct Bridge<'a> {
    pub(crate) site: &'a mut dyn Transport,
    pub(crate) sleep: &'a mut dyn FnMut(Duration),
    pub(crate) listen: &'a mut dyn FnMut(Event) -> std::io::Result<()>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) plan: Plan,
    pub(crate) matches: ActiveMatches<'a>,
    pub(crate) waiting: BTreeMap<MatchId, Message>,
    pub(crate) ignored: BTreeSet<MatchId>,
}

impl Bridge<'_> {
    /// Plays until the plan is done or the program is to end.
    ///
    /// # Errors
    /// Fails if the site rejects us for good, if the bot cannot be started, or if the output is closed.
    pub(crate) fn run(mut self) -> anyhow::Result<Outcome> {
        let (mut ended, mut started) = (0, None);
        let mut retry = Retry::default();
        while !self.stop.load(Ordering::Relaxed) {
            if self.plan.matches.is_some_and(|matches| ended >= matches) {
                return Ok(Outcome::Done);
            }
            if started.is_none() && self.matches.len() == 0 && self.waiting.is_empty() {
                let Some(id) = self.start()? else { continue };
                started = id;
            }
            let (sent, headers) = self.matches.headers();
            let Some(poll) = self.poll(&headers, &mut retry)? else { continue };
            self.matches.delivered(&sent);
            for (id, message) in poll.requests {
                self.take_in(&id, message, sent.contains(&id))?;
            }
            for end in poll.ended {
                ended += u32::from(self.end(&end)? || started.as_ref() == Some(&end.id));
                started = started.filter(|started| *started != end.id);
            }
            self.begin_waiting()?;
            if let Err((id, error)) = self.matches.keep() {
                self.note(&id, format!("it could not continue after a restart of this program: {error:#}"))?;
            }
            for event in self.matches.answer(self.stop)? {
                (self.listen)(event)?;
            }
        }
        Ok(Outcome::Interrupted)
    }

    /// Starts the match of the plan, if there is one. Returns its id, or `None` if the program is to end.
    fn start(&mut self) -> anyhow::Result<Option<Option<MatchId>>> {
        let Some(new) = &self.plan.start else { return Ok(Some(None)) };
        let id = start_match(self.site, new, self.sleep, self.stop, &mut |failure, wait| {
            (self.listen)(Event::Trouble { reason: failure.to_string(), wait })
        })?;
        if let Some(id) = &id {
            (self.listen)(Event::Started(id.clone()))?;
        }
        Ok(id.map(Some))
    }

    /// Polls once. Returns `None` after a failure, when the time to wait is over.
    fn poll(&mut self, headers: &[Header], retry: &mut Retry) -> anyhow::Result<Option<Poll>> {
        let reply = self.site.get(Call::Poll(self.plan.poll_time), headers);
        let failure = match checked(self.site, reply) {
            Ok(body) => match Poll::parse(&body) {
                Ok(poll) => {
                    if retry.succeeded() {
                        (self.listen)(Event::Recovered)?;
                    }
                    return Ok(Some(poll));
                }
                Err(error) => Failure::Garbage(self.site.quote(&error.to_string())),
            },
            Err(failure) => failure,
        };
        if let Some(wait) = wait_after(&failure, retry, self.stop)? {
            if retry.is_news(&failure) {
                (self.listen)(Event::Trouble { reason: failure.to_string(), wait })?;
            }
            (self.sleep)(wait);
        }
        Ok(None)
    }

    fn take_in(&mut self, id: &MatchId, message: Result<Message, serde_json::Error>, answered: bool) -> anyhow::Result<()> {
        if self.ignored.contains(id) {
            return Ok(());
        }
        let message = match message {
            Ok(message) => message,
            Err(error) if self.matches.contains(id) => {
                return self.note(id, format!("a request is not JSON ({error}); waiting for another"));
            }
            Err(_) => return self.ignore(id, "its request is not JSON, as Pacman2's are"),
        };
        if !self.matches.contains(id) {
            return self.begin(id, message);
        }
        match self.matches.receive(id, &message, answered) {
            Ok(()) | Err(RequestError::Dead { .. }) => Ok(()),
            Err(error) => {
                let reason = self.site.quote(&error.to_string());
                self.note(id, format!("a request cannot be played, so it is not answered: {reason}"))
            }
        }
    }

    fn begin(&mut self, id: &MatchId, message: Message) -> anyhow::Result<()> {
        if self.matches.len() >= self.plan.matches_at_once {
            if self.waiting.insert(id.clone(), message).is_none() {
                (self.listen)(Event::Waits(id.clone()))?;
            }
            if self.waiting.len() > MAX_WAITING {
                self.waiting.pop_last();
            }
            return Ok(());
        }
        match self.matches.begin(id, &message) {
            Ok(event) => Ok((self.listen)(event)?),
            Err(error) => {
                let reason = self.site.quote(&error.to_string());
                self.ignore(id, &reason)
            }
        }
    }

    /// Begins matches that waited, as far as there is room.
    fn begin_waiting(&mut self) -> anyhow::Result<()> {
        while self.matches.len() < self.plan.matches_at_once
            && let Some((id, message)) = self.waiting.pop_first()
        {
            self.begin(&id, message)?;
        }
        Ok(())
    }

    fn ignore(&mut self, id: &MatchId, reason: &str) -> anyhow::Result<()> {
        if self.ignored.len() < MAX_IGNORED {
            self.ignored.insert(id.clone());
        }
        self.note(id, format!("not answered: {reason}"))
    }

    fn note(&mut self, id: &MatchId, text: String) -> anyhow::Result<()> {
        Ok((self.listen)(Event::Note { id: id.clone(), text })?)
    }

    /// Records a match that is over. Returns whether it was one of ours.
    fn end(&mut self, end: &MatchEnd) -> anyhow::Result<bool> {
        let MatchEnd { id, scores, .. } = end;
        self.ignored.remove(id);
        let was_waiting = self.waiting.remove(id).is_some();
        let Some(active) = self.matches.end(id) else { return Ok(was_waiting) };
        let mut replay = record::seen(&active, self.matches.source());
        if self.plan.fetch_logs && !scores.is_empty() {
            let reply = self.site.get(Call::Log(id.clone()), &[]);
            let fetched = checked(self.site, reply).map_err(|failure| failure.to_string());
            let completed = fetched.and_then(|body| {
                let log = Json::parse(&body).map_err(|error| format!("it is not JSON: {error}"))?;
                record::completed(&replay, &active, log).map_err(|error| error.to_string())
            });
            match completed.and_then(|whole| whole.ok_or_else(|| "it is that of another match".to_owned())) {
                Ok(whole) => replay = whole,
                Err(reason) => {
                    let reason = self.site.quote(&reason);
                    self.note(id, format!("its log cannot be used: {reason}; later, try \"pacman2 botzone fetch {id}\""))?;
                }
            }
        }
        let turns = replay.public.turns.len();
        let replay = match record::write(&self.plan.folder, id, &replay) {
            Ok(path) => {
                self.matches.forget(id);
                Some(path)
            }
            // The match is kept among the unfinished ones.
            Err(error) => {
                self.note(id, format!("{error:#}"))?;
                None
            }
        };
        (self.listen)(Event::Ended { id: id.clone(), scores: scores.clone(), turns, replay })?;
        Ok(true)
    }
}

/// Returns the body of a reply with status 200.
pub(crate) fn checked(site: &dyn Transport, reply: Result<Reply, HttpError>) -> Result<String, Failure> {
    let Reply { status, body } = reply.map_err(Failure::Http)?;
    match Refusal::from_status(status, &body) {
        None => Ok(body),
        Some(refusal) => Err(Failure::Refused { refusal, status, said: site.quote(&body) }),
    }
}

/// Returns how long to wait before the next attempt, or `None` if the program is to end.
fn wait_after(failure: &Failure, retry: &mut Retry, stop: &AtomicBool) -> anyhow::Result<Option<Duration>> {
    match retry.after(failure) {
        Some(wait) => Ok(Some(wait)),
        None if stop.load(Ordering::Relaxed) => Ok(None),
        None => Err(bad_input(failure)),
    }
}

/// Starts a match, and waits as often as the site asks to. Returns `None` if the program is to end before.
pub(crate) fn start_match(
    site: &mut dyn Transport,
    new: &NewMatch,
    sleep: &mut dyn FnMut(Duration),
    stop: &AtomicBool,
    on_trouble: &mut dyn FnMut(&Failure, Duration) -> std::io::Result<()>,
) -> anyhow::Result<Option<MatchId>> {
    let mut retry = Retry::default();
    while !stop.load(Ordering::Relaxed) {
        let reply = site.get(Call::RunMatch, &new.headers());
        let failure = match checked(site, reply) {
            Ok(body) => return parse_new_match(&site.quote(&body)).map(Some).map_err(bad_input),
            Err(failure) => failure,
        };
        if let Some(wait) = wait_after(&failure, &mut retry, stop)? {
            if retry.is_news(&failure) {
                on_trouble(&failure, wait)?;
            }
            sleep(wait);
        }
    }
    Ok(None)
}
