// The shapes of the page's data, written by crates/contest.

type Role = "student" | "assistant" | "teacher";

/** Who is signed in. */
interface Me {
  name: string;
  number: string;
  role: Role;
}

interface Version {
  id: number;
  version: number;
  /** In seconds since 1970. */
  time: number;
  /** The name of the file, untrusted. */
  file: string;
  taken: { language?: string | null } | string | null;
  state: "waiting" | "judging" | { passed: { bot: number } } | { refused: { zh: string; en: string } };
}

interface ContestPerson extends Me {
  id: number;
  class: string;
  has_password: boolean;
}

/** A link that opens an account, without the address of the server. */
interface PersonLink {
  name: string;
  number: string;
  class: string;
  link: string;
}

interface LogEntry {
  time: number;
  who: string | null;
  action: string;
  subject: string | null;
  detail: string;
}
