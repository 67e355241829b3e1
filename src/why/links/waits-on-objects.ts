import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import type { Protection } from '../../controllers/finalizers/protection.ts';
import type { SuggestedCommand } from '../../errors.ts';
import { namespaceType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { inWords, kindAndName } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { type Cause, type Link, link, type Trail, widest } from '../chain.ts';
import { isLate } from '../deletion-age.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  listEverywhere,
  presence,
  type Reading,
  seenIn,
  valueIn,
} from '../inquiry.ts';
import { removalCommand } from '../programs/finalizer-removal.ts';

/** Objects for which the program of a finalizer waits, each with what blocks it in turn. */
function waitsFor(
  objects: readonly ObjectRecord[],
  { trail, because, next, command, evidence }: WaitDetails,
): Link[] {
  return objects.slice(0, widest).map((object) =>
    isBeingDeleted(object) && !trail.uids.includes(object.uid)
      ? trail.follow(object)
      : link(object, 'in-use', 'blocked', because, {
          evidence,
          next: next(object),
          ...(command && { command: command(object) }),
        }),
  );
}

interface WaitDetails {
  readonly trail: Trail;
  readonly because: string;
  readonly next: (object: ObjectRecord) => string;
  readonly command?: (object: ObjectRecord) => SuggestedCommand;
  readonly evidence: readonly Evidence[];
}

/** What uses an object that is protected while it is in use: the object stays until those are deleted. */
export function userLinks(
  inquiry: Inquiry,
  record: ObjectRecord,
  { kind, reads, usersOf }: Protection,
  trail: Trail,
): Link[] {
  if (groupResourceOf(record.type) !== kind) return [];
  const readings = new Map(
    reads.flatMap((resource) => {
      const [type] = inquiry.types.versions(resource);
      return type ? [[resource, listEverywhere(inquiry, type)] as const] : [];
    }),
  );
  const objectsOf = (resource: string) => {
    const reading = readings.get(resource);
    return reading ? seenIn(reading) : [];
  };
  const users = usersOf(objectsOf, record);
  if (users === 'unknown') return [];
  const because = `it uses ${kindAndName(record)}`;
  const evidence = [...readings].flatMap(([resource, reading]) => {
    const own = users.filter(({ type }) => groupResourceOf(type) === resource);
    const value = `${counted(own.length, 'object')} use ${record.name}`;
    return own.length > 0 ? evidenceOf(reading, () => value) : [];
  });
  return waitsFor(users, { trail, because, next: nextForUser, evidence });
}

/** An IPAddress is deleted with its Service. */
function nextForUser(user: ObjectRecord): string {
  const { parentRef } = user.facts ?? {};
  if (!parentRef) return `Delete ${inWords(user)}, or let it use another.`;
  const service = inWords({ kind: 'Service', namespace: '', ...parentRef });
  return `Delete ${service}, or create another ServiceCIDR that contains ${user.name}.`;
}

/**
 * A provider of Crossplane keeps a ProviderConfig while a ProviderConfigUsage names it. A usage is owned by the resource that
 * needs the config to be deleted at its cloud (pkg/reconciler/providerconfig of crossplane-runtime).
 */
export function usageLinks(inquiry: Inquiry, config: ObjectRecord, trail: Trail): Link[] {
  const { type, name } = config;
  const usage =
    inquiry.types.ofKind(type.group, `${type.kind}Usage`) ??
    inquiry.types.ofKind(type.group, 'ProviderConfigUsage');
  if (!usage) return [];
  const reading = inquiry.ask({ ask: 'list', type: usage, namespace: undefined });
  const usages = seenIn(reading).filter(
    ({ namespace, labels }) =>
      labels?.['crossplane.io/provider-config'] === name && namespace === config.namespace,
  );
  const evidence = evidenceOf(reading, () => `${counted(usages.length, usage.kind)} name it`);
  const users = usages.map((one) => controllerOwner(inquiry, one) ?? one);
  const left = users.filter((one) => one.type === usage);
  const managed = users.filter((one) => one.type !== usage);
  const because = `it uses ${type.kind} ${name}`;
  const next = (user: ObjectRecord) => nextForManaged(user, config);
  const command = keepsExternal;
  return [
    ...waitsFor(managed, { trail, because, next, command, evidence }),
    ...waitsFor(left, {
      trail,
      because: `it names ${type.kind} ${name}`,
      next: nextForUsage,
      evidence,
    }),
  ];
}

/** The garbage collector deletes a usage with its owner, unless no API serves the kind of that any more. */
function nextForUsage({ type, name, ownerReferences }: ObjectRecord): string {
  const owner = ownerReferences.find(({ controller }) => controller);
  const of = owner ? `${owner.kind} ${owner.name}, which it is for,` : 'what it is for';
  return `Look whether ${of} exists. Delete ${type.kind} ${name} only if it does not.`;
}

/** By default, a managed resource is deleted together with what it stands for. */
function nextForManaged({ type, name }: ObjectRecord, config: ObjectRecord): string {
  const kept = type.namespaced
    ? 'its managementPolicies do not contain Delete'
    : 'its deletionPolicy is Orphan';
  return `Let ${type.kind} ${name} use another ${config.type.kind} (spec.providerConfigRef), or delete it first. Unless ${kept}, its deletion also deletes the real resource outside of the cluster.`;
}

/** Namespaced managed resources (Crossplane 2) have no deletionPolicy: managementPolicies without Delete keep the resource. */
function keepsExternal(user: ObjectRecord): SuggestedCommand {
  const spec = user.type.namespaced
    ? { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] }
    : { deletionPolicy: 'Orphan' };
  const patch = JSON.stringify({ spec });
  return suggested(
    'To keep the real resource, before the deletion',
    shellCommand`kubectl patch ${addressOf(user)} --type=merge -p ${patch}`,
  );
}

function controllerOwner(inquiry: Inquiry, record: ObjectRecord): ObjectRecord | undefined {
  const owner = record.ownerReferences.find(({ controller }) => controller);
  const type = owner && inquiry.types.find(owner.apiVersion, owner.kind);
  if (!type) return undefined;
  const namespace = type.namespaced ? record.namespace : '';
  const reading = inquiry.ask({ ask: 'object', type, namespace, name: owner.name });
  return reading.state === 'read' ? reading.value : undefined;
}

const clusterName = 'cluster.x-k8s.io/cluster-name';

/** Cluster API deletes the Machines of a Cluster or of a set of Machines first. */
export function machineLinks(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link[] {
  const { type, namespace, name, uid } = record;
  const machine = inquiry.types.ofKind('cluster.x-k8s.io', 'Machine');
  if (!machine || type.kind === 'Machine') return [];
  const reading = inquiry.ask({ ask: 'list', type: machine, namespace });
  const machines = seenIn(reading).filter(({ labels, ownerReferences }) =>
    type.kind === 'Cluster'
      ? labels?.[clusterName] === name
      : ownerReferences.some((owner) => owner.uid === uid),
  );
  const because = `it is a Machine of ${type.kind} ${name}`;
  const evidence = evidenceOf(reading, () => `${counted(machines.length, 'Machine')} of it`);
  const next = () => '';
  // Cluster API deletes them by itself, when their turn comes.
  return waitsFor(machines, { trail, because, next, evidence }).map((one) =>
    one.cause === 'in-use' ? { ...one, state: 'waiting' } : one,
  );
}

/** The snapshot controller keeps a VolumeSnapshot until its content was deleted. */
export function contentLinks(inquiry: Inquiry, snapshot: ObjectRecord, trail: Trail): Link[] {
  const type = inquiry.types.ofKind(snapshot.type.group, 'VolumeSnapshotContent');
  const name = snapshot.facts?.boundContent;
  if (!type || name === undefined || snapshot.type.kind !== 'VolumeSnapshot') return [];
  const reading = inquiry.ask({ ask: 'object', type, namespace: '', name });
  const content = reading.state === 'read' ? reading.value : undefined;
  return content && isBeingDeleted(content) ? [trail.follow(content)] : [];
}

/** cert-manager reads the Issuer of a DNS challenge to remove the DNS record (CleanUp, pkg/issuer/acme/dns/dns.go). */
export function issuerLinks(inquiry: Inquiry, challenge: ObjectRecord, finalizer: string): Link[] {
  const { challengeType, issuer } = challenge.facts ?? {};
  const type = issuer && inquiry.types.ofKind('cert-manager.io', issuer.kind);
  if (!type || challengeType !== 'DNS-01') return [];
  const namespace = type.namespaced ? challenge.namespace : '';
  const reading = inquiry.ask({ ask: 'object', type, namespace, name: issuer.name });
  if (reading.state !== 'read' || reading.value) return [];
  const because = `its ${kindAndName(issuer)} does not exist, and cert-manager reads it to remove the DNS record`;
  return [
    removable(challenge, 'owner-missing', because, {
      finalizer,
      reading,
      next: isClosed(inquiry, namespace)
        ? 'Delete the DNS record.'
        : `Create ${kindAndName(issuer)} again, or delete the DNS record.`,
      when: 'Once the record was deleted',
    }),
  ];
}

/** Nothing can be created in a namespace that is being deleted. */
function isClosed(inquiry: Inquiry, name: string): boolean {
  if (name === '') return false;
  const reading = inquiry.ask({ ask: 'object', type: namespaceType, namespace: '', name });
  const namespace = valueIn(reading);
  return namespace !== undefined && isBeingDeleted(namespace);
}

/** Argo CD before 2.14 never removes its finalizer from an ApplicationSet. */
export function applicationSetLinks(
  inquiry: Inquiry,
  set: ObjectRecord,
  finalizer: string,
): Link[] {
  if (!isLate(set, inquiry.now)) return [];
  const { type, namespace, name } = set;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  const because =
    'Argo CD before 2.14 never removes this finalizer from an ApplicationSet; a later version does so as soon as it sees the deletion';
  const details = { finalizer, reading, next: '', when: 'If Argo CD is older' };
  return [removable(set, 'in-use', because, details)];
}

/** Nothing removes the finalizer by itself, so that it may be removed manually. */
function removable(
  record: ObjectRecord,
  cause: Cause,
  because: string,
  {
    finalizer,
    reading,
    next,
    when,
  }: {
    readonly finalizer: string;
    readonly reading: Reading<ObjectRecord | undefined>;
    readonly next: string;
    readonly when: string;
  },
): Link {
  return link(record, cause, 'blocked', because, {
    finalizer,
    evidence: presence(reading),
    next,
    command: removalCommand(when, record, finalizer),
  });
}
