import type { ParentReference } from '../../kube/facts/storage.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { minute } from '../../kube/time.ts';
import { type ClusterView, ownName } from '../cluster-view.ts';
import type { Decision, DecisionConfidence, SyncedController, SyncInput } from '../controller.ts';
import { deletion, timeIn } from '../decision.ts';

const addresses = 'ipaddresses.networking.k8s.io';
const services = 'services';
/** Says who allocated an IPAddress. */
export const addressManager = 'ipaddress.kubernetes.io/managed-by';
/** ControllerName, pkg/registry/core/service/ipallocator/ipallocator.go. */
export const serviceAllocator = 'ipallocator.k8s.io';
const familyLabel = 'ipaddress.kubernetes.io/ip-family';
/** An IPAddress is stored before its Service: the longest that a request for the Service may take. */
const untilServiceIsThere = minute;
/** How often informers pass all objects to it again: repairLoopInterval, pkg/controlplane/instance.go. */
const period = 3 * minute;
/** An IPAddress that is newer than its Service may be of a request that is undone. */
const untilUndone = 5_000;

/**
 * The API server's repair of IPAddresses: it deletes those that its allocator made and no Service has (BOOK-4), and recreates
 * those that do not name the Service that has them (BOOK-5). Mirrors syncIPAddress and syncService,
 * pkg/registry/core/service/ipallocator/controller/repairip.go.
 */
export const ipAddressRepair: SyncedController = {
  id: 'bookkeeping',
  controllers: [],
  reads: [addresses, services],
  syncers: [
    {
      runsAs: 'kube-apiserver',
      syncs: addresses,
      sync: repair,
      // A change of a Service leads to no check of its addresses.
      watches: [addresses],
      needsSync: ({ facts }) => facts?.parentRef !== undefined,
      takesUntilLatest: true,
      decidesByAbsence: true,
      links: {
        [services]: ownName,
        [addresses]: ({ facts: { parentRef } = {} }) =>
          parentRef ? [`${parentRef.namespace}/${parentRef.name}`] : [],
      },
    },
  ],
};

function repair(address: ObjectRecord, { view, now }: SyncInput): Decision[] {
  const { facts, name, labels, creationTimestamp } = address;
  if (!facts || isBeingDeleted(address)) return [];
  const { parentRef } = facts;
  const isOwn = labels?.[addressManager] === serviceAllocator;
  const service = parentRef && serviceOf(view, parentRef);
  // What is right needs no look at other Services.
  if (isOwn && service && hasAddress(service, name) && hasFamily(address)) return [];
  if (service ? !areAddressesKnown(service) : isUnread(view, parentRef)) return [];
  const other = view.all(services).find((one) => hasAddress(one, name));
  if (other && (!service || other === service)) {
    const because = `it is the address of Service ${other.namespace}/${other.name}, which it does not name, or its labels are wrong; the API server recreates it`;
    // The API server does so only in the ranges that it serves.
    return [due(0, because, 'BOOK-5', 'likely')];
  }
  if (!isOwn) return [];
  if (!isOfService(parentRef)) return [due(0, 'it does not name a Service', 'BOOK-4', 'certain')];
  const named = `Service ${parentRef.namespace}/${parentRef.name}`;
  if (!service)
    return [due(untilServiceIsThere, `its ${named} does not exist`, 'BOOK-4', 'certain')];
  if (hasAddress(service, name)) return [];
  const isNewer = timeIn(creationTimestamp) > timeIn(service.creationTimestamp);
  const pause = isNewer ? untilUndone : 0;
  const isExternal = service.facts?.serviceType === 'ExternalName';
  const because = `its ${named} has another address`;
  return [due(isExternal ? untilServiceIsThere : pause, because, 'BOOK-4', 'certain')];

  /** `pause`: so long after the address was created. */
  function due(pause: number, because: string, rule: string, confidence: DecisionConfidence) {
    const notBefore = Math.max(now, timeIn(creationTimestamp) + pause);
    const notAfter = notBefore + period;
    return deletion(ipAddressRepair.id, address, {
      notBefore,
      notAfter,
      because,
      rule,
      confidence,
    });
  }
}

function isOfService(parent: ParentReference | undefined): parent is ParentReference {
  return parent?.group === undefined && parent?.resource === services;
}

function serviceOf(view: ClusterView, parent: ParentReference): ObjectRecord | undefined {
  const { namespace = '', name } = parent;
  return isOfService(parent) ? view.at(services, namespace, name) : undefined;
}

/** The API server gives each Service an address or `None`, but for external ones. */
function areAddressesKnown({ facts }: ObjectRecord): boolean {
  return facts?.clusterIPs !== undefined || facts?.serviceType === 'ExternalName';
}

/** Might the Service exist? */
function isUnread(view: ClusterView, parent: ParentReference | undefined): boolean {
  return isOfService(parent) && !view.covers(services, parent.namespace ?? '', parent.name);
}

function hasAddress({ facts }: ObjectRecord, address: string): boolean {
  return facts?.clusterIPs?.includes(address) ?? false;
}

function hasFamily({ name, labels }: ObjectRecord): boolean {
  return labels?.[familyLabel] === (name.includes(':') ? 'IPv6' : 'IPv4');
}
