import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf, notRead } from '../../kube/pod-use.ts';
import {
  isPodTerminal,
  persistentVolumeClaims,
  persistentVolumes,
} from '../../kube/well-known-kinds.ts';
import { type ClusterView, type Keys, ownName } from '../cluster-view.ts';
import { type Decision, linkedNames, type SyncedController } from '../controller.ts';
import { removingFinalizer, timeIn } from '../decision.ts';
import { addressManager, serviceAllocator } from '../endpoints/ip-address-repair.ts';
import { containsPrefix, holdsAddress, parseIpPrefix } from './ip-prefix.ts';

const classes = 'volumeattributesclasses.storage.k8s.io';
const ranges = 'servicecidrs.networking.k8s.io';
const addresses = 'ipaddresses.networking.k8s.io';
const podGroups = 'podgroups.scheduling.k8s.io';
/** deletionGracePeriod, pkg/controller/servicecidrs/servicecidrs_controller.go. */
const untilAllocatorsKnow = 10_000;

/** A finalizer that a controller sets on all objects of a kind, and takes once nothing uses them. */
export interface Protection {
  readonly finalizer: string;
  readonly controller:
    | 'volumeattributesclass-protection-controller'
    | 'service-cidr-controller'
    | 'podgroup-protection-controller';
  readonly kind: string;
  readonly reads: readonly string[];
  readonly rule: string;
  readonly unused: string;
  /** Milliseconds from the deletion until it is taken. */
  readonly pause: number;
  usersOf: UsersOf;
}

/** The objects that use one; `unknown` where one of them may, as what it uses was not read. */
type UsersOf = (objectsOf: ObjectsOf, record: ObjectRecord) => readonly ObjectRecord[] | 'unknown';

/** All objects of a resource. */
export type ObjectsOf = (resource: string) => readonly ObjectRecord[];

export const protections: readonly Protection[] = [
  {
    finalizer: 'kubernetes.io/vac-protection',
    controller: 'volumeattributesclass-protection-controller',
    kind: classes,
    reads: [classes, persistentVolumeClaims, persistentVolumes],
    rule: 'PROT-1',
    unused: 'no claim and no volume names it',
    pause: 0,
    usersOf: usersOfClass,
  },
  {
    finalizer: 'networking.k8s.io/service-cidr-finalizer',
    controller: 'service-cidr-controller',
    kind: ranges,
    reads: [ranges, addresses],
    rule: 'PROT-2',
    unused: 'no Service has an address that only this range has',
    pause: untilAllocatorsKnow,
    usersOf: usersOfRange,
  },
  {
    finalizer: 'scheduling.k8s.io/podgroup-protection',
    controller: 'podgroup-protection-controller',
    kind: podGroups,
    reads: [podGroups, 'pods'],
    rule: 'PROT-3',
    unused: 'no pod that has not ended belongs to it',
    pause: 0,
    usersOf: usersOfGroup,
  },
];

/** A class or a group and what names it; all ranges and addresses, of which each may count for the others. */
const protectionKeys: Keys = {
  [classes]: ({ name }) => [name],
  [persistentVolumeClaims]: classesOf,
  [persistentVolumes]: classesOf,
  [ranges]: () => ['addresses'],
  [addresses]: () => ['addresses'],
  [podGroups]: ownName,
  pods: ({ namespace, facts }) =>
    facts?.podGroupName === undefined ? [] : [`${namespace}/${facts.podGroupName}`],
};

/** The VolumeAttributesClasses that a claim or a volume has, had, and is to have. */
function classesOf({ facts = {} }: ObjectRecord): readonly string[] {
  return [
    facts.volumeAttributesClassName ?? [],
    facts.currentVolumeAttributesClassName ?? [],
    facts.targetVolumeAttributesClassName ?? [],
  ].flat();
}

/** Takes the finalizers of VolumeAttributesClasses, ServiceCIDRs and PodGroups that are being deleted and unused (PROT-1 to PROT-3). */
export const protectionController: SyncedController = {
  id: 'protection',
  controllers: protections.map(({ controller }) => controller),
  reads: [...new Set(protections.flatMap(({ reads }) => reads))],
  syncers: protections.map((one) => ({
    runsAs: one.controller,
    syncs: one.kind,
    sync: (record, { view, now }) => release(one, view, record, now),
    watches: one.reads,
    needsSync: isBeingDeleted,
    // Few of them are ever being deleted.
    affectedBy({ before, after }, by) {
      const written = [before, after].flatMap((record) =>
        record ? linkedNames(protectionKeys, record, by) : [],
      );
      if (written.length === 0) return [];
      const ending = by.view.all(one.kind).filter(isBeingDeleted);
      return ending.filter((record) =>
        linkedNames(protectionKeys, record, by).some((name) => written.includes(name)),
      );
    },
    links: protectionKeys,
  })),
};

function release(
  { finalizer, reads, rule, unused, pause, usersOf }: Protection,
  view: ClusterView,
  record: ObjectRecord,
  now: number,
): Decision[] {
  if (!isBeingDeleted(record) || !record.finalizers.includes(finalizer)) return [];
  const users = usersOf((resource) => view.all(resource), record);
  if (users === 'unknown' || users.length > 0) return [];
  // What was not read may use it.
  if (reads.some((resource) => !view.covers(resource, record.namespace, ''))) return [];
  const at = Math.max(now, timeIn(record.deletionTimestamp) + pause);
  const because = `it is being deleted and ${unused}, so ${finalizer} is removed`;
  const reason = { notBefore: at, notAfter: at, because, rule };
  return [removingFinalizer(protectionController.id, record, finalizer, reason)];
}

/** Mirrors isBeingUsed, pkg/controller/volume/vacprotection/vac_protection_controller.go. */
function usersOfClass(objectsOf: ObjectsOf, { name }: ObjectRecord): readonly ObjectRecord[] {
  const isNamed = ({ facts = {} }: ObjectRecord) =>
    facts.volumeAttributesClassName === name ||
    facts.currentVolumeAttributesClassName === name ||
    facts.targetVolumeAttributesClassName === name;
  return [persistentVolumes, persistentVolumeClaims].flatMap((one) =>
    objectsOf(one).filter(isNamed),
  );
}

/** Mirrors hasActivePods, pkg/controller/scheduling/podgroupprotection/podgroup_protection_controller.go. */
function usersOfGroup(objectsOf: ObjectsOf, { namespace, name }: ObjectRecord) {
  const pods = objectsOf('pods').filter(
    (pod) => pod.namespace === namespace && !isPodTerminal(pod),
  );
  const users = pods.filter((pod) => pod.facts?.podGroupName === name);
  // What was not read may belong to it.
  const isUnknown = users.length === 0 && pods.some((pod) => nodeNameOf(pod) === notRead);
  return isUnknown ? 'unknown' : users;
}

/** Mirrors canDeleteCIDR, pkg/controller/servicecidrs/servicecidrs_controller.go. */
function usersOfRange(objectsOf: ObjectsOf, range: ObjectRecord) {
  const all = objectsOf(ranges).map((one) => ({
    name: one.name,
    prefixes: (one.facts?.cidrs ?? []).flatMap((cidr) => parseIpPrefix(cidr) ?? []),
  }));
  const own = all.find(({ name }) => name === range.name)?.prefixes ?? [];
  const others = all.filter(({ name }) => name !== range.name).flatMap(({ prefixes }) => prefixes);
  if (own.every((prefix) => others.some((other) => containsPrefix(other, prefix)))) {
    // Without its ranges, its addresses are unknown.
    return range.facts?.cidrs === undefined ? 'unknown' : [];
  }
  return objectsOf(addresses).filter(({ name, labels }) => {
    if (labels?.[addressManager] !== serviceAllocator) return false;
    const address = parseIpPrefix(name);
    if (!address) return false;
    const isIn = (prefix: (typeof own)[number]) => holdsAddress(prefix, address);
    return own.some(isIn) && !others.some(isIn);
  });
}
