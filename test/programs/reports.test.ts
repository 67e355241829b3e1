import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { reportInWords, reportsOf } from '../../src/programs/reports.ts';
import { servedRecords } from '../support/builders.ts';
import { kube } from '../support/kube.ts';

// What an object reports of itself is read in one place, whatever its kind.

const begun = '2026-06-01T00:00:00Z';
const later = '2026-06-01T00:00:10Z';
const earlier = '2026-05-01T00:00:00Z';

const condition = (type: string, status: string, reason: string, lastTransitionTime = later) => ({
  type,
  status,
  reason,
  message: 'because',
  lastTransitionTime,
});

const withConditions = (kind: string, conditions: readonly object[], metadata: object = {}) =>
  kube(kind, metadata, { status: { conditions } });

function reported(object: KubeObject): readonly string[] {
  return servedRecords([object]).flatMap((record) =>
    reportsOf(record).map(({ by, what, time, isFailure }) =>
      [isFailure ? 'failure' : 'report', by, what, time].filter(Boolean).join(' | '),
    ),
  );
}

const namespace = (...conditions: object[]) => withConditions('v1 Namespace shop', conditions);
const definition = (reason: string) =>
  withConditions('apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com', [
    condition('Terminating', 'True', reason),
    condition('NamesAccepted', 'True', 'NoConflicts'),
  ]);
const custom = (conditions: readonly object[], deletionTimestamp?: string) =>
  withConditions('example.com/v1 Widget w', conditions, {
    ...(deletionTimestamp && { deletionTimestamp }),
  });

test.each<readonly [string, KubeObject, readonly string[]]>([
  [
    'a namespace says what could not be deleted, and what remains',
    namespace(
      condition('NamespaceDeletionContentFailure', 'True', 'ContentDeletionFailed'),
      condition('NamespaceContentRemaining', 'True', 'SomeResourcesRemain'),
      condition('NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'),
    ),
    [
      `failure | the namespace controller | NamespaceDeletionContentFailure | ${later}`,
      `report | the namespace controller | NamespaceContentRemaining | ${later}`,
    ],
  ],
  [
    'a definition says that its instances could not be deleted',
    definition('InstanceDeletionFailed'),
    [`failure | the API server | InstanceDeletionFailed | ${later}`],
  ],
  ['a definition whose instances are being deleted', definition('InstanceDeletionInProgress'), []],
  [
    'an attachment says why the driver could not detach',
    kube(
      'storage.k8s.io/v1 VolumeAttachment csi-a',
      {},
      { spec: {}, status: { detachError: { time: later, message: 'busy' } } },
    ),
    [`failure | the driver | a failed detachment | ${later}`],
  ],
  [
    'a volume says why its storage could not be deleted',
    kube(
      'v1 PersistentVolume disk',
      {},
      { spec: {}, status: { phase: 'Failed', message: 'no', lastPhaseTransitionTime: later } },
    ),
    [`failure | its status | phase Failed | ${later}`],
  ],
  [
    'a claim is Lost',
    kube('v1 PersistentVolumeClaim data', {}, { spec: {}, status: { phase: 'Lost' } }),
    ['failure | its status | phase Lost'],
  ],
  [
    'a pod says who ends it, and not which of its containers are ready',
    withConditions('v1 Pod p', [
      condition('DisruptionTarget', 'True', 'EvictionByEvictionAPI'),
      condition('Ready', 'False', 'ContainersNotReady'),
    ]),
    [`report | its status | DisruptionTarget True (EvictionByEvictionAPI) | ${later}`],
  ],
  [
    'a custom resource says that it is not ready',
    custom([condition('Ready', 'False', 'CloudError'), condition('Tested', 'False', 'NoTest')]),
    [`failure | Widget w | Ready False (CloudError) | ${later}`],
  ],
  [
    'a custom resource says that its controller failed',
    custom([
      condition('Stalled', 'True', 'RetriesExceeded'),
      condition('Degraded', 'True', 'OneReplica'),
      condition('DeletionFailed', 'True', 'Forbidden'),
      condition('DeletionIsBlocked', 'True', 'ObjectHasDependents'),
      condition('Degraded', 'False', 'AsExpected'),
    ]),
    [
      `failure | Widget w | Stalled True (RetriesExceeded) | ${later}`,
      `failure | Widget w | Degraded True (OneReplica) | ${later}`,
      `failure | Widget w | DeletionFailed True (Forbidden) | ${later}`,
      `failure | Widget w | DeletionIsBlocked True (ObjectHasDependents) | ${later}`,
    ],
  ],
  [
    'a custom resource that is being deleted says what its controller is at work on',
    custom(
      [
        condition('Ready', 'False', 'Deleting'),
        condition('Drained', 'False', 'Draining'),
        condition('Initialized', 'False', 'NotYet', earlier),
      ],
      begun,
    ),
    [
      `report | Widget w | Ready False (Deleting) | ${later}`,
      `report | Widget w | Drained False (Draining) | ${later}`,
    ],
  ],
])('%s', (_, object, expected) => {
  expect(reported(object)).toEqual(expected);
});

test('a report says who reported what, how long ago, and why', () => {
  const report = { by: 'Widget w', what: 'Ready False', isFailure: true };
  const now = Date.parse('2026-06-01T00:04:10Z');
  expect([
    reportInWords({ ...report, time: later, message: 'no bucket:\n* data' }, now),
    reportInWords({ ...report, time: '', message: '' }, now),
  ]).toEqual([
    'Widget w reported Ready False 4m ago, at 2026-06-01T00:00:10Z: no bucket: * data',
    'Widget w reported Ready False at an unknown time',
  ]);
});
