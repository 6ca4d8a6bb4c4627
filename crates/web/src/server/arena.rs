//! The requests about an arena: its standings, games and bots. All of them only read.
//!
//! Responses contain the public part of each game, and no bot's command.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use pacman2_botzone::response::Verdict;
use pacman2_tournament::standings::standings;
use pacman2_tournament::store::{FaultFilter, Filter};
use pacman2_tournament::{BotId, BotVersion, GameResult, SeatResult, Store};
use serde::{Deserialize, Serialize};

use super::auth;
use super::compression::KeptPage;
use super::error::ApiError;
use super::request::{UrlPath, blocking};
use super::response::{html_response, json, policy};
use crate::arena::{self, BOOTSTRAP_SEED, public_json};
use crate::page::{self, Host, Page};

/// The most games in a response, and the number if the request does not say.
const MAX_GAMES: usize = 500;
const DEFAULT_GAMES: usize = 50;
/// Standings are reused for this many times what it took to compute them, to leave the cores to the games.
const REUSE_FACTOR: u32 = 10;

/// The arena that the server shows.
pub(super) struct Arena {
    page: KeptPage,
    store: Mutex<Store>,
    /// Locked during the computation, so that simultaneous requests share it.
    standings: Mutex<Option<CachedStandings>>,
}

struct CachedStandings {
    json: Arc<str>,
    revision: String,
    computed_at: Instant,
    took: Duration,
}

/// What a page polls to learn whether it is out of date.
#[derive(Serialize)]
struct Revision {
    games: usize,
    stamp: String,
}

/// The query of a request for games, unparsed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameQuery {
    bot: Option<String>,
    fault: Option<String>,
    seed: Option<String>,
    result: Option<String>,
    since: Option<String>,
    until: Option<String>,
    before: Option<String>,
    limit: Option<String>,
}

/// What the store does not find: games in which one seat has a bot, a fault and a result at the same time, and those of a time.
#[derive(Default)]
struct Conditions {
    bots: Option<Vec<BotId>>,
    fault: Option<FaultFilter>,
    /// Whether the seat won, alone or with others.
    won: Option<bool>,
    /// Seconds since 1970.
    since: Option<i64>,
    until: Option<i64>,
}

/// Some games, newest first, and whether there are older ones.
#[derive(Serialize)]
struct GamesPage {
    games: Vec<GameResult>,
    more: bool,
}

/// The arena, if the server shows one.
type ShownArena = State<Option<Arc<Arena>>>;

/// The routes of a server that shows games in the page at its root.
pub(super) fn routes(arena: Option<Arc<Arena>>) -> Router {
    shared_routes(arena.clone()).merge(Router::new().route("/arena/games/{id}", get(game_page)).with_state(arena))
}

/// The routes of a server whose root is the page of a contest: `/arena`, `/arena/games/{id}` and `/api/arena/…`. Each game has a page
/// of its own.
pub fn contest_routes(store: Store) -> Router {
    let arena = Some(Arc::new(Arena::new(store, arena::contest_page())));
    shared_routes(arena.clone()).merge(Router::new().route("/arena/games/{id}", get(file_page)).with_state(arena))
}

fn shared_routes(arena: Option<Arc<Arena>>) -> Router {
    Router::new()
        .route(auth::ARENA, get(show_page))
        .route("/api/arena/news", get(|shown: ShownArena| answer(shown, Arena::revision)))
        .route("/api/arena/bots", get(|shown: ShownArena| answer(shown, |arena| Ok(public_json(&arena.store().bots()?)))))
        .route("/api/arena/standings", get(read_standings))
        .route("/api/arena/games", get(list_games))
        .route("/api/arena/games/{id}/replay", get(read_replay))
        .with_state(arena)
}

async fn show_page(shown: ShownArena) -> Result<Response, ApiError> {
    Ok(require(shown)?.page.response())
}

/// Returns the arena, or the error of a server that shows none.
fn require(State(arena): ShownArena) -> Result<Arc<Arena>, ApiError> {
    arena.ok_or(ApiError::NoArena {})
}

async fn answer<T: Serialize + Send + 'static>(
    shown: ShownArena,
    compute: impl FnOnce(&Arena) -> Result<T, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let arena = require(shown)?;
    Ok(json(StatusCode::OK, &blocking(move || compute(&arena)).await??))
}

async fn read_standings(shown: ShownArena) -> Result<Response, ApiError> {
    let arena = require(shown)?;
    let (json, revision) = blocking(move || arena.standings()).await??;
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::ETAG, format!("\"{revision}\""))];
    Ok((headers, json.to_string()).into_response())
}

async fn list_games(shown: ShownArena, query: Result<Query<GameQuery>, QueryRejection>) -> Result<Response, ApiError> {
    let Query(query) =
        query.map_err(|_| ApiError::UnknownParameter { expected: "bot, fault, seed, result, since, until, before and limit" })?;
    answer(shown, move |arena| arena.games(query)).await
}

async fn read_replay(shown: ShownArena, UrlPath(id): UrlPath<String>) -> Result<Response, ApiError> {
    let text = replay(shown, id).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Leads to the page of the server with a game in it.
async fn game_page(shown: ShownArena, UrlPath(id): UrlPath<String>) -> Result<Redirect, ApiError> {
    let arena = require(shown)?;
    let found = blocking(move || arena.store().game(&id)).await??;
    found.map(|game| Redirect::to(&format!("/#game={}", game.id))).ok_or(ApiError::NoSuchGame {})
}

/// The page of a game, which sends no requests.
async fn file_page(shown: ShownArena, UrlPath(id): UrlPath<String>) -> Result<Response, ApiError> {
    let page = page::html(Host::File, Some(&replay(shown, id).await?));
    Ok(html_response(page.html.into(), policy(&page.csp)))
}

async fn replay(shown: ShownArena, id: String) -> Result<String, ApiError> {
    let arena = require(shown)?;
    let found = blocking(move || arena.store().replay(&id, false)).await??;
    found.ok_or(ApiError::NoSuchGame {})
}

impl Arena {
    pub(super) fn new(store: Store, page: Page) -> Arena {
        Arena { page: KeptPage::new(page), store: Mutex::new(store), standings: Mutex::default() }
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn revision(&self) -> Result<Revision, ApiError> {
        let store = self.store();
        let (games, bots) = (store.count()?, store.bots()?);
        Ok(Revision { games, stamp: stamp(games, &bots) })
    }

    /// Returns the standings as JSON, and the revision that they show.
    fn standings(&self) -> Result<(Arc<str>, String), ApiError> {
        let mut cached = self.standings.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.revision()?.stamp;
        if let Some(cached) = &*cached
            && (cached.revision == current || cached.computed_at.elapsed() < REUSE_FACTOR * cached.took)
        {
            return Ok((Arc::clone(&cached.json), cached.revision.clone()));
        }
        let begin = Instant::now();
        let (bots, games) = {
            let store = self.store();
            (store.bots()?, store.games(&Filter::default())?)
        };
        let json: Arc<str> = public_json(&standings(&bots, &games, BOOTSTRAP_SEED)).to_string().into();
        let revision = stamp(games.len(), &bots);
        *cached = Some(CachedStandings {
            json: Arc::clone(&json),
            revision: revision.clone(),
            computed_at: Instant::now(),
            took: begin.elapsed(),
        });
        Ok((json, revision))
    }

    fn games(&self, query: GameQuery) -> Result<GamesPage, ApiError> {
        let store = self.store();
        let GameQuery { bot, fault, seed, result, since, until, before, limit } = query;
        let fault = fault.map(parse_fault).transpose()?;
        let conditions = Conditions {
            bots: bot.as_deref().map(|bot| find_bots(bot, &store.bots()?)).transpose()?,
            fault,
            won: result.map(|result| parse_result(&result)).transpose()?,
            since: since.map(|time| parse_time("since", &time)).transpose()?,
            until: until.map(|time| parse_time("until", &time)).transpose()?,
        };
        let seed = seed.map(parse_seed).transpose()?;
        let limit = limit.map_or(Ok(DEFAULT_GAMES), parse_limit)?;
        if let Some(before) = &before
            && store.game(before)?.is_none()
        {
            return Err(ApiError::NoSuchEarlierGame {});
        }
        // Where the store finds too many games, larger steps are better.
        let step = if conditions.are_more_than_a_bot() { MAX_GAMES } else { limit };
        // One more game than requested shows whether there are more.
        let mut filter = Filter { bots: bot.into_iter().collect(), fault, seed, before, limit: Some(step + 1) };
        let mut games = Vec::new();
        loop {
            let found = store.games(&filter)?;
            let is_last = found.len() <= step;
            filter.before = found.last().map(|game| game.id.clone());
            games.extend(found.into_iter().filter(|game| conditions.hold(game)));
            if is_last || games.len() > limit {
                break;
            }
        }
        let more = games.len() > limit;
        games.truncate(limit);
        Ok(GamesPage { games, more })
    }
}

/// Returns a text that changes when a game or bot is added, and when a bot is retired or reinstated.
fn stamp(games: usize, bots: &[BotVersion]) -> String {
    let active: Vec<String> = bots.iter().filter(|bot| bot.is_active).map(|bot| bot.id.0.to_string()).collect();
    format!("{games}-{}-{}", bots.len(), active.join("."))
}

impl Conditions {
    fn are_more_than_a_bot(&self) -> bool {
        self.fault.is_some() || self.won.is_some() || self.since.or(self.until).is_some()
    }

    fn hold(&self, game: &GameResult) -> bool {
        let Conditions { bots, fault, won, since, until } = self;
        let has_fault = |seat: &SeatResult, filter: FaultFilter| seat.fault.is_some_and(|fault| filter.matches(fault.kind));
        let is_sought = |seat: &SeatResult| {
            bots.as_ref().is_none_or(|bots| bots.contains(&seat.bot))
                && fault.is_none_or(|fault| has_fault(seat, fault))
                && won.is_none_or(|won| won == (seat.place == 1))
        };
        let is_in_time = since.is_none_or(|since| game.finished >= since) && until.is_none_or(|until| game.finished < until);
        is_in_time && game.seats.iter().any(|(_, seat)| is_sought(seat))
    }
}

/// Returns the bots with a given name, or name@version.
fn find_bots(name: &str, bots: &[BotVersion]) -> Result<Vec<BotId>, ApiError> {
    let ids: Vec<BotId> = bots.iter().filter(|bot| bot.name == name || bot.label() == name).map(|bot| bot.id).collect();
    if ids.is_empty() { Err(ApiError::NoSuchBot { bot: name.to_owned() }) } else { Ok(ids) }
}

fn parse_fault(fault: String) -> Result<FaultFilter, ApiError> {
    if fault == "any" {
        return Ok(FaultFilter::Any);
    }
    fault.parse().ok().filter(Verdict::is_fault).map(FaultFilter::Kind).ok_or_else(|| {
        let kinds = Verdict::FAULTS.map(Verdict::name).join(", ");
        ApiError::UnknownFault { expected: format!("any, {kinds}"), got: fault }
    })
}

fn parse_result(result: &str) -> Result<bool, ApiError> {
    match result {
        "won" => Ok(true),
        "lost" => Ok(false),
        _ => Err(invalid(format!("result: expected won or lost, got {result}"))),
    }
}

fn parse_time(name: &str, seconds: &str) -> Result<i64, ApiError> {
    seconds.parse().map_err(|_| invalid(format!("{name}: expected seconds since 1970, got {seconds}")))
}

fn invalid(reason: String) -> ApiError {
    ApiError::InvalidRequest { reason, causes: Vec::new() }
}

fn parse_seed(seed: String) -> Result<i32, ApiError> {
    let (min, max) = pacman2_maps::SEEDS.into_inner();
    seed.parse().ok().and_then(pacman2_maps::seed_from).ok_or(ApiError::MapSize { name: "seed", min, max, got: seed })
}

fn parse_limit(limit: String) -> Result<usize, ApiError> {
    limit.parse().ok().filter(|limit| (1..=MAX_GAMES).contains(limit)).ok_or(ApiError::OutOfRange {
        name: "limit",
        min: 1,
        max: MAX_GAMES as u64,
        got: limit,
    })
}
