import { ZERO } from '../ascii.ts';

const secondsOfDay = 86_400;
/** What is remembered of days; objects are of few days. */
const mostDays = 10_000;
const secondsByDay = new Map<string, number | undefined>();
const daysBySeconds = new Map<number, string>();

/** Seconds since 1970 of RFC 3339 as API servers write it; undefined when it is written otherwise. */
export function secondsOf(timestamp: string): number | undefined {
  if (timestamp.length !== 20 || timestamp[10] !== 'T' || timestamp[19] !== 'Z') return undefined;
  const day = startOfDay(timestamp.slice(0, 10));
  if (day === undefined || timestamp[13] !== ':' || timestamp[16] !== ':') return undefined;
  const hours = twoDigits(timestamp, 11, 24);
  const minutes = twoDigits(timestamp, 14, 60);
  const seconds = twoDigits(timestamp, 17, 60);
  // The sum of something and NaN is NaN.
  const time = day + hours * 3600 + minutes * 60 + seconds;
  return Number.isNaN(time) ? undefined : time;
}

function valueOfDigits(first: number, second: number, end: number): number {
  const tens = first - ZERO;
  const ones = second - ZERO;
  const value = tens * 10 + ones;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 && value < end ? value : Number.NaN;
}

function startOfDay(day: string): number | undefined {
  if (secondsByDay.has(day)) return secondsByDay.get(day);
  if (secondsByDay.size >= mostDays) secondsByDay.clear();
  const milliseconds = Date.parse(`${day}T00:00:00Z`);
  const isSpelledSo =
    !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().slice(0, 10) === day;
  const seconds = isSpelledSo ? milliseconds / 1000 : undefined;
  secondsByDay.set(day, seconds);
  return seconds;
}

function twoDigits(text: string, at: number, end: number): number {
  return valueOfDigits(text.charCodeAt(at), text.charCodeAt(at + 1), end);
}

/** The timestamp of secondsOf. */
export function timestampAt(time: number): string {
  const start = Math.floor(time / secondsOfDay) * secondsOfDay;
  let day = daysBySeconds.get(start);
  if (day === undefined) {
    if (daysBySeconds.size >= mostDays) daysBySeconds.clear();
    day = new Date(start * 1000).toISOString().slice(0, 10);
    daysBySeconds.set(start, day);
  }
  const seconds = time - start;
  const minutes = Math.floor(seconds / 60);
  return `${day}T${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}:${padded(seconds % 60)}Z`;
}

function padded(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
