import { allRanks } from '../kinds/restored-kinds.ts';

/** What must be there first, by key: without a hard one nothing works, a soft one may be added later. */
export interface Needs {
  /** Namespace and definition of the kind, say: without them it cannot be created. */
  readonly hard: readonly string[];
  /** Owners: a reference to one of them can be added later. */
  readonly soft: readonly string[];
}

interface RestoreOrder {
  readonly waves: ReadonlyMap<string, number>;
  /** By key: the owners that come after the object, which is therefore created without them. */
  readonly later: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Puts every object into the wave after all that it needs of the others. Owners in a circle: the first one that
 * the circle can be cut at is created without that reference.
 * @internal
 */
export function restoreOrder(needs: ReadonlyMap<string, Needs>): RestoreOrder {
  const waves = new Map<string, number>();
  const later = new Map<string, Set<string>>();
  const users = new Map<string, string[]>([...needs.keys()].map((key) => [key, []]));
  const unmet = new Map<string, Set<string>>();
  for (const [key, { hard, soft }] of needs) {
    const all = new Set([...hard, ...soft].filter((need) => needs.has(need)));
    for (const need of all) users.get(need)?.push(key);
    unmet.set(key, all);
  }
  const isReady = (key: string) => unmet.get(key)?.size === 0;
  let ready = [...needs.keys()].filter(isReady);
  const starts = needs.keys();
  for (let start = ''; waves.size < needs.size; ) {
    if (ready.length === 0) {
      while (start === '' || waves.has(start)) start = starts.next().value ?? '';
      const { dependent, owner } = cutOf(start, needs, unmet);
      later.set(dependent, (later.get(dependent) ?? new Set()).add(owner));
      unmet.get(dependent)?.delete(owner);
      if (!isReady(dependent)) continue;
      ready = [dependent];
    }
    const next: string[] = [];
    for (const key of ready) {
      const { hard = [], soft = [] } = needs.get(key) ?? {};
      const before = [...hard, ...soft].map((need) => waves.get(need) ?? -1);
      waves.set(key, 1 + Math.max(-1, ...before));
      for (const user of users.get(key) ?? []) {
        // One that was cut free has its wave already, or will have it before this turn ends.
        if (unmet.get(user)?.delete(key) && isReady(user)) next.push(user);
      }
    }
    ready = next;
  }
  return { waves, later };
}

/**
 * Follows what is missing until that closes a circle: the first reference of that circle that may
 * come later.
 */
function cutOf(
  start: string,
  needs: ReadonlyMap<string, Needs>,
  unmet: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly dependent: string; readonly owner: string } {
  const path = new Set<string>();
  let at = start;
  while (!path.has(at)) {
    path.add(at);
    [at = at] = unmet.get(at) ?? [];
  }
  const circle = [...path].slice([...path].indexOf(at));
  const edges = circle.map((dependent, index) => ({ dependent, owner: circle[index + 1] ?? at }));
  const soft = edges.find(({ dependent, owner }) => !needs.get(dependent)?.hard.includes(owner));
  return soft ?? { dependent: at, owner: circle[1] ?? at };
}

/** An object to be created, and the keys of what it needs. */
interface NeedyObject extends Needs {
  readonly key: string;
  readonly rank: number;
}

/** `end`: the first wave after all others. */
interface RestorationOrder extends RestoreOrder {
  readonly end: number;
}

/**
 * What others use comes before everything else, even before its own owner: the controller of the
 * owner creates missing objects immediately. A StatefulSet makes its claims
 * (createPersistentVolumeClaims, stateful_pod_control.go), and an empty volume may be bound to
 * them. Among objects of one rank owners come first.
 */
export function orderRestoration(objects: readonly NeedyObject[]): RestorationOrder {
  const rankOf = new Map(objects.map(({ key, rank }) => [key, rank]));
  const waves = new Map<string, number>();
  const later = new Map<string, ReadonlySet<string>>();
  let end = 0;
  for (const rank of allRanks) {
    const ofRank = objects.filter((one) => one.rank === rank);
    const members = new Map(ofRank.map((one) => [one.key, one]));
    const order = restoreOrder(members);
    for (const [key, { soft }] of members) {
      const isLater = (owner: string): boolean =>
        (rankOf.get(owner) ?? rank) > rank || order.later.get(key)?.has(owner) === true;
      waves.set(key, end + (order.waves.get(key) ?? 0));
      later.set(key, new Set(soft.filter(isLater)));
    }
    end += 1 + [...order.waves.values()].reduce((last, wave) => Math.max(last, wave), -1);
  }
  return { waves, later, end };
}
