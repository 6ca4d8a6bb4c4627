// The words for errors, which a server's page fetches.

export { chineseReason } from "./reasons.js";
export { wordError } from "./server-errors.js";
