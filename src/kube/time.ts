/** In milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** kubectl's short ages: `45s`, `3m20s`, `5h`, `2d3h`, `400d`, `2y10d`; `<unknown>` without a time. Mirrors duration.HumanDuration. */
export function age(since: string | undefined, now: number): string {
  if (since === undefined) return '<unknown>';
  // Towards zero, as Go does: a clock that is a second behind is no invalid age.
  const seconds = Math.trunc((now - Date.parse(since)) / 1000);
  if (Number.isNaN(seconds)) return '<unknown>';
  return humanDuration(seconds);
}

export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  if (years < 8) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

/** The same for the end of a range: what is left out is rounded up. */
export function humanDurationUp(seconds: number): string {
  const precision = precisions.find(([below]) => seconds < below)?.[1] ?? 365 * 86_400;
  return humanDuration(Math.ceil(seconds / precision) * precision);
}

/** Below how many seconds `humanDuration` shows multiples of how many. */
const precisions = [
  [600, 1],
  [8 * 3600, 60],
  [8 * 86_400, 3600],
  [8 * 365 * 86_400, 86_400],
] as const;

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

const firstTime = Date.parse('0000-01-01T00:00:00Z');
const lastTime = Date.parse('9999-12-31T23:59:59Z');

/**
 * Epoch milliseconds as metav1.Time writes them: RFC 3339, in UTC, whole seconds. A time with a duration added may be
 * none that can be written: then it is the last one that can.
 */
export function timestampOf(milliseconds: number): string {
  return `${untilSecond(milliseconds)}Z`;
}

/** The same with milliseconds. */
export function preciseTimestampOf(milliseconds: number): string {
  const rest = String(Math.floor(milliseconds) % 1000).padStart(3, '0');
  return `${untilSecond(milliseconds)}.${rest}Z`;
}

/** Thousands of objects may be deleted within one second, and spelling a date takes longer than what is done with it. */
function untilSecond(milliseconds: number): string {
  const second = Math.floor(Math.min(Math.max(milliseconds, firstTime), lastTime) / 1000);
  let spelled = spelledSeconds.get(second);
  if (spelled === undefined) {
    if (spelledSeconds.size >= mostSeconds) spelledSeconds.clear();
    spelled = new Date(second * 1000).toISOString().slice(0, -5);
    spelledSeconds.set(second, spelled);
  }
  return spelled;
}

const spelledSeconds = new Map<number, string>();
const mostSeconds = 1000;
