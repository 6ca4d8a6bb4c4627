//! The connections of a server: accepted, served and, if they only occupy it, ended.
//!
//! Anyone who can reach the port can hold connections and send nothing, send slowly, or read nothing. So each step of a request
//! has a time limit, and the number of connections is limited well below that of open files, which matches need, too. When the
//! limit is reached, a new connection replaces the oldest one without a request that has arrived completely, or else the one
//! whose client has not read for longest. So silent connections cannot block others, however many there are.
//!
//! Responses wait in memory until their clients read them. All of them together have a limit, too, and make room for new ones in
//! the same way. Large files are not read into memory at all.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep};

use super::error::ApiError;
use super::stop_signal::StopSignal;
use super::timeouts::Timeouts;

/// The most connections, if half of the open files that the system allows are not fewer.
const MAX_CONNECTIONS: usize = 512;
/// The largest head of a request, and how much of a request is buffered. Browsers send two or three KB.
const MAX_BUFFERED_BYTES: usize = 16 * 1024;
/// The most bytes of responses that wait in memory; half of them for one client of another machine.
const MAX_RESPONSE_BYTES: usize = 64 << 20;
/// How many responses may be made at a time. Their bytes count only when they are made.
const MAX_MADE_AT_ONCE: usize = 8;
/// A client that has not read for so long may lose its connection to another one.
const STALL: Duration = Duration::from_secs(1);
/// How long the server waits before it accepts again after the system has refused, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A machine, as far as its address tells: of IPv6, one machine usually has a whole network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Client(IpAddr);

impl Client {
    /// Returns the client with an address.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(ip) if !ip.is_loopback() => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
            ip => ip,
        })
    }
}

/// What handlers know of a connection; every request has it as an extension.
#[derive(Clone)]
pub struct Peer {
    /// Where it comes from.
    pub client: Client,
    /// How long a request's body may take to arrive.
    pub(super) body_timeout: Duration,
    load: Arc<Load>,
    all: Arc<Connections>,
}

/// What a connection keeps busy.
#[derive(Default)]
struct Load {
    /// The number of requests that have arrived completely and are not answered completely.
    requests: AtomicUsize,
    /// The bytes of responses that wait in memory.
    response_bytes: AtomicUsize,
    /// Since when the client has not read, if there is something to read.
    stalled: Mutex<Option<Instant>>,
}

impl Load {
    fn stalled(&self) -> MutexGuard<'_, Option<Instant>> {
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a response, and accounts for its bytes until its client has read them.
pub(super) async fn account(request: Request, next: Next) -> Response {
    let peer: Peer = request.extensions().get().cloned().expect("every connection adds it");
    // Others wait for a person's program or for the rest of their body.
    let permit = if request.method() == Method::GET { peer.all.made_at_once.acquire().await.ok() } else { None };
    let response = next.run(request).await;
    let bytes = response.body().size_hint().exact().unwrap_or(0) as usize;
    if !peer.all.registry().has_room(peer.client, bytes) {
        return ApiError::TooManyResponses {}.into_response();
    }
    let held = HeldBytes::new(&peer.load, bytes);
    drop(permit);
    response.map(|body| Body::new(TrackedBody { body, _tracked: held }))
}

/// Accepts and serves connections until `stop` is requested and all requests in progress are answered.
pub(super) async fn serve(listener: TcpListener, app: Router, timeouts: Timeouts, stop: &StopSignal) {
    let app = TowerToHyperService::new(app);
    let connections = Arc::new(Connections::new(limit()));
    let mut tasks = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = stop.requested() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                if let Some(connection) = connections.admit(Client::from_address(address.ip())) {
                    tasks.spawn(connection.serve(stream, app.clone(), timeouts, stop.clone()));
                }
            }
            // The client has gone already.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(_) => {
                connections.registry().evict(|_| true);
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    while tasks.join_next().await.is_some() {}
}

/// Returns how many connections there may be.
pub(super) fn limit() -> usize {
    open_file_limit().map_or(MAX_CONNECTIONS, |files| MAX_CONNECTIONS.min(files / 2))
}

#[cfg(unix)]
fn open_file_limit() -> Option<usize> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.and_then(|files| files.try_into().ok())
}

#[cfg(not(unix))]
fn open_file_limit() -> Option<usize> {
    None
}

/// All connections.
struct Connections {
    limit: usize,
    registry: Mutex<Registry>,
    made_at_once: Semaphore,
}

#[derive(Default)]
struct Registry {
    next_id: u64,
    /// By age, oldest first.
    entries: BTreeMap<u64, Entry>,
}

struct Entry {
    client: Client,
    load: Arc<Load>,
    evicted: Arc<Notify>,
}

impl Connections {
    fn new(limit: usize) -> Connections {
        Connections { limit, registry: Mutex::default(), made_at_once: Semaphore::new(MAX_MADE_AT_ONCE) }
    }

    /// Registers a new connection. Where there is no room for it, it replaces one that only occupies it; `None` if there is none.
    fn admit(self: &Arc<Connections>, client: Client) -> Option<Connection> {
        let mut registry = self.registry();
        // All programs of this machine are one client, so they may have all connections.
        let share = if client.0.is_loopback() { self.limit } else { self.limit / 2 };
        let of_client = registry.entries.values().filter(|entry| entry.client == client).count();
        let has_room = (of_client < share || registry.evict(|other| other == client))
            && (registry.entries.len() < self.limit || registry.evict(|_| true));
        if !has_room {
            return None;
        }
        let (id, load, evicted) = (registry.next_id, Arc::default(), Arc::default());
        registry.next_id += 1;
        let connection = Connection { id, client, load: Arc::clone(&load), evicted: Arc::clone(&evicted), all: Arc::clone(self) };
        registry.entries.insert(id, Entry { client, load, evicted });
        Some(connection)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    /// Ends a connection that only occupies its place, among those of some clients: the oldest without a request, or else the one whose
    /// client has not read for longest. Returns whether there was one.
    fn evict(&mut self, is_candidate: impl Fn(Client) -> bool) -> bool {
        let mut waiting = self.entries.iter().filter(|(_, entry)| entry.load.requests.load(Ordering::Relaxed) == 0);
        match waiting.find(|(_, entry)| is_candidate(entry.client)).map(|(id, _)| *id) {
            Some(id) => {
                self.end(id);
                true
            }
            None => self.evict_stalled(is_candidate),
        }
    }

    fn evict_stalled(&mut self, is_candidate: impl Fn(Client) -> bool) -> bool {
        let candidates = self.entries.iter().filter(|(_, entry)| is_candidate(entry.client));
        let stalled = candidates.filter_map(|(id, entry)| Some(((*entry.load.stalled())?, *id)));
        let Some((_, id)) = stalled.min().filter(|(since, _)| since.elapsed() >= STALL) else { return false };
        self.end(id);
        true
    }

    fn end(&mut self, id: u64) {
        self.entries.remove(&id).expect("it was just found").evicted.notify_one();
    }

    /// Makes room for more bytes that wait for this client. Returns whether there is room.
    fn has_room(&mut self, client: Client, bytes: usize) -> bool {
        let share = if client.0.is_loopback() { MAX_RESPONSE_BYTES } else { MAX_RESPONSE_BYTES / 2 };
        self.make_room(share, bytes, |other| other == client) && self.make_room(MAX_RESPONSE_BYTES, bytes, |_| true)
    }

    fn make_room(&mut self, limit: usize, bytes: usize, is_counted: impl Fn(Client) -> bool) -> bool {
        loop {
            let counted = self.entries.values().filter(|entry| is_counted(entry.client));
            let waiting: usize = counted.map(|entry| entry.load.response_bytes.load(Ordering::Relaxed)).sum();
            // One response may be larger than all others may be together.
            if waiting == 0 || waiting + bytes <= limit {
                return true;
            }
            if !self.evict_stalled(&is_counted) {
                return false;
            }
        }
    }
}

/// A registered connection. Dropping it makes room for another one.
struct Connection {
    id: u64,
    client: Client,
    load: Arc<Load>,
    evicted: Arc<Notify>,
    all: Arc<Connections>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.registry().entries.remove(&self.id);
    }
}

impl Connection {
    async fn serve(self, stream: TcpStream, app: TowerToHyperService<Router>, timeouts: Timeouts, stop: StopSignal) {
        let (load, all) = (Arc::clone(&self.load), Arc::clone(&self.all));
        let peer = Peer { client: self.client, body_timeout: timeouts.body, load, all };
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let arrival = Arc::new(Arrival { load: Arc::clone(&self.load), in_progress: OnceLock::new() });
            if request.body().is_end_stream() {
                arrival.complete();
            }
            let mut request = request.map(|body| ArrivingBody { body, arrival: Arc::clone(&arrival) });
            request.extensions_mut().insert(peer.clone());
            let response = app.call(request);
            async move {
                let response = response.await?;
                arrival.complete();
                Ok::<_, Infallible>(response.map(|body| TrackedBody { body, _tracked: arrival }))
            }
        });
        let load = Arc::clone(&self.load);
        let stream = TokioIo::new(WriteTimeout { stream, timeout: timeouts.write, stalled: None, load });
        let mut builder = http1::Builder::new();
        // The time limit also holds for the next request on an idle connection.
        builder.timer(TokioTimer::new()).header_read_timeout(timeouts.head).max_buf_size(MAX_BUFFERED_BYTES);
        let mut connection = pin!(builder.serve_connection(stream, service));
        tokio::select! {
            _ = connection.as_mut() => return,
            () = self.evicted.notified() => return,
            () = stop.requested() => connection.as_mut().graceful_shutdown(),
        }
        // A client that breaks off is no error of ours.
        let _ = connection.await;
    }
}

/// Counts a request as in progress, until its response was handed over completely.
struct InProgress(Arc<Load>);

impl InProgress {
    fn new(load: &Arc<Load>) -> InProgress {
        load.requests.fetch_add(1, Ordering::Relaxed);
        InProgress(Arc::clone(load))
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request, which is in progress when all of it has arrived.
struct Arrival {
    load: Arc<Load>,
    in_progress: OnceLock<InProgress>,
}

impl Arrival {
    fn complete(&self) {
        self.in_progress.get_or_init(|| InProgress::new(&self.load));
    }
}

/// The body of a request while it arrives.
struct ArrivingBody {
    body: Incoming,
    arrival: Arc<Arrival>,
}

impl hyper::body::Body for ArrivingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.arrival.complete();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Counts the bytes of a response that wait in memory.
struct HeldBytes {
    load: Arc<Load>,
    bytes: usize,
}

impl HeldBytes {
    fn new(load: &Arc<Load>, bytes: usize) -> HeldBytes {
        load.response_bytes.fetch_add(bytes, Ordering::Relaxed);
        HeldBytes { load: Arc::clone(load), bytes }
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.load.response_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A response's body, and what is counted until it was handed over.
struct TrackedBody<T> {
    body: Body,
    _tracked: T,
}

impl<T: Unpin> hyper::body::Body for TrackedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that fails when its client has read nothing for too long.
struct WriteTimeout {
    stream: TcpStream,
    timeout: Duration,
    /// Set while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
    load: Arc<Load>,
}

impl WriteTimeout {
    fn limit<T>(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            if self.stalled.take().is_some() {
                *self.load.stalled() = None;
            }
            return result;
        }
        let timeout = self.timeout;
        if self.stalled.is_none() {
            *self.load.stalled() = Some(Instant::now());
        }
        ready!(self.stalled.get_or_insert_with(|| Box::pin(sleep(timeout))).as_mut().poll(cx));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.limit(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.limit(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::from_address(address.parse().unwrap())
    }

    fn connections(limit: usize) -> Arc<Connections> {
        Arc::new(Connections::new(limit))
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.168.0.7"), client("192.168.0.7"));
        assert_ne!(client("192.168.0.7"), client("192.168.0.8"));
    }

    #[test]
    fn a_new_connection_replaces_the_oldest_one_without_a_request() {
        let all = connections(3);
        let [busy, second, third] = ["127.0.0.1"; 3].map(|ip| all.admit(client(ip)).unwrap());
        let request = InProgress::new(&busy.load);
        let fourth = all.admit(client("127.0.0.1")).unwrap();
        assert_eq!(all.registry().entries.keys().copied().collect::<Vec<_>>(), [busy.id, third.id, fourth.id]);
        let requests: Vec<InProgress> = [&third, &fourth].map(|connection| InProgress::new(&connection.load)).into();
        assert!(all.admit(client("127.0.0.1")).is_none(), "all have requests");
        *third.load.stalled() = Some(Instant::now() - STALL);
        assert!(all.admit(client("127.0.0.1")).is_some(), "one does not read");
        drop((request, second));
        assert!(all.admit(client("127.0.0.1")).is_some());
        drop(requests);
    }

    #[test]
    fn another_machine_gets_at_most_half() {
        let all = connections(4);
        let local = all.admit(client("127.0.0.1")).unwrap();
        let remote: Vec<Connection> = (0..5).map(|_| all.admit(client("192.168.0.7")).unwrap()).collect();
        let kept: Vec<u64> = all.registry().entries.keys().copied().collect();
        assert_eq!(kept, [local.id, remote[3].id, remote[4].id]);
    }

    #[test]
    fn responses_that_are_not_read_make_room() {
        let all = connections(4);
        let [slow, fast] = ["192.168.0.7"; 2].map(|ip| all.admit(client(ip)).unwrap());
        let _held = HeldBytes::new(&slow.load, MAX_RESPONSE_BYTES / 4);
        let held = HeldBytes::new(&fast.load, MAX_RESPONSE_BYTES / 4);
        assert!(!all.registry().has_room(client("192.168.0.7"), 1), "half of all is for one client");
        assert!(all.registry().has_room(client("192.168.0.8"), 1));
        drop(held);
        assert!(all.registry().has_room(client("192.168.0.7"), 1));
        let _held = HeldBytes::new(&fast.load, MAX_RESPONSE_BYTES / 4);
        *slow.load.stalled() = Some(Instant::now() - STALL);
        assert!(all.registry().has_room(client("192.168.0.7"), 1));
        assert_eq!(all.registry().entries.keys().copied().collect::<Vec<_>>(), [fast.id]);
    }

    #[test]
    fn a_connection_that_ends_makes_room() {
        let all = connections(2);
        let first = all.admit(client("127.0.0.1")).unwrap();
        drop(first);
        assert!(all.registry().entries.is_empty());
    }
}
