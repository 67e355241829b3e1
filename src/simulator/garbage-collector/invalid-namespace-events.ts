import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { OwnershipNode } from './ownership-node.ts';

/** A core/v1 Event that the garbage collector writes; `involvedObject` is the dependent (GC-46). */
export interface InvalidNamespaceEvent {
  readonly message: string;
  readonly involvedObject: ObjectReference;
}

/** The OwnerRefInvalidNamespace warnings of one run, each once, by dependent and message. */
export class InvalidNamespaceEvents {
  readonly written = new Map<string, InvalidNamespaceEvent>();
  /**
   * Events that depend only on which of two objects the garbage collector sees first (GC-47).
   */
  readonly possible = new Map<string, InvalidNamespaceEvent>();
  readonly dependsOnListing = new Set<string>();
  readonly #context: RunContext;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /** Mirrors reportInvalidNamespaceOwnerRef. */
  report(dependent: OwnershipNode, ownerUid: string): void {
    const event = this.#eventFor(dependent, ownerUid);
    if (event && !this.written.has(event.key)) this.written.set(event.key, event);
  }

  /** A reference that leads to the event when its owner is listed before its dependent. */
  expect(dependent: OwnershipNode, ownerUid: string, isCertain: boolean): void {
    const event = this.#eventFor(dependent, ownerUid);
    if (!event) return;
    this.possible.set(event.key, event);
    if (!isCertain) this.dependsOnListing.add(event.key);
  }

  /** The first reference with that uid is the one named. */
  #eventFor(dependent: OwnershipNode, ownerUid: string) {
    const reference = dependent.owners.find(({ uid }) => uid === ownerUid);
    if (!reference || this.#refusesEvents(dependent.identity.namespace)) return undefined;
    const { apiVersion, kind, name, uid } = reference;
    const { namespace } = dependent.identity;
    const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`;
    const key = `${dependent.identity.uid} ${message}`;
    return { key, message, involvedObject: dependent.identity };
  }

  /** Nothing is created in a namespace that is being deleted (GC-77). */
  #refusesEvents(namespace: string): boolean {
    return namespaceOf(this.#context, namespace)?.deletionTimestamp !== undefined;
  }
}

/** The Namespace object of this name, if the input has one. */
export function namespaceOf({ state }: RunContext, name: string): ObjectRecord | undefined {
  return state.at('namespaces', '', name);
}
