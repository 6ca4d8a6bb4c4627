// Requests to the server.

import { words } from "../viewer/language.js";
import { problemText } from "./errors.js";

const askWords = words(
  {
    unreachable: "The server does not answer. Try again later.",
  },
  {
    unreachable: "服务器没有回应，请稍后再试。",
  },
);

/** An answer of the server that says what is wrong; its text is in the reader's language. */
export class Refused extends Error {
  /** @param {import("../viewer/server-errors.js").ServerProblem} problem */
  constructor(problem) {
    super(problem.error ?? "");
    this.problem = problem;
  }

  get code() {
    return this.problem.code ?? "";
  }
}

/** The text of an error for the reader. @param {unknown} error */
export const errorText = (error) => (error instanceof Refused ? problemText(error.problem) : askWords.unreachable);

/** @param {string} path @param {RequestInit} [options] */
async function ask(path, options) {
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer);
  return answer;
}

/** @param {string} path */
export const get = (path) => ask(`/api/contest/${path}`);

/** @param {string} path @param {unknown} [body] */
export const post = (path, body = {}) =>
  ask(`/api/contest/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Hands in a file. @param {string} name @param {Blob | string} content */
export const handIn = (name, content) =>
  ask(`/api/contest/versions?${new URLSearchParams({ file: name })}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: content,
  });
