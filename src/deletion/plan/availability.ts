import { isEmptySelector, matchesSelector } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { knownClaimsOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod, isReady } from '../../kube/well-known-kinds.ts';

/** A PodDisruptionBudget that a deletion does not ask: more Pods may be deleted than it allows. */
export interface ExceededBudget {
  readonly object: ObjectReference;
  readonly disruptionsAllowed: number;
  /** Ready Pods that it is about and that may be deleted. */
  readonly deleted: number;
}

/** What stays, and is affected by the Pods that may be deleted. What is not listed may be affected, too, where it was not read. */
export interface PlannedAvailability {
  /** Services that have a ready Pod now, and none afterwards. */
  readonly servicesWithoutEndpoint: readonly ObjectReference[];
  readonly exceededBudgets: readonly ExceededBudget[];
  /** Workloads that have a ready Pod now, and none afterwards until another one is ready. */
  readonly workloadsAtZero: readonly ObjectReference[];
  /** Claims that one Node at a time can mount, of Pods that may be deleted. */
  readonly singleWriterClaims: readonly ObjectReference[];
}

const workloads: ReadonlySet<string> = new Set([
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'replicationcontrollers',
  'statefulsets.apps',
]);

const singleWriter: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

/** `isGoing`: the objects that may be deleted. Undefined if no object that stays is affected. */
export function availabilityOf(
  records: readonly ObjectRecord[],
  isGoing: (record: ObjectRecord) => boolean,
): PlannedAvailability | undefined {
  const pods = records.filter((record) => isPod(record) && !isBeingDeleted(record));
  const going = pods.filter(isGoing);
  if (going.length === 0) return undefined;
  const homes = new Set(going.map(({ namespace }) => namespace));
  const staying = records.filter(
    (record) => homes.has(record.namespace) && !isBeingDeleted(record) && !isGoing(record),
  );
  const byNamespace = Map.groupBy(pods.filter(isReady), ({ namespace }) => namespace);
  const readyGoing = Map.groupBy(going.filter(isReady), ({ namespace }) => namespace);
  const losesAll = (ready: readonly ObjectRecord[]) => ready.length > 0 && ready.every(isGoing);
  const ofKind = Map.groupBy(staying, ({ type }) => groupResourceOf(type));
  const readyIn = ({ namespace }: ObjectRecord) => byNamespace.get(namespace) ?? [];
  const used = new Set(
    going.flatMap((pod) => knownClaimsOf(pod).map((name) => namespacedKey(pod.namespace, name))),
  );
  const found: PlannedAvailability = {
    servicesWithoutEndpoint: (ofKind.get('services') ?? [])
      .filter(
        ({ facts }) => facts?.serviceType !== 'ExternalName' && !isEmptySelector(facts?.selector),
      )
      .filter((service) => {
        const selects = ({ labels }: ObjectRecord) =>
          matchesSelector(service.facts?.selector, labels);
        return (
          (readyGoing.get(service.namespace) ?? []).some(selects) &&
          !readyIn(service).some((pod) => !isGoing(pod) && selects(pod))
        );
      })
      .map(referenceTo),
    exceededBudgets: (ofKind.get('poddisruptionbudgets.policy') ?? []).flatMap((budget) =>
      exceeded(budget, readyGoing.get(budget.namespace) ?? []),
    ),
    workloadsAtZero: workloadsAtZero(staying, byNamespace, losesAll).map(referenceTo),
    singleWriterClaims: (ofKind.get('persistentvolumeclaims') ?? [])
      .filter(({ facts }) => facts?.accessModes?.every((mode) => singleWriter.has(mode)))
      .filter(({ namespace, name }) => used.has(namespacedKey(namespace, name)))
      .map(referenceTo),
  };
  return Object.values(found).some(({ length }) => length > 0) ? found : undefined;
}

/** Of what a Pod of a namespace names: a claim, or the uid of its controller. */
function namespacedKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function selectedBy(
  selector: Parameters<typeof matchesSelector>[0],
  pods: readonly ObjectRecord[],
): ObjectRecord[] {
  return pods.filter(({ labels }) => matchesSelector(selector, labels));
}

/** A budget whose status was not read allows an unknown number. */
function exceeded(budget: ObjectRecord, going: readonly ObjectRecord[]): ExceededBudget[] {
  const { podSelector, disruptionsAllowed = 0 } = budget.facts ?? {};
  const deleted = selectedBy(podSelector, going).length;
  if (!budget.facts || deleted <= disruptionsAllowed) return [];
  return [{ object: referenceTo(budget), disruptionsAllowed, deleted }];
}

/** The topmost workloads: a Deployment in place of its ReplicaSet. */
function workloadsAtZero(
  staying: readonly ObjectRecord[],
  readyPods: ReadonlyMap<string, readonly ObjectRecord[]>,
  losesAll: (ready: readonly ObjectRecord[]) => boolean,
): ObjectRecord[] {
  const all = staying.filter(({ type, uid }) => uid !== '' && workloads.has(groupResourceOf(type)));
  const uids = new Set(all.map(({ uid }) => uid));
  const below = Map.groupBy(all, (one) => controllerOf(one)?.uid);
  const pods = Map.groupBy([...readyPods.values()].flat(), (pod) =>
    namespacedKey(pod.namespace, controllerOf(pod)?.uid ?? ''),
  );
  const topmost = all.filter((one) => !uids.has(controllerOf(one)?.uid ?? ''));
  return topmost.filter((one) =>
    losesAll(
      [one, ...(below.get(one.uid) ?? [])].flatMap(
        ({ uid }) => pods.get(namespacedKey(one.namespace, uid)) ?? [],
      ),
    ),
  );
}
