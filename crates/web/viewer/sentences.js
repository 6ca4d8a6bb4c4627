// One sentence per player about a turn, made from the turn's events in their order.

import { boardDirections } from "./board-geometry.js";
import { shortName } from "./dom.js";
import { counted, minus, words } from "./language.js";

/** @typedef {Extract<GameEvent, { event: "died" }>} Death */

const sentenceWords = words(
  {
    up: "up",
    right: "right",
    down: "down",
    left: "left",
    player: (/** @type {string} */ name, /** @type {Seat} */ seat) => `${name} (${seat})`,
    you: "you",
    and: " and ",
    comma: ", ",
    join: "; ",
    actionStay: "stay",
    actionMove: (/** @type {string} */ direction) => `move ${direction}`,
    actionShoot: (/** @type {string} */ direction) => `shoot ${direction}`,
    actionUnknown: (/** @type {string} */ number) => `unknown action ${number}`,
    stayed: "stayed",
    went: (/** @type {string} */ direction) => `moved ${direction}`,
    froze: (/** @type {string} */ by, /** @type {number} */ count) => `froze: ${by} ${count > 1 ? "are" : "is"} stronger`,
    meantToShoot: (/** @type {string} */ direction) => `meant to shoot ${direction}`,
    shot: (/** @type {string} */ direction, /** @type {string} */ cost) => `shot ${direction} (${cost})`,
    hitNothing: ", hit no player",
    hit: (/** @type {string} */ victims, /** @type {string} */ gain) => `, hit ${victims}: ${gain}`,
    wasHit: (/** @type {string} */ by, /** @type {number} */ count, /** @type {string} */ loss) =>
      count > 1 ? `hit by the lights of ${by}: ${loss}` : `hit by ${by}'s light: ${loss}`,
    ate: (/** @type {string} */ eaten, /** @type {string} */ gain) => `ate ${eaten}: ${gain}`,
    wasEaten: (/** @type {string} */ by, /** @type {string} */ loss) => `was eaten by ${by}: ${loss}`,
    ateSmall: (/** @type {string} */ gain) => `ate a small fruit: ${gain}`,
    ateLarge: (/** @type {string} */ gain, /** @type {number} */ turns) => `ate a large fruit: ${gain} for ${counted(turns, "turn")}`,
    ateMore: (/** @type {number} */ turns) => `ate a large fruit: boost extended by ${counted(turns, "turn")}`,
    boostEnded: (/** @type {string} */ loss) => `boost ended: ${loss}`,
    settled: (/** @type {string} */ gain) => `strength back to 0: ${gain}`,
    inherited: (/** @type {string} */ gain) => `the last one standing: ${gain} small fruit`,
    died: (/** @type {string} */ why) => `died: ${why}`,
    eatenBy: (/** @type {string} */ by) => `eaten by ${by}`,
    lightOf: (/** @type {string} */ by, /** @type {number} */ count) => (count > 1 ? `the lights of ${by}` : `${by}'s light`),
    noStrength: "no strength left",
    noStrengthUnboosted: "no strength left without the boost",
    TLE: "it took too long",
    MLE: "it used too much memory",
    OLE: "its output was too long",
    NJ: "its answer was not JSON",
    RE: "its program failed",
    wall: (/** @type {string} */ direction) => `cannot move ${direction}: a wall is there`,
    tooWeak: (/** @type {string} */ direction) => `too weak to shoot ${direction}`,
    noAction: "its answer contained no action",
    spawned: (/** @type {number} */ count) => `${count || "No"} small fruit spawned`,
  },
  {
    up: "上",
    right: "右",
    down: "下",
    left: "左",
    player: (name, seat) => `${name}（${seat} 号）`,
    you: "你",
    and: "和",
    comma: "、",
    join: "；",
    actionStay: "不动",
    actionMove: (direction) => `向${direction}移动`,
    actionShoot: (direction) => `向${direction}发射金光`,
    actionUnknown: (number) => `未知动作 ${number}`,
    stayed: "没有动",
    went: (direction) => `向${direction}移动`,
    froze: (by) => `被恐吓，未动：${by}更强`,
    meantToShoot: (direction) => `本想向${direction}发射金光`,
    shot: (direction, cost) => `向${direction}发射金光（${cost}）`,
    hitNothing: "，没有击中任何人",
    hit: (victims, gain) => `，击中 ${victims}：${gain}`,
    wasHit: (by, _, loss) => `被 ${by}的金光击中：${loss}`,
    ate: (eaten, gain) => `吃掉 ${eaten}：${gain}`,
    wasEaten: (by, loss) => `被 ${by}吃掉：${loss}`,
    ateSmall: (gain) => `吃到小豆：${gain}`,
    ateLarge: (gain, turns) => `吃到大豆：${gain}，增益 ${turns} 回合`,
    ateMore: (turns) => `吃到大豆：增益延长 ${turns} 回合`,
    boostEnded: (loss) => `增益结束：${loss}`,
    settled: (gain) => `力量恢复为 0：${gain}`,
    inherited: (gain) => `最后的幸存者：小豆 ${gain}`,
    died: (why) => `死亡：${why}`,
    eatenBy: (by) => `被 ${by}吃掉`,
    lightOf: (by) => `被 ${by}的金光击中`,
    noStrength: "力量耗尽",
    noStrengthUnboosted: "增益结束后力量耗尽",
    TLE: "程序超时",
    MLE: "程序占用内存过多",
    OLE: "程序输出过长",
    NJ: "输出不是 JSON",
    RE: "程序运行出错",
    wall: (direction) => `不能向${direction}移动，那里有墙`,
    tooWeak: (direction) => `力量不足，不能向${direction}发射金光`,
    noAction: "输出里没有动作",
    spawned: (count) => (count ? `长出 ${count} 颗小豆` : "没有长出小豆"),
  },
);

/** A number with its sign. @param {number} number */
export function signed(number) {
  return number < 0 ? minus(number) : `${number ? "+" : "±"}${number || 0}`;
}

/** @param {Direction} direction */
const directionName = (direction) => sentenceWords[direction];

/** An action in words. @param {Action} action */
export function actionName(action) {
  if (action === -1) return sentenceWords.actionStay;
  const direction = boardDirections[action & 3];
  if (!(action >= 0 && action < 8)) return sentenceWords.actionUnknown(minus(action));
  return action < 4 ? sentenceWords.actionMove(directionName(direction)) : sentenceWords.actionShoot(directionName(direction));
}

/**
 * Why an action was not executed.
 * @param {Action | null} action
 * @param {Answer["verdict"]} verdict
 */
export function faultName(action, verdict) {
  if (verdict !== "OK" && verdict !== "ILLEGAL") return sentenceWords[verdict];
  if (action === null || (verdict === "OK" && action < -1)) return sentenceWords.noAction;
  if (action < 0 || action > 7) return actionName(action);
  const direction = directionName(boardDirections[action & 3]);
  return action < 4 ? sentenceWords.wall(direction) : sentenceWords.tooWeak(direction);
}

/** The name of a player, which is "you" for those of this page. @param {Head} head @param {Seat} seat */
export const seatName = ({ seats }, seat) => (seats[seat].own ? sentenceWords.you : shortName(seats[seat].name));

/** A player in a sentence: its name and seat. @param {Head} head @param {Seat} seat */
export const playerName = (head, seat) => sentenceWords.player(seatName(head, seat), seat);

/** @param {Head} head @param {Seat[]} seats */
function playerNames(head, seats) {
  const names = seats.map((seat) => playerName(head, seat));
  const last = names.pop() ?? "";
  return names.length ? names.join(sentenceWords.comma) + sentenceWords.and + last : last;
}

/** A cause of death in a few words. @param {Head} head @param {Cause} cause */
export function causeName(head, cause) {
  switch (cause.cause) {
    case "illegal":
      return faultName(cause.action, cause.verdict);
    case "eaten":
      return sentenceWords.eatenBy(playerNames(head, cause.by));
    case "light":
      return cause.by.length ? sentenceWords.lightOf(playerNames(head, cause.by), cause.by.length) : sentenceWords.noStrength;
    case "boost-ended":
      return sentenceWords.noStrengthUnboosted;
  }
}

/**
 * What happened to each player in the turn before frame `turn`; null for players that were already dead.
 * @param {Timeline} timeline
 * @param {number} turn
 * @returns {Four<string | null>}
 */
export function sentencesOf(timeline, turn) {
  const { events } = timeline.frames[turn];
  const before = timeline.frames[turn - 1]?.players;
  const describe = (/** @type {Seat} */ seat) =>
    before?.[seat].alive ? partsOf(timeline, events, seat).join(sentenceWords.join) || sentenceWords.stayed : null;
  return [describe(0), describe(1), describe(2), describe(3)];
}

/**
 * @param {Timeline} timeline
 * @param {GameEvent[]} events
 * @param {Seat} seat
 */
function partsOf(timeline, events, seat) {
  const t = sentenceWords;
  const { head } = timeline;
  const duration = head.ruleset.large_fruit_duration;
  /** @type {string[]} */
  const parts = [];
  let looted = 0;
  let hitsReported = false;
  for (const event of events) {
    if (event.event === "fought") {
      if (event.winners.includes(seat)) parts.push(t.ate(playerNames(head, event.eaten), signed(event.share)));
    } else if (event.event === "hit") {
      // All hits of a turn are reported at the first one.
      if (event.victim === seat && !hitsReported) {
        hitsReported = true;
        const hits = hitsAmong(events).filter(({ victim }) => victim === seat);
        const by = playerNames(head, hits.map(({ shooter }) => shooter));
        parts.push(t.wasHit(by, hits.length, signed(-sumUp(hits.map(({ lost }) => lost)))));
      }
    } else if (event.event !== "spawned" && event.seat === seat) {
      switch (event.event) {
        case "acted":
          if (event.action >= 4 && wasEatenFirst(events, seat)) parts.push(t.meantToShoot(directionName(boardDirections[event.action & 3])));
          break;
        case "frightened":
          parts.push(t.froze(playerNames(head, event.by), event.by.length));
          break;
        case "moved":
          parts.push(t.went(directionName(event.direction)));
          break;
        case "looted":
          looted = event.lost;
          break;
        case "fired":
          parts.push(t.shot(directionName(event.direction), signed(-event.cost)) + hitsOf(head, events, seat));
          break;
        case "died":
          parts.push(deathPart(head, event, looted));
          break;
        case "settled":
          parts.push(t.settled(signed(event.gained)));
          break;
        case "ate":
          if (event.fruit === "small") parts.push(t.ateSmall(signed(event.gained)));
          else parts.push(event.gained ? t.ateLarge(signed(event.gained), duration) : t.ateMore(duration));
          break;
        case "boost-ended":
          parts.push(t.boostEnded(signed(-event.lost)));
          break;
        case "inherited":
          parts.push(t.inherited(`+${event.fruits}`));
          break;
      }
    }
  }
  return parts;
}

/** Whether a player was eaten before it could shoot. @param {GameEvent[]} events @param {Seat} seat */
function wasEatenFirst(events, seat) {
  return events.some((event) => event.event === "died" && event.seat === seat && event.cause.cause === "eaten");
}

/** @param {GameEvent[]} events */
function hitsAmong(events) {
  return events.flatMap((event) => (event.event === "hit" ? [event] : []));
}

/** @param {Head} head @param {GameEvent[]} events @param {Seat} seat */
function hitsOf(head, events, seat) {
  const hits = hitsAmong(events).filter(({ shooter }) => shooter === seat);
  if (!hits.length) return sentenceWords.hitNothing;
  const victims = playerNames(head, hits.map(({ victim }) => victim));
  return sentenceWords.hit(victims, signed(sumUp(hits.map(({ gained }) => gained))));
}

/** @param {number[]} numbers */
const sumUp = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @param {Head} head @param {Death} death @param {number} looted */
function deathPart(head, death, looted) {
  const { cause } = death;
  if (cause.cause === "eaten") return sentenceWords.wasEaten(playerNames(head, cause.by), signed(-looted));
  return sentenceWords.died(cause.cause === "light" ? sentenceWords.noStrength : causeName(head, cause));
}

/**
 * What the generators did in the turn before frame `turn`; null in most turns.
 * @param {Timeline} timeline
 * @param {number} turn
 */
export function spawnSentence(timeline, turn) {
  for (const event of timeline.frames[turn].events) if (event.event === "spawned") return sentenceWords.spawned(event.cells.length);
  return null;
}

/**
 * When and how a player died, if it did.
 * @param {Timeline} timeline
 * @param {Seat} seat
 * @returns {{ turn: number, death: Death } | null}
 */
export function deathOf(timeline, seat) {
  for (const { turn, events } of timeline.frames) {
    for (const event of events) if (event.event === "died" && event.seat === seat) return { turn, death: event };
  }
  return null;
}
