/** The last field but one of an event, as the API server writes it. */
const lastTime = '"stageTimestamp":"2026-01-01T00:00:00.000000Z"';
const timeName = lastTime.slice(0, lastTime.indexOf(':') + 1);
const annotations = ',"annotations":{"';
/** Those that the guard makes are read. */
const ofGuard = 'kubectl-gc';

/**
 * The value of an event's text, without most annotations: they stand behind all that is read, and take a sixth of the time.
 * What ends there is JSON only if it is cut at the outermost object. Throws as JSON.parse does.
 */
export function parsedEvent(text: string): unknown {
  const end = text.lastIndexOf(annotations);
  const isLast = end > 0 && text.startsWith(timeName, end - lastTime.length);
  if (!isLast || text.includes(ofGuard, end)) return JSON.parse(text);
  try {
    return JSON.parse(`${text.slice(0, end)}}`);
  } catch {
    return JSON.parse(text);
  }
}
