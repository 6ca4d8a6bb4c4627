//! The signal that stops a server.

use std::sync::Arc;

use tokio::sync::watch;

/// Tells a running [`Server`](super::Server) to stop. All clones of a signal are the same signal.
///
/// # Examples
/// ```
/// use std::net::TcpListener;
/// use std::path::Path;
///
/// use pacman2_web::server::{
///     AnalysisRequest, Backend, BackendError, MatchOptions, SeatedBot, Server, StopSignal, new_token,
/// };
///
/// /// A backend without bots.
/// struct Spectators;
///
/// impl Backend for Spectators {
///     fn seat_bot(&self, _: &str, _: &[String; 4], _: &MatchOptions) -> Result<SeatedBot, BackendError> {
///         Err("no bot can play here".into())
///     }
///     fn built_in_bots(&self) -> Vec<&'static str> {
///         Vec::new()
///     }
///     fn save_replay(&self, _: &str) -> Result<String, BackendError> {
///         Err("replays are not saved here".into())
///     }
///     fn analyse(&self, _: &AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> serde_json::Value {
///         serde_json::Value::Null
///     }
///
///     fn decide(&self, _: serde_json::Map<String, serde_json::Value>) -> Result<serde_json::Value, BackendError> {
///         Err("nobody plays here".into())
///     }
/// }
///
/// let server = Server::new(TcpListener::bind("127.0.0.1:0")?, Path::new("."), new_token()?)?;
/// let stop = StopSignal::default();
/// let remote = stop.clone();
/// let running = std::thread::spawn(move || server.run(Spectators, &stop));
/// remote.request();
/// running.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<watch::Sender<bool>>);

impl StopSignal {
    /// Asks the server to stop. Further calls have no effect.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the signal is given.
    pub(super) async fn requested(&self) {
        let _ = self.0.subscribe().wait_for(|requested| *requested).await;
    }
}
