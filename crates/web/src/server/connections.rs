//! The connections of a server: accepted, served and, if they only occupy it, ended.
//!
//! Anyone who can reach the port can hold connections and send nothing, send slowly, or read nothing. So each step of a request
//! has a time limit, and the number of connections is limited well below that of open files, which matches need, too. When the
//! limit is reached, a new connection replaces the oldest one without a request in progress. So silent connections cannot block
//! others, however many there are.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep};

use super::stop_signal::StopSignal;
use super::timeouts::Timeouts;

/// The most connections, if half of the open files that the system allows are not fewer.
const MAX_CONNECTIONS: usize = 512;
/// The largest head of a request, and how much of a request is buffered.
const MAX_BUFFERED_BYTES: usize = 64 * 1024;
/// How long the server waits before it accepts again after the system has refused, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A machine, as far as its address tells: of IPv6, one machine usually has a whole network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Client(IpAddr);

impl Client {
    fn of(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(ip) if !ip.is_loopback() => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
            ip => ip,
        })
    }
}

/// What handlers know of a connection; every request has it as an extension.
#[derive(Clone, Copy)]
pub(super) struct Peer {
    pub(super) client: Client,
    /// How long a request's body may take to arrive.
    pub(super) body_timeout: Duration,
}

/// Accepts and serves connections until `stop` is requested and all requests in progress are answered.
pub(super) async fn serve(listener: TcpListener, app: Router, timeouts: Timeouts, stop: &StopSignal) {
    let app = TowerToHyperService::new(app);
    let connections = Arc::new(Connections { limit: limit(), registry: Mutex::default() });
    let mut tasks = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = stop.requested() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                if let Some(connection) = connections.admit(Client::of(address.ip())) {
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
}

#[derive(Default)]
struct Registry {
    next_id: u64,
    /// By age, oldest first.
    entries: BTreeMap<u64, Entry>,
}

struct Entry {
    client: Client,
    /// The number of requests in progress.
    requests: Arc<AtomicUsize>,
    evicted: Arc<Notify>,
}

impl Connections {
    /// Registers a new connection. Where there is no room for it, it replaces one without a request; `None` if there is none.
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
        let (id, requests, evicted) = (registry.next_id, Arc::default(), Arc::default());
        registry.next_id += 1;
        let connection =
            Connection { id, client, requests: Arc::clone(&requests), evicted: Arc::clone(&evicted), all: Arc::clone(self) };
        registry.entries.insert(id, Entry { client, requests, evicted });
        Some(connection)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    /// Ends the oldest connection without a request, among those of some clients. Returns whether there was one.
    fn evict(&mut self, is_candidate: impl Fn(Client) -> bool) -> bool {
        let mut waiting = self.entries.iter().filter(|(_, entry)| entry.requests.load(Ordering::Relaxed) == 0);
        let Some(id) = waiting.find(|(_, entry)| is_candidate(entry.client)).map(|(id, _)| *id) else { return false };
        self.entries.remove(&id).expect("it was just found").evicted.notify_one();
        true
    }
}

/// A registered connection. Dropping it makes room for another one.
struct Connection {
    id: u64,
    client: Client,
    requests: Arc<AtomicUsize>,
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
        let peer = Peer { client: self.client, body_timeout: timeouts.body };
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            let in_progress = InProgress::new(&self.requests);
            request.extensions_mut().insert(peer);
            let response = app.call(request);
            async move {
                let response = response.await?;
                Ok::<_, Infallible>(response.map(|body| TrackedBody { body, _in_progress: in_progress }))
            }
        });
        let stream = TokioIo::new(WriteTimeout { stream, timeout: timeouts.write, stalled: None });
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
struct InProgress(Arc<AtomicUsize>);

impl InProgress {
    fn new(requests: &Arc<AtomicUsize>) -> InProgress {
        requests.fetch_add(1, Ordering::Relaxed);
        InProgress(Arc::clone(requests))
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response's body whose request is in progress.
struct TrackedBody {
    body: Body,
    _in_progress: InProgress,
}

impl hyper::body::Body for TrackedBody {
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
}

impl WriteTimeout {
    fn limit<T>(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let timeout = self.timeout;
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
        Client::of(address.parse().unwrap())
    }

    fn connections(limit: usize) -> Arc<Connections> {
        Arc::new(Connections { limit, registry: Mutex::default() })
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
        let request = InProgress::new(&busy.requests);
        let fourth = all.admit(client("127.0.0.1")).unwrap();
        assert_eq!(all.registry().entries.keys().copied().collect::<Vec<_>>(), [busy.id, third.id, fourth.id]);
        let requests: Vec<InProgress> = [&third, &fourth].map(|connection| InProgress::new(&connection.requests)).into();
        assert!(all.admit(client("127.0.0.1")).is_none(), "all have requests");
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
    fn a_connection_that_ends_makes_room() {
        let all = connections(2);
        let first = all.admit(client("127.0.0.1")).unwrap();
        drop(first);
        assert!(all.registry().entries.is_empty());
    }
}
