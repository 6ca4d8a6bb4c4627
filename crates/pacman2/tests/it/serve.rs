//! `pacman2 serve` over real sockets: requests as browsers send them, and requests that it must reject.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use crate::common::*;
use crate::server::*;
use serde_json::{Value, json};

#[test]
fn security_headers() {
    let server = serve();
    for path in ["/", "/api/replays", "/nothing", "/botzone-player.html"] {
        let response = server.get(path);
        for header in [
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
            "content-security-policy: ",
        ] {
            assert!(response.head.contains(header), "{path} lacks {header}: {}", response.head);
        }
        assert_eq!(response.head.contains("x-frame-options: deny"), path != "/botzone-player.html", "{path}");
        assert_eq!(response.head.contains("frame-ancestors 'none'"), path != "/botzone-player.html", "{path}");
    }
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    assert!(page.body.contains(r#""host":"server""#));
    server.get("/nothing").refused(404, "nothing at /nothing");
    server.ask("PUT /api/replays", &[&format!("Authorization: Bearer {TOKEN}")], "").refused(405, "not allowed");
}

#[test]
fn other_host_names_are_rejected() {
    let server = serve();
    let port = server.port;
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "192.168.0.7"] {
        let host = if host.contains(':') { format!("Host: {host}") } else { format!("Host: {host}:{}", port ^ 1) };
        server.ask_as(&host, "GET /", &[], "").refused(403, "under that name");
    }
    server.ask_as(&format!("Host: evil.example:{port}"), "GET /api/replays", &[], "").refused(403, "under that name");
    server.ask_as("X-Nothing: 1", "GET /", &[], "").refused(403, "under that name");
    let both = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example:{port}");
    assert!([400, 403].contains(&server.ask_as(&both, "GET /", &[], "").status));
    let elsewhere = format!("GET http://evil.example:{port}/");
    assert_eq!(server.ask(&elsewhere, &[], "").status, 403);
    assert_eq!(server.ask_as(&format!("Host: localhost:{port}"), "GET /", &[], "").status, 200);
}

#[test]
fn cross_site_requests_are_rejected_except_links() {
    let server = serve();
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    assert_eq!(server.ask("GET /api/replays", &[&own, "Sec-Fetch-Site: same-origin"], "").status, 200);
    for origin in ["Origin: https://evil.example", "Origin: null", "Origin: http://127.0.0.1:1", "Origin: http://localhost:8770"]
    {
        server.ask("GET /api/replays", &[origin], "").refused(403, "another origin");
        let token = format!("Authorization: Bearer {TOKEN}");
        server.ask("POST /api/matches", &[origin, &token], "{}").refused(403, "another origin");
    }
    for site in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"] {
        let visit = [site, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
        let frame = [site, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"];
        assert_eq!(server.ask("GET /", &visit, "").status, 200);
        assert_eq!(server.ask("GET /botzone-player.html", &frame, "").status, 200);
        server.ask("GET /", &frame, "").refused(403, "another origin");
        server.ask("GET /", &[site, "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], "").refused(403, "another origin");
        server.ask("GET /api/replays", &visit, "").refused(403, "another origin");
    }
}

#[test]
fn every_action_needs_the_token() {
    let server = serve();
    let request = json!({ "seats": ["random", "random", "random", "random"] }).to_string();
    for path in ["/api/matches", "/api/matches/x/abandon", "/api/matches/x/seats/0"] {
        for header in
            ["X-None: 1", "Authorization: Bearer", "Authorization: Bearer wrong", "Authorization: Basic a-token-of-the-tests"]
        {
            server.ask(&format!("POST {path}"), &[header], &request).refused(401, "the terminal shows");
        }
    }
    let longer = format!("Authorization: Bearer {TOKEN}2");
    server.ask("POST /api/matches", &[&longer], &request).refused(401, "token");
    assert_eq!(server.get("/api/matches").json(), json!([]));
}

#[test]
fn large_and_invalid_requests_are_rejected() {
    let server = serve();
    let large = json!({ "seats": ["x".repeat(2_000_000), "random", "random", "random"] });
    server.post("/api/matches", &large).refused(413, "too large");
    server
        .post("/api/matches/x/seats/0", &json!({ "turn": 1, "action": 1, "taunt": "x".repeat(20_000) }))
        .refused(413, "too large");
    let random = ["random"; 4];
    let named = json!({ "seats": ["x".repeat(5000), "random", "random", "random"] });
    server.post("/api/matches", &named).refused(400, "4096 bytes");
    for (request, words) in [
        (json!(7), "invalid request"),
        (json!({}), "seats"),
        (json!({ "seats": ["random"] }), "length 1"),
        (json!({ "seats": random, "colour": "red" }), "colour"),
        (json!({ "seats": random, "width": 5 }), "width must be a whole number between 6 and 11, got 5"),
        (
            json!({ "seats": random, "seed": 4294967296i64 }),
            "seed must be a whole number between -2147483648 and 4294967295, got 4294967296",
        ),
        (json!({ "seats": random, "turns": 0 }), "turns must be between 1 and 10000, got 0"),
        (json!({ "seats": random, "ruling": "mine" }), "expected sample, judge or prose"),
        (json!({ "seats": random, "clock_ms": 0 }), "clock_ms must be at least 1"),
        (json!({ "seats": random, "map": 7 }), "must be a JSON object"),
        (json!({ "seats": random, "map": {}, "width": 8 }), "map excludes width and height"),
        (
            json!({ "seats": ["random", "gredy", "random", "random"] }),
            "seat 1: unknown built-in bot \"gredy\"; did you mean greedy?",
        ),
        (json!({ "seats": ["random", "random", "./gone.py", "random"] }), "seat 2: ./gone.py: no such file"),
        (
            json!({ "seats": ["sage --time 5", "random", "random", "hunter --time 5"] }),
            "seat 3: \"hunter --time 5\": hunter does not simulate: it takes neither a number of simulations nor a time",
        ),
    ] {
        server.post("/api/matches", &request).refused(400, words);
    }
    assert_eq!(server.get("/api/matches").json(), json!([]));
}

#[test]
fn the_event_stream_equals_the_replay() {
    let server = serve();
    let id = server.start(json!({ "seats": ["human", "greedy", "random", "greedy"], "seed": 42, "turns": 12 }));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    let mut replay = stream.next_of("film");
    assert_eq!(replay["public"]["seats"][0], json!({ "name": "human", "program": null }));
    let (mut late, mut late_replay) = (None, Value::Null);
    let push = |replay: &mut Value, news: &Value| {
        replay["public"]["turns"].as_array_mut().unwrap().push(news["turn"].clone());
        replay["private"]["turns"].as_array_mut().unwrap().push(news["backstage"].clone());
    };
    for turn in 1..=12 {
        let asked = stream.next_asked(1);
        assert_eq!(asked, json!({ "turn": turn, "seats": [0], "deadline_ms": null }));
        if turn == 7 {
            let mut stream = server.listen(&format!("/api/matches/{id}/events"));
            late_replay = stream.next_of("film");
            late = Some(stream);
        }
        let seat = format!("/api/matches/{id}/seats/0");
        server
            .post(&seat, &json!({ "turn": turn + 1, "action": -1 }))
            .refused(409, "not waiting for an action of player 0 in turn");
        server.post(&format!("/api/matches/{id}/seats/1"), &json!({ "turn": turn, "action": -1 })).refused(409, "player 1");
        assert_eq!(server.post(&seat, &json!({ "turn": turn, "action": -1, "taunt": "<b>嘿</b>" })).status, 200);
        push(&mut replay, &stream.next_of("turn"));
    }
    let end = stream.next_of("end");
    assert_eq!(stream.next(), None);
    replay["public"]["scores"] = end["scores"].clone();
    let name = end["replay"].as_str().unwrap();
    let kept = server.get(&format!("/api/replays/{name}"));
    assert!(kept.head.contains("content-type: application/json"));
    assert_eq!(kept.json(), replay);
    assert_eq!(kept.body, server.dir.read(&format!("replays/{name}")));
    assert_eq!(kept.body, server.dir.read("replays/last.json"));
    assert_eq!(turns(&replay)[0]["taunts"][0], "<b>嘿</b>");
    server.dir.run(&format!("replay verify replays/{name}")).succeeded();

    let mut late = late.unwrap();
    while turns(&late_replay).len() < 12 {
        push(&mut late_replay, &late.next_of("turn"));
    }
    late_replay["public"]["scores"] = late.next_of("end")["scores"].clone();
    assert_eq!(late_replay, replay);

    let mut afterwards = server.listen(&format!("/api/matches/{id}/events"));
    assert_eq!(afterwards.next(), Some(("film".to_owned(), kept.body)));
    assert_eq!(afterwards.next_of("end"), end);
    assert_eq!(afterwards.next(), None);
    let matches = server.get("/api/matches").json();
    assert_eq!((&matches[0]["id"], &matches[0]["running"], &matches[0]["turns"]), (&json!(id), &json!(false), &json!(12)));
}

#[test]
fn a_match_can_be_abandoned() {
    let server = serve();
    server.dir.write_executable("sleeper", "#!/bin/sh\nexec sleep MARK\n");
    let mut news = server.listen("/api/events");
    let id = server.start(json!({ "seats": ["./sleeper", "human", "greedy", "random"], "time_limit_ms": 100_000 }));
    assert_eq!(news.next_of("matches"), json!({}));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    wait_until("the bot to run", || server.dir.survivors().iter().any(|process| process.contains(&server.dir.mark)));
    assert_eq!(server.get("/api/matches").json()[0]["running"], true);
    assert_eq!(server.post(&format!("/api/matches/{id}/abandon"), &json!({})).status, 200);
    let end = stream.next_of("end");
    assert_eq!(end, json!({ "scores": null, "replay": null, "error": null }), "no turn was played");
    assert!(!server.dir.survivors().iter().any(|process| process.contains(&server.dir.mark)));
    server.post("/api/matches/0/abandon", &json!({})).refused(404, "no such match");
}

#[test]
fn the_number_of_matches_is_limited() {
    let server = serve();
    let request = json!({ "seats": ["human", "greedy", "greedy", "greedy"] });
    let ids: Vec<String> = (0..4).map(|_| server.start(request.clone())).collect();
    server.post("/api/matches", &request).refused(429, "abandon one");
    server.post(&format!("/api/matches/{}/abandon", ids[0]), &json!({}));
    wait_until("a match to end", || server.get("/api/matches").json()[3]["running"] == false);
    wait_until("a place to be free", || server.post("/api/matches", &request).status == 201);
}

#[test]
fn all_files_with_matches_are_listed() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("replays")).unwrap();
    dir.run("match greedy greedy random random --seed 3 --turns 5 --replay replays/one.json --html replays/one.html").succeeded();
    dir.run("replay convert replays/one.json log.json").succeeded();
    let log = dir.read("log.json");
    dir.write("replays/saved.html", &dir.read("replays/one.html"));
    dir.write("replays/two.matches", &log.trim_end().repeat(2));
    let mut zip = zip::ZipWriter::new(fs::File::create(dir.path("replays/pack.ZIP")).unwrap());
    zip.start_file("1.json", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(log.as_bytes()).unwrap();
    zip.finish().unwrap();
    for (name, text) in [("damaged.zip", "PK"), ("empty.html", "<p>"), ("notes.txt", "no match"), ("picture.png", "")] {
        dir.write(&format!("replays/{name}"), text);
    }
    let server = serve_in(dir, "");
    let listed = |replay: &Value| format!("{} {} {}", replay["name"], replay["turns"], replay["has_more"]).replace('"', "");
    let mut list: Vec<String> = server.replays().iter().map(listed).collect();
    list.sort();
    let names = ["damaged.zip null null", "one.json 5 null", "pack.ZIP 5 null", "saved.html 5 null", "two.matches 5 true"];
    assert_eq!(list, names);
}

#[test]
fn the_list_of_replays_has_broken_and_new_files() {
    let dir = TestDir::new();
    dir.run("match greedy greedy random random --seed 3 --turns 5").succeeded();
    dir.run("replay convert replays/last.json replays/log.json").succeeded();
    dir.write("replays/marked.json", &format!("\u{feff}{}", dir.read("replays/last.json")));
    for (name, text) in [
        ("broken.json", "{\"format\": \"pacman2 replay\", \"version\": 1, \"public\": {"),
        ("other.json", "[1, 2]"),
        (
            "newer.json",
            "{\"format\":\"pacman2 replay\",\"version\":2,\"public\":{\"seats\":[{\"name\":\"\"},{\"name\":\"\"},{\"name\":\"\"},{\"name\":\"\"}],\"turns\":[],\"scores\":null}}",
        ),
        ("empty.json", ""),
        ("notes.txt", "no replay"),
        (".pacman2-x.json", "{}"),
    ] {
        dir.write(&format!("replays/{name}"), text);
    }
    fs::create_dir(dir.path("replays/folder.json")).unwrap();
    let server = serve_in(dir, "");
    let replays = server.replays();
    let of = |name: &str| replays.iter().find(|replay| replay["name"] == name);
    assert_eq!(replays.len(), 7, "{replays:#?}");
    for (name, words) in [
        ("broken.json", "not JSON"),
        ("other.json", "neither a replay nor"),
        ("newer.json", "expected replay version 1, got 2"),
        ("empty.json", "not JSON"),
    ] {
        let error = of(name).unwrap()["error"].as_str().unwrap();
        assert!(error.contains(words), "{name}: {error}");
    }
    let log = of("log.json").unwrap();
    let replay = replays.iter().find(|replay| replay["seats"].is_array() && replay["name"] != "log.json").unwrap();
    // The byte order mark of some editors is no error.
    let marked = of("marked.json").unwrap();
    for replay in [log, marked, replay] {
        assert_eq!(replay["seats"], json!(["greedy", "greedy", "random", "random"]));
        assert_eq!((&replay["turns"], &replay["finished"]), (&json!(5), &json!(true)));
        assert!(replay["modified_ms"].as_u64() > Some(1_600_000_000_000) && replay["size"].as_u64() > Some(500), "{replay}");
    }
    assert_eq!(log["scores"], replay["scores"]);
    assert_eq!(server.get("/api/replays/broken.json").status, 200);

    let mut news = server.listen("/api/events");
    server.dir.run("match greedy greedy random random --seed 4 --turns 2").succeeded();
    news.next_of("replays");
    wait_until("the new replay to be listed", || server.replays().len() == 8);
    assert_eq!(server.replays()[0]["turns"], 2, "the newest comes first");
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let dir = TestDir::new();
    dir.write("secret.json", "{\"secret\": 1}");
    fs::create_dir(dir.path("replays")).unwrap();
    fs::create_dir(dir.path("replays/inner")).unwrap();
    dir.write("replays/inner/deep.json", "{\"secret\": 1}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path("secret.json"), dir.path("replays/link.json")).unwrap();
        std::os::unix::fs::symlink(dir.path("replays/inner/deep.json"), dir.path("replays/deep.json")).unwrap();
        std::process::Command::new("mkfifo").arg(dir.path("replays/pipe.json")).status().unwrap();
    }
    let server = serve_in(dir, "");
    assert_eq!(server.replays(), [Value::Null; 0]);
    for path in [
        "../secret.json",
        "..%2Fsecret.json",
        "..%5Csecret.json",
        "%2e%2e/secret.json",
        "inner%2Fdeep.json",
        "link.json",
        "deep.json",
        "pipe.json",
        "inner",
        "%00.json",
        "C:secret.json",
        "..",
        "",
        "%2Fetc%2Fpasswd",
        "secret.json",
    ] {
        let response = server.get(&format!("/api/replays/{path}"));
        assert!([400, 404].contains(&response.status) && !response.body.contains("secret\": 1"), "{path}: {response:?}");
    }
    let outside = server.dir.path("secret.json");
    assert_ne!(server.get(&format!("/api/replays/{}", outside.display())).status, 200);
}

#[test]
fn a_replay_that_cannot_be_written_is_reported_and_kept() {
    let server = serve();
    fs::remove_dir_all(server.dir.path("replays")).unwrap();
    server.get("/api/replays").refused(500, "cannot be read");
    let id = server.start(json!({ "seats": ["greedy", "greedy", "random", "random"], "turns": 3 }));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    let end = stream.next_of("end");
    assert!(end["error"].as_str().is_some_and(|error| error.contains("replays")) && end["replay"].is_null(), "{end}");
    let film = server.listen(&format!("/api/matches/{id}/events")).next_of("film");
    assert_eq!(turns(&film).len(), 3);
    assert!(film["public"]["scores"].is_array());
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_server_and_its_bots() {
    let server = serve();
    server.dir.write_executable("sleeper", "#!/bin/sh\nsleep MARK & exec sleep MARK\n");
    let request = json!({ "seats": ["./sleeper", "greedy", "greedy", "human"], "time_limit_ms": 100_000 });
    let id = server.start(request);
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    stream.next_of("film");
    wait_until("the bot to run", || {
        server.dir.survivors().iter().filter(|process| process.contains(&server.dir.mark)).count() >= 2
    });
    let _half_a_request = server.connect().write_all(b"GET / HTTP/1.1\r\n");
    let dir = server.end();
    dir.wait_until_deserted();
    assert_eq!(fs::read_dir(dir.path("replays")).unwrap().count(), 0);
    while stream.next().is_some() {}
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_server_leaves_no_bots() {
    let mut server = serve();
    server.dir.write_executable("sleeper", "#!/bin/sh\nexec sleep MARK\n");
    server.start(json!({ "seats": ["./sleeper", "greedy", "greedy", "greedy"], "time_limit_ms": 100_000 }));
    wait_until("the bot to run", || server.dir.survivors().iter().any(|process| process.contains(&server.dir.mark)));
    server.child.kill().unwrap();
    server.dir.wait_until_deserted();
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    dir.run("serve --folder nowhere").refused(&["--folder nowhere", "no such folder"]);
    dir.run("serve --token short").misused(&["--token", "8 to 128"]);
    dir.run("serve --bind nowhere").misused(&["--bind"]);
    let server = serve();
    dir.run(&format!("serve --port {}", server.port)).refused(&["--port", "another program listens on this port"]);
}

#[test]
fn every_server_has_a_random_token() {
    let token = || {
        let dir = TestDir::new();
        let mut child = dir.command("serve --port 0 --json").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        dir.wait_until_deserted();
        json(&line)["token"].as_str().unwrap().to_owned()
    };
    let tokens = [token(), token()];
    assert!(tokens[0] != tokens[1] && tokens.iter().all(|token| token.len() == 32), "{tokens:?}");
}

#[test]
#[cfg(unix)]
fn the_code_is_not_on_the_command_line_of_the_browser() {
    let dir = TestDir::new();
    dir.write_executable("xdg-open", "#!/bin/sh\necho \"$@\" > opened~; cat \"$1\" > page; mv opened~ opened\n");
    dir.write_executable("open", "#!/bin/sh\nexec ./xdg-open \"$@\"\n");
    let path = format!("{}:{}", dir.path("").display(), std::env::var("PATH").unwrap());
    let mut command = dir.command(&format!("serve --open --json --port 0 --token {TOKEN}"));
    let mut child = command.env("PATH", path).stdout(Stdio::piped()).spawn().unwrap();
    wait_until("the browser to be started", || exists(&dir.path("opened")));
    let opened = dir.read("opened");
    assert!(!opened.contains(TOKEN) && !opened.contains("code="), "{opened}");
    let page = dir.read("page");
    let (_, code) = page.split_once("/#code=").unwrap_or_else(|| panic!("{page}"));
    assert!(!page.contains(TOKEN) && code.len() > 32, "{page}");
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    std::thread::sleep(Duration::from_millis(1));
    assert_eq!(fs::read_dir(dir.path("replays")).unwrap().count(), 0, "the way to the address is removed");
}
