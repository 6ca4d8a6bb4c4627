// Signing in, and choosing a password with a link.

import { el, untrusted } from "../viewer/dom.js";
import { onLanguage, words } from "../viewer/language.js";
import { get, post } from "./ask.js";
import { field, formOf, notice, worded } from "./parts.js";

const signWords = words(
  {
    signIn: "Sign in",
    number: "Number",
    password: "Password",
    enter: "Sign in",
    about: "You have no password yet, or have forgotten it? Ask your teachers for a link.",
    welcome: "Welcome",
    signsInAs: (/** @type {string} */ number) => `You will sign in with the number ${number} and this password.`,
    choose: "Choose a password of at least 8 characters",
    take: "Choose this password",
  },
  {
    signIn: "登录",
    number: "学号",
    password: "密码",
    enter: "登录",
    about: "还没有密码，或忘记了密码？请向老师要一个链接。",
    welcome: "欢迎",
    signsInAs: (number) => `以后用学号 ${number} 和这个密码登录。`,
    choose: "请选择密码，至少 8 个字符",
    take: "使用这个密码",
  },
);

/** @param {HTMLElement} place @param {(me: Me) => void} entered */
export function mountSignIn(place, entered) {
  const number = el("input", { autocomplete: "username", required: true, name: "number" });
  const password = el("input", { type: "password", autocomplete: "current-password", required: true, name: "password" });
  const form = formOf({
    name: () => signWords.signIn,
    button: () => signWords.enter,
    parts: [field(() => signWords.number, number), field(() => signWords.password, password)],
    send: async () => entered(await post("sign-in", { number: number.value.trim(), password: password.value })),
    told: notice(),
  });
  place.replaceChildren(form, worded(el("p", { class: "about" }), () => signWords.about));
  number.focus();
}

/** @param {HTMLElement} place @param {string} secret @param {(me: Me) => void} entered */
export async function mountInvitation(place, secret, entered) {
  const told = notice();
  place.replaceChildren(told.place);
  /** @type {Me} */
  let guest;
  try {
    guest = await post("invitation", { secret });
  } catch (error) {
    told.fail(error);
    // A person who is signed in, or has a password, needs no link.
    const signIn = el("section");
    place.append(signIn);
    void get("me").then((me) => (me ? entered(me) : mountSignIn(signIn, entered)));
    return;
  }
  const password = el("input", { type: "password", autocomplete: "new-password", required: true, minlength: 8, name: "password" });
  const number = el("input", { autocomplete: "username", value: guest.number, hidden: true, readonly: true });
  const name = el("p", { class: "guest" }, untrusted(guest.name));
  const about = el("p", { class: "about" });
  const sayNumber = () => about.replaceChildren(untrusted(signWords.signsInAs(guest.number)));
  onLanguage(sayNumber);
  sayNumber();
  const form = formOf({
    name: () => signWords.welcome,
    button: () => signWords.take,
    parts: [name, about, number, field(() => signWords.choose, password)],
    send: async () => entered(await post("invitation/accept", { secret, password: password.value })),
    told,
  });
  place.replaceChildren(form);
  password.focus();
}
