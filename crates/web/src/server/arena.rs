//! The arena: who is how good, and which games say so. Everybody may look; nothing is changed from here.
//!
//! Of a game only what is public is shown, and of a bot not how it is started.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pacman2_tournament::standings::standings;
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotId, BotVersion, GameResult, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::response::{ApiError, aside, json};
use super::{House, InHouse, auth, show};
use crate::arena::{self, BOOTSTRAP_SEED, plain};
use crate::page::{self, Page};

/// How many games an answer holds at most, and how many if nobody says.
const GAMES_AT_MOST: usize = 500;
const GAMES_AT_A_TIME: usize = 50;
/// The ways to forfeit that games can be asked for by; `any` stands for all of them.
const FAULTS: [&str; 6] = ["TLE", "MLE", "OLE", "NJ", "RE", "ILLEGAL"];
/// A table stands for at least so many times what it took to make: the cores are there for the games.
const REST: u32 = 10;

/// An arena that is shown.
pub(super) struct Arena {
    page: Page,
    store: Mutex<Store>,
    /// Locked while it is made, so that it is made once for all who wait.
    table: Mutex<Option<Table>>,
}

/// The standings as they are handed out.
struct Table {
    text: Arc<str>,
    stamp: String,
    made: Instant,
    cost: Duration,
}

/// What has changed if anything has.
#[derive(Serialize)]
struct News {
    games: usize,
    stamp: String,
}

/// Which games are wanted, as somebody writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    bot: Option<String>,
    fault: Option<String>,
    seed: Option<String>,
    before: Option<String>,
    limit: Option<String>,
}

/// Some games, the newest first, and whether there are older ones.
#[derive(Serialize)]
struct Games {
    games: Vec<GameResult>,
    more: bool,
}

pub(super) fn routes() -> Router<Arc<House>> {
    Router::new()
        .route(auth::ARENA, get(|house: InHouse| async move { of(&house).map(|arena| show(&arena.page)) }))
        .route("/arena/games/{id}", get(watch))
        .route("/api/arena/news", get(|house: InHouse| told(house, Arena::news)))
        .route("/api/arena/bots", get(|house: InHouse| told(house, |arena| Ok(plain(&arena.store().bots()?)))))
        .route("/api/arena/standings", get(read_standings))
        .route("/api/arena/games", get(list_games))
        .route("/api/arena/games/{id}/replay", get(read_replay))
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::broken(error)
    }
}

fn of(house: &House) -> Result<Arc<Arena>, ApiError> {
    house.arena.clone().ok_or_else(|| ApiError::not_found("no arena is shown here; `pacman2 serve --arena DIR` shows one"))
}

async fn told<T: Serialize + Send + 'static>(
    house: InHouse,
    tell: impl FnOnce(&Arena) -> Result<T, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let arena = of(&house)?;
    Ok(json(StatusCode::OK, &aside(move || tell(&arena)).await??))
}

async fn read_standings(house: InHouse) -> Result<Response, ApiError> {
    let arena = of(&house)?;
    let (text, stamp) = aside(move || arena.standings()).await??;
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::ETAG, format!("\"{stamp}\""))];
    Ok((headers, text.to_string()).into_response())
}

async fn list_games(house: InHouse, wanted: Result<Query<Wanted>, QueryRejection>) -> Result<Response, ApiError> {
    let Query(wanted) = wanted.map_err(|_| {
        ApiError::bad_request("the games cannot be chosen like this; bot, fault, seed, before and limit can be given, each once")
    })?;
    told(house, move |arena| arena.games(wanted)).await
}

async fn read_replay(house: InHouse, Path(id): Path<String>) -> Result<Response, ApiError> {
    let text = replay(&house, id).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// The viewer with a game in it.
async fn watch(house: InHouse, Path(id): Path<String>) -> Result<Response, ApiError> {
    let text = replay(&house, id).await?;
    Ok(show(&page::html(&json!({ "home": "file" }), Some(&text))))
}

async fn replay(house: &State<Arc<House>>, id: String) -> Result<String, ApiError> {
    let arena = of(house)?;
    let found = aside(move || arena.store().replay(&id, false)).await??;
    found.ok_or_else(|| ApiError::not_found("there is no such game in this arena"))
}

impl Arena {
    pub(super) fn new(store: Store) -> Arena {
        Arena { page: arena::live(), store: Mutex::new(store), table: Mutex::default() }
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn news(&self) -> Result<News, ApiError> {
        let store = self.store();
        let (games, bots) = (store.count()?, store.bots()?);
        Ok(News { games, stamp: stamp(games, &bots) })
    }

    /// The table as JSON, and the stamp of what it tells.
    fn standings(&self) -> Result<(Arc<str>, String), ApiError> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.news()?.stamp;
        if let Some(table) = &*table
            && (table.stamp == now || table.made.elapsed() < REST * table.cost)
        {
            return Ok((Arc::clone(&table.text), table.stamp.clone()));
        }
        let begin = Instant::now();
        let (bots, games) = {
            let store = self.store();
            (store.bots()?, store.games(&Filter::default())?)
        };
        let text: Arc<str> = plain(&standings(&bots, &games, BOOTSTRAP_SEED)).to_string().into();
        let stamp = stamp(games.len(), &bots);
        *table = Some(Table { text: Arc::clone(&text), stamp: stamp.clone(), made: Instant::now(), cost: begin.elapsed() });
        Ok((text, stamp))
    }

    fn games(&self, wanted: Wanted) -> Result<Games, ApiError> {
        let store = self.store();
        let Wanted { bot, fault, seed, before, limit } = wanted;
        let ids = bot.as_deref().map(|bot| ids_of(bot, &store.bots()?)).transpose()?;
        let fault = fault.as_deref().map(kind_of).transpose()?;
        let seed = seed.as_deref().map(seed_of).transpose()?;
        let limit = limit.as_deref().map_or(Ok(GAMES_AT_A_TIME), limit_of)?;
        if let Some(before) = &before
            && store.game(before)?.is_none()
        {
            return Err(ApiError::not_found("before: there is no such game in this arena"));
        }
        // Where not all that is found is meant, more is looked at in one go.
        let step = if bot.is_some() && fault.is_some() { GAMES_AT_MOST } else { limit };
        // One more than is wanted tells whether there are more.
        let mut filter = Filter { bots: bot.into_iter().collect(), fault, seed, before, limit: Some(step + 1) };
        let mut found = Vec::new();
        loop {
            let some = store.games(&filter)?;
            let all = some.len() <= step;
            filter.before = some.last().map(|game| game.id.clone());
            found.extend(some.into_iter().filter(|game| is_meant(game, ids.as_deref(), filter.fault.as_deref())));
            if all || found.len() > limit {
                break;
            }
        }
        let more = found.len() > limit;
        found.truncate(limit);
        Ok(Games { games: found, more })
    }
}

/// Changes whenever a game or a bot comes, or a bot retires.
fn stamp(games: usize, bots: &[BotVersion]) -> String {
    let active: Vec<String> = bots.iter().filter(|bot| bot.is_active).map(|bot| bot.id.0.to_string()).collect();
    format!("{games}-{}-{}", bots.len(), active.join("."))
}

/// Where a bot and a fault are asked for, the fault is to be that bot's.
fn is_meant(game: &GameResult, bots: Option<&[BotId]>, fault: Option<&str>) -> bool {
    let (Some(bots), Some(kind)) = (bots, fault) else { return true };
    let is_such = |found: &str| kind.is_empty() || found == kind;
    game.seats.iter().any(|(_, seat)| bots.contains(&seat.bot) && seat.fault.as_ref().is_some_and(|fault| is_such(&fault.kind)))
}

/// The bots that go by a name, or by name@version.
fn ids_of(name: &str, bots: &[BotVersion]) -> Result<Vec<BotId>, ApiError> {
    let ids: Vec<BotId> = bots.iter().filter(|bot| bot.name == name || bot.label() == name).map(|bot| bot.id).collect();
    if ids.is_empty() { Err(ApiError::not_found(format!("bot: there is no {name} in this arena"))) } else { Ok(ids) }
}

/// What the store takes for a kind of fault.
fn kind_of(fault: &str) -> Result<String, ApiError> {
    match fault {
        "any" => Ok(String::new()),
        kind if FAULTS.contains(&kind) => Ok(kind.to_owned()),
        _ => Err(ApiError::bad_request(format!("fault: {fault} is none; any, {} are possible", FAULTS.join(", ")))),
    }
}

fn seed_of(seed: &str) -> Result<i32, ApiError> {
    let sentence = || format!("seed: {seed} is none; 0 to {} are possible", i32::MAX);
    seed.parse().ok().filter(|seed| *seed >= 0).ok_or_else(|| ApiError::bad_request(sentence()))
}

fn limit_of(limit: &str) -> Result<usize, ApiError> {
    let sentence = || format!("limit: {limit} games cannot be had; 1 to {GAMES_AT_MOST} are possible");
    limit.parse().ok().filter(|limit| (1..=GAMES_AT_MOST).contains(limit)).ok_or_else(|| ApiError::bad_request(sentence()))
}
