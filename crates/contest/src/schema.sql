-- The tables of version 1. All times are seconds since 1970.

-- Who takes part. `number` is what a person signs in with. Without a password, this person cannot sign in.
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    number TEXT NOT NULL UNIQUE,
    class TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('student', 'assistant', 'teacher')),
    password TEXT,
    added INTEGER NOT NULL
) STRICT;

-- Links with which a person chooses a password, each once. Only the SHA-256 of a link's secret is here.
CREATE TABLE invitations (
    secret BLOB PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id),
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_of_person ON invitations (person);

-- Browsers that are signed in, and tokens of programs. Only the SHA-256 of a cookie or token is here.
CREATE TABLE sessions (
    secret BLOB PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id),
    kind TEXT NOT NULL CHECK (kind IN ('browser', 'token')),
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_person ON sessions (person);

-- What staff did. The start of the server is no person.
CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    person INTEGER REFERENCES people (id),
    action TEXT NOT NULL,
    subject INTEGER REFERENCES people (id),
    detail TEXT NOT NULL
) STRICT;

-- What people handed in. A submission that was being judged when the server ended is still waiting.
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id),
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    file TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'passed', 'refused')),
    taken TEXT,
    reason_zh TEXT,
    reason_en TEXT,
    bot INTEGER,
    UNIQUE (person, version)
) STRICT;
