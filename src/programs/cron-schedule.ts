import { day, hour, minute } from '../kube/time.ts';

/** Five fields and a macro, as github.com/robfig/cron/v3 ParseStandard takes them and github.com/aptible/supercronic/cronexpr plays them. */
const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const weekdays = 'sun mon tue wed thu fri sat'.split(' ');

/** `2026-02-29` comes again within eight years at most. */
const furthest = 8 * 366;

/**
 * The first time after `after` of a schedule of cron, in UTC; epoch milliseconds. Undefined where it is none, names a
 * time zone, or never comes.
 */
export function nextRun(schedule: string, after: number): number | undefined {
  const text = schedule.trim().toLowerCase();
  const fields = (Object.hasOwn(macros, text) ? (macros[text] ?? '') : text).split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minutes, hours, days, ofYear, ofWeek] = [
    valuesIn(fields[0], 0, 59),
    valuesIn(fields[1], 0, 23),
    valuesIn(fields[2], 1, 31),
    valuesIn(fields[3], 1, 12, months),
    valuesIn(fields[4], 0, 7, weekdays),
  ];
  if (!minutes || !hours || !days || !ofYear || !ofWeek) return undefined;
  if (ofWeek.has(7)) ofWeek.add(0);
  const isAny = (field: string | undefined) => field === '*' || field === '?';
  // Where both days are limited, one of them is enough.
  const isEither = !isAny(fields[2]) && !isAny(fields[4]);
  const start = Math.floor(after / minute) * minute + minute;
  const today = Math.floor(start / day) * day;
  for (let date = today; date < today + furthest * day; date += day) {
    const on = new Date(date);
    if (!ofYear.has(on.getUTCMonth() + 1)) continue;
    const matches = [days.has(on.getUTCDate()), ofWeek.has(on.getUTCDay())];
    if (isEither ? !matches.includes(true) : matches.includes(false)) continue;
    const time = timeOfDay(hours, minutes, Math.max(0, start - date));
    if (time !== undefined) return date + time;
  }
  return undefined;
}

/** Milliseconds of a day, not before `from`. */
function timeOfDay(
  hours: ReadonlySet<number>,
  minutes: ReadonlySet<number>,
  from: number,
): number | undefined {
  for (let time = from; time < day; time += minute) {
    if (hours.has(Math.floor(time / hour)) && minutes.has(Math.floor(time / minute) % 60)) {
      return time;
    }
  }
  return undefined;
}

/** The numbers of a field, such as `*`, `1-5`, `mon,wed`, `0-30/15` and `10/5`; undefined where it is none. */
function valuesIn(
  field: string | undefined,
  least: number,
  most: number,
  names: readonly string[] = [],
): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of (field ?? '').split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const numbers = range === '*' || range === '?' ? [least, most] : range.split('-').map(numberOf);
    const [from, to = step === undefined ? from : most] = numbers;
    const by = Number(step ?? 1);
    if (from === undefined || to === undefined || numbers.length > 2 || !(by > 0)) return undefined;
    if (!(from >= least && to <= most && from <= to)) return undefined;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;

  function numberOf(text: string): number {
    const at = names.indexOf(text);
    if (at >= 0) return at + (most === 12 ? 1 : 0);
    return /^\d+$/.test(text) ? Number(text) : Number.NaN;
  }
}
