import {
  FOREGROUND,
  type ObjectRecord,
  type OwnerReference,
} from '../../src/kube/object-record.ts';
import {
  type Build,
  blocking,
  clusterRole,
  configMap,
  event,
  ownedBy,
  pod,
  secret,
  widget,
} from './builders.ts';
import type { Stage } from './stage.ts';

export interface StagedCase {
  /** The object with the wrong reference. */
  readonly subject: ObjectRecord;
  readonly others: readonly ObjectRecord[];
  /** Deleted once the collector has settled, to see whether the subject blocks it. */
  readonly later?: { readonly delete: ObjectRecord; readonly policy: 'Foreground' | 'Background' };
}

/** A subject and a living Secret that its references are made of; `fate` deletes that Secret later. */
export function ofSecret(
  references: (owner: ObjectRecord) => readonly OwnerReference[],
  fate: 'delete the owner' | 'leave' = 'leave',
  build: Build = configMap,
): (stage: Stage) => StagedCase {
  return ({ here }) => {
    const owner = here(secret, 'owner');
    const subject = here(build, 'subject', references(owner));
    const later = { delete: owner, policy: 'Foreground' as const };
    return { subject, others: [owner], ...(fate !== 'leave' && { later }) };
  };
}

/** A subject that needs no other object. */
export function alone(references: readonly OwnerReference[], build: Build = configMap) {
  return ({ here }: Stage): StagedCase => ({
    subject: here(build, 'subject', references),
    others: [],
  });
}

/** A subject whose reference is to a Secret in another namespace. */
export function ofSecretElsewhere(more: (here: ObjectRecord) => readonly OwnerReference[]) {
  return ({ here, elsewhere }: Stage): StagedCase => {
    const owner = elsewhere(secret, 'owner');
    const near = here(secret, 'near');
    const references = [ownedBy(owner, blocking), ...more(near)];
    return {
      subject: here(configMap, 'subject', references),
      others: [owner, near],
      later: { delete: owner, policy: 'Foreground' },
    };
  };
}

/** A cluster-scoped subject and a namespaced owner. */
export function clusterScoped(changes: Partial<OwnerReference>) {
  return ({ here }: Stage): StagedCase => {
    const owner = here(widget, 'owner');
    return {
      subject: here(clusterRole, 'subject', [ownedBy(owner, changes)]),
      others: [owner],
      later: { delete: owner, policy: 'Foreground' },
    };
  };
}

/** A subject that refers to itself. */
export function ofItself(changes: Partial<OwnerReference>) {
  return ({ here }: Stage): StagedCase => {
    const bare = here(configMap, 'subject');
    const subject = { ...bare, ownerReferences: [ownedBy(bare, changes)] };
    return { subject, others: [], later: { delete: subject, policy: 'Foreground' } };
  };
}

/** A subject in a ring of ConfigMaps. */
export function inRing(size: number, changes: Partial<OwnerReference>, deleting: boolean) {
  return ({ here }: Stage): StagedCase => {
    const bare = Array.from({ length: size }, (_, i) => ({
      ...here(configMap, i === 0 ? 'subject' : `ring-${i}`),
      ...(deleting && { finalizers: [FOREGROUND], deletionTimestamp: '2026-01-02T00:00:00Z' }),
    }));
    const ring = bare.map((record, i) => {
      const owner = bare[(i + 1) % size] ?? record;
      return { ...record, ownerReferences: [ownedBy(owner, changes)] };
    });
    const [subject, ...others] = ring;
    if (!subject) throw new Error('a ring has members');
    return {
      subject,
      others,
      later: { delete: subject, policy: deleting ? 'Background' : 'Foreground' },
    };
  };
}

export function ofEvent(apiVersion: string) {
  return ({ here }: Stage): StagedCase => {
    const owner = here(event, 'owner');
    return {
      subject: here(configMap, 'subject', [ownedBy(owner, { apiVersion })]),
      others: [owner],
    };
  };
}

export function leftByJob({ here }: Stage): StagedCase {
  const labels = {
    'batch.kubernetes.io/controller-uid': 'uid-of-job',
    'batch.kubernetes.io/job-name': 'import',
  };
  return { subject: { ...here(pod, 'subject'), labels }, others: [] };
}
