// Numbers for readers.

import { words } from "../viewer/language.js";

const formatWords = words(
  {
    interval: (/** @type {string} */ low, /** @type {string} */ high) => `95 % ${low} to ${high}`,
    tooFewMaps: "too few maps for an interval",
  },
  {
    interval: (low, high) => `95% 区间 ${low} 到 ${high}`,
    tooFewMaps: "地图太少，没有区间",
  },
);

/** A number with a real minus sign and a fixed number of decimals. @param {number} number @param {number} [decimals] */
export function digits(number, decimals = 0) {
  // Only numbers of five digits or more are grouped.
  const form = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: Math.abs(number) >= 10_000 };
  const text = Math.abs(number).toLocaleString("en-GB", form);
  return number < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** A number with its sign. @param {number} number @param {number} [decimals] */
export function signed(number, decimals = 1) {
  const text = digits(number, decimals);
  return number > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A number with two decimals, if it is no whole one. @param {number} number */
export const plain = (number) => digits(number, Number.isInteger(number) ? 0 : 2);

/** @param {number} share */
export const percent = (share) => `${digits(100 * share, share && share < 0.1 ? 1 : 0)} %`;

/** An interval in words. @param {Estimate} estimate @param {(end: number) => string} format */
export function intervalText({ low, high }, format) {
  if (low === undefined || high === undefined) return formatWords.tooFewMaps;
  return formatWords.interval(format(low), format(high));
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 0.1) return "< 0.1 ms";
  if (ms >= 10_000) return `${digits(ms / 1000)} s`;
  return ms >= 1000 ? `${digits(ms / 1000, 1)} s` : `${digits(ms, ms < 10 ? 1 : 0)} ms`;
}

/**
 * About `about` round numbers between two ends.
 * @param {number} low
 * @param {number} high
 * @param {number} about
 */
export function roundNumbers(low, high, about) {
  const rough = Math.max((high - low) / about, 1e-9);
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((part) => part * ten).find((part) => part >= rough) ?? 10 * ten;
  const numbers = [];
  for (let number = Math.ceil(low / step) * step; number <= high + step / 1e6; number += step) numbers.push(number);
  return numbers;
}
