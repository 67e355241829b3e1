import { Gate, pause } from '../../cluster/pacing.ts';
import type { Execution } from '../run-context.ts';
import {
  type FollowedObjects,
  type Following,
  splitByName,
  splitByNamespace,
  WatchedScope,
} from './followed-scope.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** Each watch needs a connection, and memory of the server; further scopes are listed again and again. */
const mostWatches = 24;
const mostLists = 2;
/** Forbidden lists are replaced by so many watches of one object each, at the most. */
const mostNames = 20;

export interface Follower {
  /** Resolves when everything was read at least one time, or `pace.open` has passed. */
  readonly opened: Promise<void>;
  stop(): Promise<void>;
}

/** Begins to watch, or where that is not possible to poll, until it is stopped. */
export function follow(
  execution: Execution,
  tracked: TrackedObjects,
  scopes: readonly FollowedObjects[],
): Follower {
  const ended = new AbortController();
  const following: Following = {
    execution,
    tracked,
    signal: ended.signal,
    watches: new Gate(mostWatches),
    lists: new Gate(mostLists),
    polled: 0,
  };
  const opened = scopes.map(() => Promise.withResolvers<void>());
  const running = scopes.map((scope, index) =>
    followScope(following, scope, () => opened[index]?.resolve()),
  );
  // A bug in one of them must not end unseen.
  const all = Promise.all(running);
  all.catch(() => ended.abort());
  const open = Promise.all(opened.map(({ promise }) => promise));
  return {
    opened: Promise.race([open, all, pause(execution.pace.open, execution.stop)]).then(() => {}),
    stop: async () => {
      ended.abort();
      await all;
    },
  };
}

/** Follows a scope, or its parts where the whole may not be listed. */
async function followScope(
  following: Following,
  scope: FollowedObjects,
  onOpen: () => void,
): Promise<void> {
  const end = await new WatchedScope(following, scope, onOpen).run();
  if (end !== 'forbidden') return;
  const inAllNamespaces = scope.type.namespaced && scope.namespace === undefined;
  const parts = inAllNamespaces
    ? splitByNamespace(scope)
    : scope.objects.length <= mostNames
      ? splitByName(scope)
      : [scope];
  const left = { count: parts.length };
  const onPartOpen = () => {
    left.count -= 1;
    if (left.count === 0) onOpen();
  };
  await Promise.all(
    parts.map((part) =>
      part.name === undefined && !inAllNamespaces
        ? new WatchedScope(following, part, onPartOpen, 'get').run().then(() => undefined)
        : followScope(following, part, onPartOpen),
    ),
  );
}
