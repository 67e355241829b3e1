import { controllerOf } from '../../controllers/decision.ts';
import { adopterKinds, adopts } from '../../controllers/workloads/adoption.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { Change, ClusterState } from '../engine/cluster-state.ts';
import type { Indexes, IndexKind } from './indexes.ts';

const none: readonly ObjectRecord[] = Object.freeze([]);

/**
 * Objects that have lost their controller during a run, and who may adopt them. What was without one before was
 * adopted before, where anybody adopts it.
 */
export class FreedObjects {
  readonly #state: ClusterState;
  readonly #indexes: Indexes;
  /** By uid. */
  readonly #adopters = new Map<string, readonly ObjectRecord[]>();
  /** By the adopter's uid, and their own. */
  readonly #objects = new Map<string, Map<string, ObjectRecord>>();
  #noted: Change | undefined;

  constructor(state: ClusterState, indexes: Indexes) {
    this.#state = state;
    this.#indexes = indexes;
  }

  /** Takes note of an object that this write frees. Mirrors updatePod and updateReplicaSet of the controllers. */
  note(change: Change): void {
    const { before, after } = change;
    if (this.#noted === change || !before || !after || isBeingDeleted(after)) return;
    this.#noted = change;
    const isSame = before.ownerReferences === after.ownerReferences;
    if ((isSame && before.labels === after.labels) || controllerOf(after)) return;
    if (!controllerOf(before) && before.labels === after.labels) return;
    const adopters = adoptersOf(after, this.#indexes);
    this.#adopters.set(after.uid, adopters);
    for (const { uid } of adopters) {
      const objects = this.#objects.get(uid) ?? new Map<string, ObjectRecord>();
      this.#objects.set(uid, objects.set(after.uid, after));
    }
  }

  get isEmpty(): boolean {
    return this.#objects.size === 0;
  }

  /** Was it freed? */
  has({ uid }: ObjectRecord): boolean {
    return this.#adopters.has(uid);
  }

  /** May it adopt anything, or was it freed itself? */
  concerns(record: ObjectRecord): boolean {
    return this.#objects.has(record.uid) || this.has(record);
  }

  /** Who may adopt an object, as long as they live. */
  adoptersOf({ uid }: ObjectRecord): readonly ObjectRecord[] {
    return (this.#adopters.get(uid) ?? none).filter((adopter) => {
      const live = this.#state.current(adopter);
      return live !== undefined && !isBeingDeleted(live);
    });
  }

  /** What it may adopt, or has adopted. */
  of({ uid }: ObjectRecord): ObjectRecord[] {
    const objects = this.#objects.get(uid)?.values() ?? [];
    return [...objects].flatMap((object) => this.#state.current(object) ?? []);
  }

  /** An adopter and what it may adopt act on each other. */
  linksOf(record: ObjectRecord): readonly string[] {
    const adopters = this.#adopters.get(record.uid) ?? none;
    const uids = adopters.map(({ uid }) => uid);
    return this.#objects.has(record.uid) ? [...uids, record.uid] : uids;
  }
}

/** Who would adopt an object if it had no controller. */
export function adoptersOf(object: ObjectRecord, indexes: Indexes): ObjectRecord[] {
  const kind = storedAs(object.type);
  const kinds = adopterKinds.filter(({ takes }) => takes.includes(kind));
  const labels = Object.entries(object.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return kinds.flatMap(({ resource }) => {
    const byLabel = bySelector.get(resource);
    const index = byLabel && indexes.of(byLabel);
    return [...labels, '*']
      .flatMap((label) => index?.get(`${object.namespace} ${label}`) ?? none)
      .filter((adopter) => adopts(adopter, object));
  });
}

/** Adopters by one label that they ask for: a namespace may have hundreds of ReplicaSets. */
const bySelector: ReadonlyMap<string, IndexKind> = new Map(
  adopterKinds.map(({ resource }) => [
    resource,
    {
      resource,
      keysOf: ({ namespace, facts }) => {
        const wanted = Object.entries(facts?.selector?.matchLabels ?? {}).at(-1);
        return [`${namespace} ${wanted ? wanted.join('=') : '*'}`];
      },
    },
  ]),
);
