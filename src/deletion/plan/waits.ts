import { whySilent } from '../../controllers/nodes/silent-node.ts';
import { compareText } from '../../kube/names.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { FailedGroupVersion } from '../../kube/resource-types.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import type { removersIn } from './finalizer-programs.ts';
import type { ApiWait, FinalizerWait, KubeletWait, Wait, WebhookWait } from './plan.ts';
import type { Assumptions } from './play/assumptions.ts';
import { isForeign, isOfContent, isOfDependents } from './play/blocking-finalizers.ts';
import type { TouchedObject } from './play/touched-objects.ts';
import type { ProvenRefusal } from './proven-refusals.ts';
import { relationsAmong } from './relations.ts';

/** Which controller of Kubernetes removes a finalizer. The garbage collector may never do so: of objects that wait for each other. */
function ownRemover(finalizer: string): Pick<FinalizerWait, 'removedBy'> {
  if (isOfDependents(finalizer)) return {};
  return { removedBy: knownFinalizer(finalizer)?.setBy.title ?? 'namespace controller' };
}

/** Which of that leads to what becomes of an object in the end. */
interface Waits {
  /** Those that are known to; none where nothing that is known leads to the object. */
  readonly of: (object: TouchedObject) => Wait[];
  /** All of them, of whatever object. */
  readonly all: () => Wait[];
}

/**
 * An object waits for the removal of its finalizers and for the kubelet of its Node. If it waits for its dependents, its
 * content or the Pods that use it, it waits for their finalizers and kubelets, too. If it is reached only after finalizers are
 * removed, it waits for the blockers of the object with which it is deleted. What a webhook refuses blocks all of these.
 * `failed`: APIs that do not answer; a Namespace without content waits for these alone.
 */
export function waitsAmong(
  touched: readonly TouchedObject[],
  { strippedFinalizers, silentNodeOfPod, liftedRefusals }: Omit<Assumptions, 'toolDeletions'>,
  removerOf: ReturnType<typeof removersIn>,
  failed: readonly FailedGroupVersion[],
): Waits {
  const { below, above, container, tools, users, precededBy } = relationsAmong(touched);
  /** Is it on its way, or would be, so that what it belongs to waits for it? */
  const isHolding = ({ record: { uid }, ends: { held } }: TouchedObject) =>
    held !== undefined && (isBeingDeleted(held) || liftedRefusals.has(uid));
  const waitsOn = (objects: Iterable<TouchedObject>): Wait[] =>
    [...objects]
      .flatMap(({ key, record, identity: object }): Wait[] => {
        const node = silentNodeOfPod.get(record.uid);
        const refusal = liftedRefusals.get(record.uid);
        const finalizers = (strippedFinalizers.get(key) ?? []).flatMap((finalizer): Wait[] => {
          if (isOfContent(finalizer) && failed.length > 0)
            return failed.map((api) => apiWait(api, object));
          const by = isForeign(finalizer) ? removerOf(finalizer, record) : ownRemover(finalizer);
          return [{ finalizer, object, ...by }];
        });
        return [
          ...finalizers,
          ...(node ? [kubeletWait(node, object)] : []),
          ...(refusal ? [webhookWait(refusal, object)] : []),
        ];
      })
      .sort((a, b) => compareObjects(a.object, b.object) || compareText(whatOf(a), whatOf(b)));
  return {
    of: (object) => {
      const seen = new Set<TouchedObject>([object]);
      for (const at of seen) {
        const next = isHolding(at)
          ? [...below(at).filter(isHolding), ...users(at).filter(({ ends }) => ends.held)]
          : [...above(at), ...container(at), ...precededBy(at), ...tools(at)];
        for (const other of next) seen.add(other);
      }
      return waitsOn(seen);
    },
    all: () => waitsOn(touched),
  };
}

function kubeletWait(node: ObjectRecord, object: ObjectReference): KubeletWait {
  return { kubelet: node.name, object, alive: 'no', aliveBecause: whySilent(node) };
}

function webhookWait(
  { configuration, webhook, because }: ProvenRefusal,
  object: ObjectReference,
): WebhookWait {
  const by = referenceTo(configuration);
  return { webhook, configuration: by, object, alive: 'no', aliveBecause: because };
}

function apiWait(
  { group, version, message }: FailedGroupVersion,
  object: ObjectReference,
): ApiWait {
  const api = version === undefined ? group : `${version}.${group}`;
  return { api, object, alive: 'no', aliveBecause: message };
}

function whatOf(wait: Wait): string {
  if ('finalizer' in wait) return wait.finalizer;
  if ('api' in wait) return wait.api;
  return 'kubelet' in wait ? wait.kubelet : wait.webhook;
}
