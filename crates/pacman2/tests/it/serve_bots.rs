//! `pacman2 serve --bots`: the user's own bots over real sockets.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::common::*;
use crate::server::*;

/// Returns a folder with these of the user's own bots.
fn with_bots(bots: &[(&str, &str)]) -> TestDir {
    let dir = TestDir::new();
    for (name, text) in bots {
        let name = format!("mine/{name}");
        std::fs::create_dir_all(dir.path(&name).parent().unwrap()).unwrap();
        dir.write(&name, text);
    }
    dir
}

fn serve_bots(dir: TestDir) -> Server {
    serve_in(dir, "--bots mine")
}

/// Returns the events of a task: the data of its progress, and that of its end.
#[track_caller]
fn events(response: &HttpResponse) -> (Vec<Value>, Value) {
    assert_eq!(response.status, 200, "{response:?}");
    let mut events: Vec<Value> = response.body.lines().filter_map(|line| line.strip_prefix("data: ")).map(json).collect();
    let end = events.pop().unwrap();
    (events, end)
}

impl Server {
    /// Reads something that needs the token.
    #[track_caller]
    fn read(&self, path: &str) -> HttpResponse {
        self.ask(&format!("GET {path}"), &[&format!("Authorization: Bearer {TOKEN}")], "")
    }

    /// Begins a task, and returns its events.
    #[track_caller]
    fn begin(&self, path: &str) -> EventStream {
        let mut stream = self.connect();
        let (host, token) = (format!("Host: 127.0.0.1:{}", self.port), format!("Authorization: Bearer {TOKEN}"));
        write!(stream, "POST {path} HTTP/1.0\r\n{host}\r\n{token}\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        EventStream { lines }
    }
}

#[test]
fn a_bot_is_made_read_and_saved() {
    let server = serve_bots(TestDir::new());
    let listed = server.read("/api/bots").json();
    assert_eq!((&listed["folder"], &listed["bots"]), (&json!(server.dir.path("mine")), &json!([])));
    let languages: Vec<&Value> = listed["templates"].as_array().unwrap().iter().map(|template| &template["language"]).collect();
    assert_eq!(languages, ["cpp", "python", "javascript"]);
    let made = server.post("/api/bots", &json!({ "name": "first", "template": "python", "kind": "search" }));
    assert_eq!((made.status, &made.json()["language"], &made.json()["main"]), (201, &"Python".into(), &"bot.py".into()));
    let by_command = server.dir.run("new second --lang python --with search");
    by_command.succeeded();
    let source = server.read("/api/bots/first/source").json();
    assert_eq!(source["text"], server.dir.read("second/bot.py"));
    let text = format!("{}# changed\n", source["text"].as_str().unwrap());
    let body = json!({ "text": text, "base": source["hash"] });
    assert_eq!(server.post("/api/bots/first/source", &body).json()["version"], 1);
    assert_eq!(server.dir.read("mine/first/bot.py"), text);
    server.post("/api/bots/first/source", &json!({ "text": "lost", "base": source["hash"] })).refused(409, "nothing was saved");
    assert_eq!(server.read("/api/bots/first/source?file=bot.py&version=1").json()["text"], source["text"]);
    server.read("/api/bots/first/source?page=1").refused(400, "expected file and version");
    server.post("/api/bots", &json!({ "name": "first", "template": "cpp" })).refused(409, "first already exists; first2 is free");
    server.post("/api/bots", &json!({ "name": "x", "template": "rust" })).refused(400, "expected one of cpp, python, javascript");
}

#[test]
fn own_bots_are_shown_to_those_with_the_token_only() {
    let server = serve_bots(with_bots(&[("secret.py", "print(1)")]));
    assert!(server.get("/").body.contains(r#""mine":"mine""#));
    for path in ["/api/bots", "/api/bots/secret.py", "/api/bots/secret.py/source"] {
        server.get(path).refused(401, "the terminal shows");
        assert_eq!(server.read(path).status, 200, "{path}");
    }
    let without = serve();
    without.read("/api/bots").refused(404, "--bots DIR");
    assert!(without.get("/").body.contains(r#""mine":null"#));
}

#[test]
fn a_check_finds_faults_at_their_lines() {
    if !has("python3", "the server checks bots") || !has("g++", "the server checks bots") {
        return;
    }
    let server = serve_bots(with_bots(&[
        ("fine.py", "import json\ninput()\nprint(json.dumps({'response': {'action': -1}}))\n"),
        ("deep/main.py", "import moves\nmoves.choose()\n"),
        ("deep/moves.py", "def choose():\n    input()\n    return {}['x']\n"),
        ("wrong.cpp", "int main() {\n    return x;\n}\n"),
    ]));
    let check = |name: &str| events(&server.post(&format!("/api/bots/{name}/check"), &json!({})));
    let (progress, end) = check("fine.py");
    assert_eq!(progress, [json!({ "phase": "compiling" }), json!({ "phase": "asking" })]);
    assert_eq!((&end["error"], &end["problems"], &end["result"]["bot"]), (&Value::Null, &json!([]), &"fine.py".into()), "{end}");
    let (_, end) = check("deep");
    let [problem] = &end["problems"].as_array().unwrap()[..] else { panic!("{end}") };
    assert_eq!((&problem["file"], &problem["line"]), (&"moves.py".into(), &3.into()));
    assert!(problem["message"].as_str().unwrap().contains("exited with code 1"), "{problem}");
    assert!(problem["message_zh"].as_str().unwrap().contains("退出码为 1"), "{problem}");
    assert_eq!(end["faults"][0]["where"]["zh"], "第一回合，11 列，重新启动");
    let (_, end) = check("wrong.cpp");
    let [problem] = &end["problems"].as_array().unwrap()[..] else { panic!("{end}") };
    assert_eq!((&problem["file"], &problem["line"], &problem["column"]), (&"wrong.cpp".into(), &2.into(), &12.into()));
    assert_eq!((&end["result"], &end["error"]["code"]), (&Value::Null, &"bot-unusable".into()));
    let bots = server.read("/api/bots").json();
    let checked = |name: &str| bots["bots"].as_array().unwrap().iter().find(|bot| bot["name"] == name).unwrap()["check"].clone();
    for (name, faults) in [("fine.py", 0), ("deep", 1), ("wrong.cpp", 1)] {
        let check = checked(name);
        assert_eq!(
            (&check["faults"], &check["fine"], &check["current"]),
            (&faults.into(), &(faults == 0).into(), &true.into()),
            "{name}"
        );
    }
    server.dir.write("mine/deep/moves.py", "# later\n");
    assert_eq!(server.read("/api/bots/deep").json()["check"]["current"], false);
}

#[test]
fn one_task_runs_at_a_time_until_its_client_goes_away() {
    if !has("python3", "the server checks bots") {
        return;
    }
    let server = serve_bots(with_bots(&[("slow.py", "import time\ntime.sleep(MARK)\n")]));
    let stream = server.begin("/api/bots/slow.py/check");
    server.post("/api/bots/slow.py/check", &json!({})).refused(429, "is running");
    drop(stream);
    wait_until("the check to end", || server.post("/api/bots/gone/check", &json!({})).status == 404);
    assert_eq!(server.read("/api/bots/slow.py").json()["check"], Value::Null, "an abandoned check says nothing");
}

#[test]
fn own_bots_and_their_versions_play() {
    if !has("python3", "bots of the server play") {
        return;
    }
    let stay = "import json\ninput()\nprint(json.dumps({'response': {'action': -1}}))\n";
    let server = serve_bots(with_bots(&[("stay.py", stay)]));
    let source = server.read("/api/bots/stay.py/source").json();
    server.post("/api/bots/stay.py/source", &json!({ "text": "print('nothing')\n", "base": source["hash"] }));
    let seats = json!([{ "mine": "stay.py" }, { "mine": "stay.py", "version": 1 }, "random", "random"]);
    server.start(json!({ "seats": seats, "seed": 1, "turns": 2 }));
    wait_until("the replay", || server.replays().iter().any(|replay| replay["finished"] == true));
    let replay = &server.replays()[0];
    assert_eq!(replay["seats"], json!(["stay.py", "stay.py@1", "random", "random"]));
    assert_eq!(replay["faults"], json!(["NJ", null, null, null]));
    let with = |seat: Value| server.post("/api/matches", &json!({ "seats": [seat, "random", "random", "random"] }));
    with(json!({ "mine": "gone.py" })).refused(404, "there is no bot gone.py");
    with(json!({ "mine": "stay.py", "version": 9 })).refused(404, "no version 9 of stay.py");
    with(json!({ "mine": "stay.py", "colour": "red" })).refused(400, "invalid request");
}

#[test]
fn a_rerun_asks_any_bot_the_questions_of_a_match() {
    let server = serve_bots(with_bots(&[("quick.py", "input()\nprint('nothing')\n")]));
    server.start(json!({ "seats": ["greedy", "random", "random", "random"], "seed": 1, "turns": 3 }));
    wait_until("the replay", || server.replays().iter().any(|replay| replay["finished"] == true));
    let name = server.replays()[0]["name"].clone();
    let rerun = |server: &Server, body: Value| server.post("/api/rerun", &body);
    let (progress, end) = events(&rerun(&server, json!({ "bot": "greedy", "replay": name, "seat": 0 })));
    assert_eq!(progress.last().unwrap(), &json!({ "phase": "asking", "done": 3, "all": 3 }));
    assert_eq!((&end["result"]["asked"], &end["result"]["different"]), (&3.into(), &0.into()), "{end}");
    let film = server.get(&format!("/api/replays/{}", name.as_str().unwrap())).json();
    let without = serve();
    let (_, end) = events(&rerun(&without, json!({ "bot": "hunter", "film": film, "seat": 1, "simulations": 0 })));
    assert!(end["result"]["turns"].as_array().unwrap().iter().all(|turn| turn["worth"].is_null()), "{end}");
    rerun(&without, json!({ "bot": { "mine": "quick.py" }, "film": film, "seat": 1 })).refused(404, "--bots DIR");
    rerun(&server, json!({ "bot": "greedy", "film": film, "seat": 4 })).refused(404, "seat must be between 0 and 3");
    if has("python3", "bots of the server are asked") {
        let (_, end) = events(&rerun(&server, json!({ "bot": { "mine": "quick.py" }, "replay": name, "seat": 0 })));
        assert_eq!((&end["result"]["bot"], &end["result"]["turns"][0]["verdict"]), (&"quick.py".into(), &"NJ".into()));
    }
}

#[test]
fn a_bot_is_compared_with_its_last_version() {
    if !has("python3", "the server compares bots") {
        return;
    }
    let stay = "import json\nwhile True:\n    input()\n    print(json.dumps({'response': {'action': -1}}))\n    \
                print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)\n";
    let server = serve_bots(with_bots(&[("stay.py", stay)]));
    let compare = |body: Value| server.post("/api/bots/stay.py/compare", &body);
    compare(json!({})).refused(404, "no version 1 of stay.py");
    let save = |text: &str| {
        let source = server.read("/api/bots/stay.py/source").json();
        assert_eq!(server.post("/api/bots/stay.py/source", &json!({ "text": text, "base": source["hash"] })).status, 200);
    };
    save(&format!("{stay}# new\n"));
    let mut stream = server.begin("/api/bots/stay.py/compare");
    assert_eq!(stream.next_of("progress"), json!({ "phase": "preparing" }));
    let playing = stream.next_of("progress");
    assert_eq!((&playing["phase"], &playing["games"], &playing["series"]["blocks"]), (&"playing".into(), &4.into(), &1.into()));
    assert!(playing["series"]["sentence"]["zh"].as_str().unwrap().contains("尚无定论"), "{playing}");
    drop(stream);
    save(stay);
    wait_until("the comparison to end", || compare(json!({ "version": 9 })).status == 404);
    let (_, end) = events(&compare(json!({ "version": 1 })));
    let result = &end["result"];
    assert_eq!(
        (&result["new"], &result["old"], &result["same_program"]),
        (&"stay.py".into(), &"stay.py@1".into(), &true.into()),
        "{end}"
    );
}
