import {
  FOREGROUND,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../src/kube/object-record.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import type { SimulatedRequest } from '../../src/simulator/api-server/request.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
import { type Choose, chooser } from '../differential/choose.ts';
import { objectOfType, servedTypes, widgets } from '../support/builders.ts';
import { hold, remove } from './play-out.ts';

/** Events, which the garbage collector does not watch, come often, and so do what holds others. */
const types = [
  'v1 ConfigMap',
  'v1 ConfigMap',
  'v1 Event',
  'v1 Event',
  'events.k8s.io/v1 Event',
  'v1 Pod',
  'v1 Secret',
  'v1 Namespace',
  'v1 Node',
  'v1 PersistentVolume',
  'v1 PersistentVolumeClaim',
  'v1 ServiceAccount',
  'apps/v1 Deployment',
  'apps/v1 ReplicaSet',
  'apps/v1 StatefulSet',
  'batch/v1 Job',
  'batch/v1 CronJob',
  'example.com/v1 Gadget',
  'example.com/v1 Widget',
].map(typeOf);

function typeOf(text: string): ResourceType {
  const [apiVersion = '', kind = ''] = text.split(' ');
  const type = servedTypes.find(apiVersion, kind);
  if (!type) throw new Error(`nobody serves ${text}`);
  return type;
}

/** Kinds that are served in another version, by nobody, or that no object can have. */
const oddKinds = [
  ['v1', 'List'],
  ['v1', 'PodList'],
  ['v1', 'Event'],
  ['v1', 'pod'],
  ['apps/v1beta9', 'Deployment'],
  ['gone.example.com/v1', 'Gone'],
  ['a/b/c', 'Pod'],
] as const;

const finalizers = [ORPHAN, FOREGROUND, hold, 'kubernetes.io/pvc-protection'];
const namespaces = ['shop', 'shop', 'bank'];
const phases = [undefined, 'Pending', 'Running', 'Succeeded', 'Failed', 'Released', 'Bound'];
const policies = [undefined, 'Background', 'Foreground', 'Orphan'] as const;

interface HostileCluster {
  readonly records: readonly ObjectRecord[];
  readonly requests: readonly SimulatedRequest[];
}

/**
 * Up to nine objects that no API server would have taken: they contradict each other across namespaces, own
 * themselves and each other, share uids, and are being deleted with any finalizers.
 */
export function hostileCluster(seed: number): HostileCluster {
  const choose = chooser(randomFrom(seed));
  const drafts = Array.from({ length: choose.between(1, 9) }, () =>
    objectOfType(choose.one(types), choose.one(['web', 'db', 'mail']), {
      namespace: choose.one(namespaces),
      finalizers: finalizers.filter(() => choose.chance(0.25)),
      facts: factsOf(choose),
      ...(choose.chance(0.5) && {
        deletionTimestamp: '2026-01-02T00:00:00Z',
        deletionGracePeriodSeconds: choose.one([0, 30, undefined]),
      }),
      ...(choose.chance(0.1) && { uid: choose.one(['uid-twice', '']) }),
    }),
  );
  const definition = objectOfType(
    typeOf('apiextensions.k8s.io/v1 CustomResourceDefinition'),
    'widgets.example.com',
    {
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    },
  );
  const objects = choose.chance(0.1) ? [...drafts, definition] : drafts;
  const records = objects.map((record) => ({
    ...record,
    ownerReferences: Array.from({ length: choose.one([0, 1, 2, 3, 5]) }, () =>
      referenceTo(choose.one(objects), choose),
    ),
  }));
  const asked = Array.from({ length: choose.between(0, 2) }, () => choose.one(records));
  return { records, requests: asked.map((record) => remove(record, choose.one(policies))) };
}

function factsOf(choose: Choose): ObjectRecord['facts'] {
  const phase = choose.one(phases);
  return {
    ...(phase !== undefined && { phase }),
    ...(choose.chance(0.3) && { nodeName: choose.one(['web', 'nowhere']) }),
    ...(choose.chance(0.3) && { specFinalizers: ['kubernetes'] }),
  };
}

function referenceTo(owner: ObjectRecord, choose: Choose): OwnerReference {
  const { type } = choose.chance(0.7) ? owner : { type: choose.one([...types, widgets]) };
  const [apiVersion, kind] = choose.chance(0.15)
    ? choose.one(oddKinds)
    : [apiVersionOf(type), type.kind];
  return {
    apiVersion,
    kind,
    name: choose.chance(0.7) ? owner.name : choose.one(['web', 'db', 'nobody']),
    uid: choose.chance(0.8) ? owner.uid : choose.one(['uid-of-nobody', 'uid-twice']),
    controller: choose.one([undefined, true, false]),
    blockOwnerDeletion: choose.one([undefined, true, false]),
  };
}
