import { blockersOf, type Link, linksOf } from './link.ts';

/**
 * `stuck`: something has to be done. `progressing`: somebody is at it. `alive`: nobody deletes it.
 * `collectable`: the collector is about to delete it. `absent`: it is not there. `unknown`: what could be read does not tell.
 */
export type DiagnosisState =
  | 'stuck'
  | 'progressing'
  | 'alive'
  | 'collectable'
  | 'absent'
  | 'unknown';

export function stateOf(chain: Link): DiagnosisState {
  if (chain.cause === 'absent') return 'absent';
  if (chain.cause === 'collectable') return 'collectable';
  if (chain.state === 'holds') return 'alive';
  const blockers = blockersOf(chain);
  if (blockers.some(({ state }) => state === 'blocked')) return 'stuck';
  if (blockers.length > 0) return 'unknown';
  return 'progressing';
}

/** The first link from the bottom that a step can resolve; one at a time. */
export function firstFix(chain: Link): Link | undefined {
  for (const next of chain.links) {
    const found = firstFix(next);
    if (found) return found;
  }
  // What nobody could tell is no reason to change anything.
  return chain.fix && chain.state === 'blocked' ? chain : undefined;
}

/** Everything that a chain could not read, once each. */
export function unreadOf(chain: Link): { readonly what: string; readonly couldNotRead: string }[] {
  const found = new Map<string, { what: string; couldNotRead: string }>();
  for (const { evidence } of linksOf(chain)) {
    for (const entry of evidence) {
      if ('couldNotRead' in entry) {
        found.set(entry.what, { what: entry.what, couldNotRead: entry.couldNotRead });
      }
    }
  }
  return [...found.values()];
}
