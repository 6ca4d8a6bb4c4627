//! Human players with a clock.

use serde_json::json;

use crate::common::*;
use crate::server::*;

#[test]
fn a_human_may_be_slow_once_but_illegal_actions_forfeit() {
    let server = serve();
    let map = init_data(FIELD);
    let id = server.start(json!({ "seats": ["human", "human", "human", "human"], "map": map, "clock_ms": 1000, "turns": 3 }));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    let asked = stream.next_asked(4);
    assert_eq!(asked["turn"], 1);
    assert!(asked["deadline_ms"].as_u64().is_some_and(|left| left <= 1000), "{asked}");
    // Up is a wall, and 99 is not an action.
    for (seat, action) in [(0, 0), (1, 99)] {
        assert_eq!(server.post(&format!("/api/matches/{id}/seats/{seat}"), &json!({ "turn": 1, "action": action })).status, 200);
    }
    let first = stream.next_of("turn");
    assert_eq!(first["turn"]["actions"], json!([0, 99, -1, -1]));
    assert_eq!(first["turn"]["verdicts"], json!(["ILLEGAL", "ILLEGAL", "OK", "OK"]));
    assert!(first["backstage"][0]["complaint"].as_str().unwrap().contains("a wall"), "{first}");
    assert!(first["backstage"][2]["complaint"].as_str().unwrap().contains("1000 ms; forgiven once"), "{first}");
    assert!(first["backstage"][2]["wall_us"].as_u64().unwrap() >= 1_000_000);
    let second = stream.next_of("turn");
    assert_eq!(second["turn"]["verdicts"], json!([null, null, "TLE", "TLE"]));
    assert_eq!(second["turn"]["actions"], json!([null, null, -10, -10]));
    assert!(stream.next_of("end")["scores"].is_array());
}
