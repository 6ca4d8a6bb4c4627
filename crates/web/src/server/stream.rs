//! Streams of news: about a match, and about the house. Their number is bounded, and so is how much news waits for a
//! browser that does not read it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::live::{Live, News};
use super::response::{ApiError, aside};
use super::{House, Stop};

/// How many browsers can listen at a time.
const LISTENERS_AT_MOST: usize = 64;
/// How often the folder is looked at while somebody listens.
const LOOK: Duration = Duration::from_secs(1);
/// How soon a browser that was cut off comes back.
const RETRY: Duration = Duration::from_secs(1);

/// What all streams share.
pub(super) struct Streams {
    places: Arc<Semaphore>,
    folder_changed: broadcast::Sender<()>,
}

impl Streams {
    pub(super) fn new() -> Streams {
        Streams { places: Arc::new(Semaphore::new(LISTENERS_AT_MOST)), folder_changed: broadcast::Sender::new(1) }
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place.map_err(|_| ApiError::too_many("as many pages are listening as can; close one of them"))
    }
}

/// Looks at the folder as long as the server runs, when somebody listens.
pub(super) async fn watch_folder(house: Arc<House>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(LOOK).await;
        if house.streams.folder_changed.receiver_count() == 0 {
            continue;
        }
        let folder = Arc::clone(&house.folder);
        // A folder that cannot be read now is told to who asks for the list.
        let now = aside(move || folder.stamps().ok()).await.ok();
        if seen != now {
            seen = now;
            let _ = house.streams.folder_changed.send(());
        }
    }
}

/// News about the folder and the list of matches: what has changed, not how.
pub(super) async fn of_house(State(house): State<Arc<House>>) -> Result<Response, ApiError> {
    let place = house.streams.place()?;
    let listener = (house.streams.folder_changed.subscribe(), house.hall.changed.subscribe(), house.stop.clone(), place);
    let events = stream::unfold(listener, |(mut replays, mut matches, stop, place)| async move {
        let kind = tokio::select! {
            // Who missed some news is told that there is news.
            news = replays.recv() => going_on(&news).then_some("replays")?,
            news = matches.recv() => going_on(&news).then_some("matches")?,
            () = stop.requested() => return None,
        };
        Some((Ok(Event::default().event(kind).data("{}")), (replays, matches, stop, place)))
    });
    Ok(respond(events))
}

fn going_on(news: &Result<(), RecvError>) -> bool {
    !matches!(news, Err(RecvError::Closed))
}

/// A match from its beginning to its end, and no turn of it twice.
pub(super) async fn of_match(State(house): State<Arc<House>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let live = house.hall.find(&id)?;
    let place = house.streams.place()?;
    let (backlog, coming) = join(&live).await?;
    let watcher = Watcher { live, backlog: backlog.into(), coming, over: false, stop: house.stop.clone(), _place: place };
    Ok(respond(stream::unfold(watcher, |mut watcher| async move {
        let News { kind, data } = watcher.next().await?;
        Some((Ok(Event::default().event(kind).data(data)), watcher))
    })))
}

/// Who watches a match.
struct Watcher {
    live: Arc<Live>,
    backlog: VecDeque<News>,
    coming: broadcast::Receiver<News>,
    over: bool,
    stop: Stop,
    _place: OwnedSemaphorePermit,
}

impl Watcher {
    async fn next(&mut self) -> Option<News> {
        if self.over {
            return None;
        }
        let news = match self.backlog.pop_front() {
            Some(news) => news,
            None => self.coming().await?,
        };
        self.over = news.kind == "end";
        Some(news)
    }

    async fn coming(&mut self) -> Option<News> {
        let coming = tokio::select! {
            coming = self.coming.recv() => coming,
            () = self.stop.requested() => return None,
        };
        match coming {
            Ok(news) => Some(news),
            Err(RecvError::Closed) => None,
            // Too far behind: everything anew.
            Err(RecvError::Lagged(_)) => {
                let (backlog, coming) = join(&self.live).await.ok()?;
                (self.backlog, self.coming) = (backlog.into(), coming);
                self.backlog.pop_front()
            }
        }
    }
}

/// Writing down a long match takes its time.
async fn join(live: &Arc<Live>) -> Result<(Vec<News>, broadcast::Receiver<News>), ApiError> {
    let live = Arc::clone(live);
    aside(move || live.join()).await
}

/// A stream of events as an answer.
pub(super) fn respond(events: impl stream::Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let hello = stream::once(async { Ok(Event::default().retry(RETRY).comment("here you are")) });
    Sse::new(stream::StreamExt::chain(hello, events)).keep_alive(KeepAlive::default()).into_response()
}
