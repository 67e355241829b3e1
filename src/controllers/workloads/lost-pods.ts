import type { ObjectRecord } from '../../kube/object-record.ts';
import type { LostPods } from '../controller.ts';

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
