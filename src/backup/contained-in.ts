import { jsonOf } from '../snapshot/json-value.ts';

/**
 * Is everything that `saved` says also in `live`? What the API server and controllers have filled
 * in since is no difference.
 */
export function containedIn(saved: unknown, live: unknown): boolean {
  if (Array.isArray(saved)) {
    return (
      Array.isArray(live) &&
      live.length === saved.length &&
      saved.every((entry, index) => containedIn(entry, live[index]))
    );
  }
  const fields = jsonOf(saved);
  if (!fields) return saved === live || isNothing(saved, live);
  const others = jsonOf(live) ?? {};
  return Object.entries(fields).every(([field, value]) => containedIn(value, others[field]));
}

/** Unset, null and an empty text are stored alike. */
function isNothing(saved: unknown, live: unknown): boolean {
  return (saved ?? '') === '' && (live ?? '') === '';
}
