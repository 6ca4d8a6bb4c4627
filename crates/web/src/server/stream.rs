//! Event streams: one for each match, and one for the lists of matches and replays. The number of listeners is limited, in all
//! and for each client, and so is the number of events that wait for a slow one.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Take};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::connections::{self, Client, Peer};
use super::error::ApiError;
use super::folder::Folder;
use super::live::{LiveMatch, MatchEvent};
use super::matches::Matches;
use super::request::{UrlPath, blocking};
use super::stop_signal::StopSignal;

/// The most listeners at a time, if half of the connections are not fewer.
const MAX_LISTENERS: usize = 64;
/// How much of a large file is read at a time.
const PIECE_BYTES: u64 = 64 * 1024;
/// How often the folder is checked while a page listens.
const FOLDER_POLL: Duration = Duration::from_secs(1);
/// How soon a browser reconnects after it lost a stream.
const RETRY: Duration = Duration::from_secs(1);

/// The streams of a server: what they report, and how many may listen.
pub(super) struct Streams {
    folder: Arc<Folder>,
    matches: Arc<Matches>,
    stop: StopSignal,
    listeners: Arc<Listeners>,
    folder_changed: broadcast::Sender<()>,
}

impl Streams {
    pub(super) fn new(folder: Arc<Folder>, matches: Arc<Matches>, stop: StopSignal) -> Streams {
        Streams {
            folder,
            matches,
            stop,
            listeners: Arc::new(Listeners::new(connections::limit())),
            folder_changed: broadcast::Sender::new(1),
        }
    }
}

/// The number of listeners of each client.
struct Listeners {
    limit: usize,
    /// How many may be of one client. A browser opens at most six connections to a server.
    limit_of_client: usize,
    counts: Mutex<HashMap<Client, usize>>,
}

/// The right to listen. Dropping it gives it back.
struct Permit {
    client: Client,
    listeners: Arc<Listeners>,
}

impl Listeners {
    /// Limits listeners so that there are connections left for other requests: a stream is a request that does not end, and no
    /// new connection replaces it.
    fn new(connections: usize) -> Listeners {
        let limit = MAX_LISTENERS.min(connections / 2).max(1);
        Listeners { limit, limit_of_client: (limit / 2).max(1), counts: Mutex::default() }
    }

    fn permit(self: &Arc<Listeners>, client: Client) -> Result<Permit, ApiError> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.values().sum::<usize>() >= self.limit {
            return Err(ApiError::TooManyListeners { limit: self.limit });
        }
        let own = counts.entry(client).or_default();
        if *own >= self.limit_of_client {
            return Err(ApiError::TooManyListenersOfClient { limit: self.limit_of_client });
        }
        *own += 1;
        Ok(Permit { client, listeners: Arc::clone(self) })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.listeners.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = counts.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

/// Watches the folder for as long as the server runs, whenever a page listens.
pub(super) async fn watch_folder(streams: Arc<Streams>) {
    let mut last = None;
    loop {
        tokio::time::sleep(FOLDER_POLL).await;
        if streams.folder_changed.receiver_count() == 0 {
            continue;
        }
        let folder = Arc::clone(&streams.folder);
        // An unreadable folder is an error of the request for its list, not of the watch.
        let current = blocking(move || folder.stamps().ok()).await.ok();
        if last != current {
            last = current;
            let _ = streams.folder_changed.send(());
        }
    }
}

/// Streams `replays` and `matches` whenever one of these lists has changed.
pub(super) async fn list_changes(
    State(streams): State<Arc<Streams>>,
    Extension(peer): Extension<Peer>,
) -> Result<Response, ApiError> {
    let permit = streams.listeners.permit(peer.client)?;
    let listener = (streams.folder_changed.subscribe(), streams.matches.changed.subscribe(), streams.stop.clone(), permit);
    let events = stream::unfold(listener, |(mut replays, mut matches, stop, permit)| async move {
        let kind = tokio::select! {
            // A listener that missed some changes still learns that there were changes.
            change = replays.recv() => is_open(&change).then_some("replays")?,
            change = matches.recv() => is_open(&change).then_some("matches")?,
            () = stop.requested() => return None,
        };
        Some((Ok(Event::default().event(kind).data("{}")), (replays, matches, stop, permit)))
    });
    Ok(sse_response(events))
}

/// Reads a file in pieces, each when the one before was taken.
pub(super) fn pieces(file: Take<File>) -> impl futures_util::Stream<Item = io::Result<Vec<u8>>> {
    stream::try_unfold(file, |mut file| async move {
        let read = blocking(move || {
            let mut piece = Vec::new();
            file.by_ref().take(PIECE_BYTES).read_to_end(&mut piece).map(|_| (piece, file))
        });
        let (piece, file) = read.await.map_err(io::Error::other)??;
        Ok((!piece.is_empty()).then_some((piece, file)))
    })
}

fn is_open(change: &Result<(), RecvError>) -> bool {
    !matches!(change, Err(RecvError::Closed))
}

/// Streams a match from its first turn to its end, each turn once.
pub(super) async fn match_events(
    State(streams): State<Arc<Streams>>,
    Extension(peer): Extension<Peer>,
    UrlPath(id): UrlPath<String>,
) -> Result<Response, ApiError> {
    let live = streams.matches.find(&id)?;
    let permit = streams.listeners.permit(peer.client)?;
    let (backlog, later) = subscribe(&live).await?;
    let listener =
        MatchListener { live, backlog: backlog.into(), later, over: false, stop: streams.stop.clone(), _permit: permit };
    Ok(sse_response(stream::unfold(listener, |mut listener| async move {
        let MatchEvent { kind, data } = listener.next().await?;
        Some((Ok(Event::default().event(kind).data(data)), listener))
    })))
}

struct MatchListener {
    live: Arc<LiveMatch>,
    backlog: VecDeque<MatchEvent>,
    later: broadcast::Receiver<MatchEvent>,
    over: bool,
    stop: StopSignal,
    _permit: Permit,
}

impl MatchListener {
    async fn next(&mut self) -> Option<MatchEvent> {
        if self.over {
            return None;
        }
        let event = match self.backlog.pop_front() {
            Some(event) => event,
            None => self.receive().await?,
        };
        self.over = event.kind == "end";
        Some(event)
    }

    async fn receive(&mut self) -> Option<MatchEvent> {
        let event = tokio::select! {
            event = self.later.recv() => event,
            () = self.stop.requested() => return None,
        };
        match event {
            Ok(event) => Some(event),
            Err(RecvError::Closed) => None,
            // Too far behind: start over with the whole replay.
            Err(RecvError::Lagged(_)) => {
                let (backlog, later) = subscribe(&self.live).await.ok()?;
                (self.backlog, self.later) = (backlog.into(), later);
                self.backlog.pop_front()
            }
        }
    }
}

/// Subscribes on another thread, because writing the replay of a long match takes time.
async fn subscribe(live: &Arc<LiveMatch>) -> Result<(Vec<MatchEvent>, broadcast::Receiver<MatchEvent>), ApiError> {
    let live = Arc::clone(live);
    blocking(move || live.subscribe()).await
}

/// Makes a response of server-sent events.
pub(super) fn sse_response(events: impl stream::Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let first = stream::once(async { Ok(Event::default().retry(RETRY).comment("connected")) });
    Sse::new(stream::StreamExt::chain(first, events)).keep_alive(KeepAlive::default()).into_response()
}
