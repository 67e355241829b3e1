import {
  controllerOf,
  isBeingDeleted,
  noRecords,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { ByKind } from '../cluster-view.ts';
import type { Change, LostPods, ReleasedObjects } from '../controller.ts';
import { adoptersOf } from './adopters.ts';

export class NotedReleases implements ReleasedObjects {
  readonly #view: ByKind;
  /** By uid. */
  readonly #adopters = new Map<string, readonly ObjectRecord[]>();
  /** By the adopter's uid, and their own. */
  readonly #objects = new Map<string, Map<string, ObjectRecord>>();
  #noted: Change | undefined;

  constructor(view: ByKind) {
    this.#view = view;
  }

  /** Mirrors updatePod and updateReplicaSet of the controllers. */
  note(change: Change): void {
    const { before, after } = change;
    if (this.#noted === change || !before || !after || isBeingDeleted(after)) return;
    this.#noted = change;
    const isSame = before.ownerReferences === after.ownerReferences;
    if ((isSame && before.labels === after.labels) || controllerOf(after)) return;
    if (!controllerOf(before) && before.labels === after.labels) return;
    const adopters = adoptersOf(after, this.#view);
    this.#adopters.set(after.uid, adopters);
    for (const { uid } of adopters) {
      const objects = this.#objects.get(uid) ?? new Map<string, ObjectRecord>();
      this.#objects.set(uid, objects.set(after.uid, after));
    }
  }

  get isEmpty(): boolean {
    return this.#objects.size === 0;
  }

  has({ uid }: ObjectRecord): boolean {
    return this.#adopters.has(uid);
  }

  concerns(record: ObjectRecord): boolean {
    return this.#objects.has(record.uid) || this.has(record);
  }

  adoptersOf({ uid }: ObjectRecord): readonly ObjectRecord[] {
    return (this.#adopters.get(uid) ?? noRecords).filter((adopter) => {
      const live = this.#current(adopter);
      return live !== undefined && !isBeingDeleted(live);
    });
  }

  of({ uid }: ObjectRecord): readonly ObjectRecord[] {
    const objects = this.#objects.get(uid)?.values() ?? [];
    return [...objects].flatMap((object) => this.#current(object) ?? []);
  }

  linksOf(record: ObjectRecord): readonly string[] {
    const adopters = this.#adopters.get(record.uid) ?? noRecords;
    const uids = adopters.map(({ uid }) => uid);
    return this.#objects.has(record.uid) ? [...uids, record.uid] : uids;
  }

  #current({ type, namespace, name, uid }: ObjectRecord): ObjectRecord | undefined {
    const found = this.#view.at(storedAs(type), namespace, name);
    return found?.uid === uid ? found : undefined;
  }
}

export class NotedLosses implements LostPods {
  /** By the workload's uid, and their own. Undefined: its loss does not count. */
  readonly #pods = new Map<string, Map<string, ObjectRecord | undefined>>();

  has({ uid }: ObjectRecord): boolean {
    return this.#pods.has(uid);
  }

  of({ uid }: ObjectRecord): readonly ObjectRecord[] {
    return [...(this.#pods.get(uid)?.values() ?? [])].flatMap((pod) => pod ?? []);
  }

  note(workload: ObjectRecord, pod: ObjectRecord, isNews = false): void {
    const known = this.#pods.get(workload.uid);
    const isOpen = isNews && known?.get(pod.uid) !== undefined;
    if (isOpen || !known?.has(pod.uid)) this.set(workload, pod, pod);
  }

  set({ uid }: ObjectRecord, pod: ObjectRecord, lost: ObjectRecord | undefined): void {
    const known = this.#pods.get(uid) ?? new Map<string, ObjectRecord | undefined>();
    this.#pods.set(uid, known.set(pod.uid, lost));
  }
}
