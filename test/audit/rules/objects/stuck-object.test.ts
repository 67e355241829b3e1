import { describe, expect, test } from 'vitest';
import { stuckObject } from '../../../../src/audit/rules/stuck-objects.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  node,
  ownedBy,
  ownedByGone,
  pod,
  secret,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const keda = { finalizers: ['finalizer.keda.sh'], deleting: 'background' } as const;
const odd = { finalizers: ['example.com/odd'], deleting: 'background' } as const;
/** What is said where it is not known whether anything ends the deletion. */
const doubtful = {
  severity: 'warning',
  confidence: 'likely',
  consequence: 'perhaps never gone: whether anything ends its deletion is unknown',
};
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const running = (ready: number) =>
  deployment('keda-operator', { facts: { observedGeneration: 1, availableReplicas: ready } });

test('a finalizer whose controller is not there', () => {
  expect(violationsOf(stuckObject, [configMap('queue', keda)])).toEqual([
    {
      at: 'ConfigMap queue',
      message:
        'being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator',
      command: 'kubectl gc why configmap/queue -n shop --fix',
    },
  ]);
});

test('one without a ready pod', () => {
  expect(violationsOf(stuckObject, [configMap('queue', keda), running(0)])).toMatchObject([
    {
      message: expect.stringContaining('KEDA operator does not run: Deployment shop/keda-operator'),
    },
  ]);
});

describe('a controller that runs', () => {
  test('takes a day before it is slow', () => {
    const queue = configMap('queue', keda);
    expect(violationsOf(stuckObject, [queue, running(1)])).toMatchObject([
      { at: 'ConfigMap queue', severity: 'warning', confidence: 'likely' },
    ]);
    const younger = { ...queue, deletionTimestamp: '2026-01-02T01:00:00Z' };
    expect(violationsOf(stuckObject, [younger, running(1)])).toEqual([]);
  });

  test('is as slow by a saved snapshot, of which no dry run can be asked', () => {
    const told = violationsOf(stuckObject, [configMap('queue', keda), running(1)], {
      evidence: { answers: [] },
    });
    expect(told).toMatchObject([
      { at: 'ConfigMap queue', severity: 'warning', confidence: 'likely' },
    ]);
  });

  test('is seen by what its DaemonSet says of itself', () => {
    const agent = daemonSet('keda-operator', { facts: { observedGeneration: 1, numberReady: 2 } });
    const younger = { ...configMap('queue', keda), deletionTimestamp: '2026-01-02T01:00:00Z' };
    expect(violationsOf(stuckObject, [younger, agent])).toEqual([]);
  });
});

test('an unknown finalizer is a warning, after a minute', () => {
  const object = configMap('x', odd);
  expect(violationsOf(stuckObject, [object])).toMatchObject([
    { at: 'ConfigMap x', severity: 'warning', confidence: 'likely' },
  ]);
  expect(
    violationsOf(stuckObject, [{ ...object, deletionTimestamp: '2026-01-02T23:59:10Z' }]),
  ).toEqual([]);
});

test('a pod whose node does not answer names the node', () => {
  const down = node('a', {
    facts: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
  });
  const bound = pod('web', {
    deleting: 'background',
    deletionGracePeriodSeconds: 30,
    facts: { nodeName: 'a' },
  });
  expect(violationsOf(stuckObject, [bound, down])).toMatchObject([
    { at: 'Pod web', message: expect.stringContaining('node a is not ready'), related: ['Node a'] },
  ]);
});

test.each<[string, ObjectRecord]>([
  ['nobody deletes it', configMap('x', { finalizers: ['finalizer.keda.sh'] })],
  [
    'it has only just begun',
    { ...configMap('x', keda), deletionTimestamp: '2026-01-02T23:59:30Z' },
  ],
  ['its grace period runs', { ...configMap('x', keda), deletionTimestamp: '2026-01-03T00:10:00Z' }],
])('not when %s', (_, record) => {
  expect(violationsOf(stuckObject, [record])).toEqual([]);
});

test('without the workloads it is unknown whether the controller runs: a warning', () => {
  const unread = ['deployments.apps', 'daemonsets.apps'];
  expect(violationsOf(stuckObject, [configMap('queue', keda)], { unread })).toEqual([
    {
      at: 'ConfigMap queue',
      message:
        'being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; whether KEDA operator runs is not known: deployments.apps, daemonsets.apps were not read in every namespace',
      command: 'kubectl gc why configmap/queue -n shop',
      ...doubtful,
    },
    { notChecked: 1, because: 'could not be read: deployments.apps, daemonsets.apps' },
  ]);
});

test('of very many, 500 are looked at', () => {
  const many = Array.from({ length: 502 }, (_, n) => configMap(`x-${n}`, keda));
  const found = violationsOf(stuckObject, many);
  expect([found.length, found.at(-1)]).toEqual([
    501,
    { notChecked: 2, because: 'only 500 deletions are looked at' },
  ]);
});

describe('a foreground deletion', () => {
  const web = configMap('web', { deleting: 'foreground' });
  const frozen = secret('tls', {
    ownerReferences: [ownedBy(web, blocking), ownedByGone('gone/v1 Gone x')],
  });
  const held = secret('tls', {
    deleting: 'background',
    finalizers: ['finalizer.keda.sh'],
    ownerReferences: [ownedBy(web, blocking)],
  });

  test('a dependent that is frozen', () => {
    expect(violationsOf(stuckObject, [web, frozen])).toEqual([
      {
        at: 'ConfigMap web',
        message:
          'being deleted for 24h: Secret tls: no API serves gone/v1 Gone; while that reference stays, it is never deleted or changed',
        command: 'kubectl gc why configmap/web -n shop --fix',
        related: ['Secret tls'],
      },
    ]);
  });

  test('a dependent that hangs on its own finalizer', () => {
    expect(violationsOf(stuckObject, [held, web])).toMatchObject([
      {
        at: 'ConfigMap web',
        message: expect.stringMatching(
          /^being deleted for 24h: Secret tls: finalizer\.keda\.sh is/,
        ),
        command: 'kubectl gc why configmap/web -n shop --fix',
        related: ['Secret tls'],
      },
      { at: 'Secret tls' },
    ]);
  });

  test('no object blocks it any more, and the garbage collector does not look at it again', () => {
    expect(violationsOf(stuckObject, [web])).toEqual([
      {
        at: 'ConfigMap web',
        message:
          'being deleted for 24h: no dependent blocks ConfigMap web any more, but the garbage collector has not removed foregroundDeletion',
        command: 'kubectl gc why configmap/web -n shop --fix',
      },
    ]);
  });

  test('not when it waits only for itself', () => {
    const own = { ...web, ownerReferences: [ownedBy(web, blocking)] };
    expect(violationsOf(stuckObject, [own])).toEqual([]);
  });

  test('what was not read may block it: a warning, and not checked', () => {
    const because =
      'pods could not be read: the input holds none, and does not say that there are none';
    expect(violationsOf(stuckObject, [web], { unread: ['pods'] })).toEqual([
      {
        at: 'ConfigMap web',
        message: `being deleted for 24h: ${because}`,
        command: 'kubectl gc why configmap/web -n shop',
        ...doubtful,
      },
      { notChecked: 1, because },
    ]);
  });
});

describe('a namespace', () => {
  const namespace = builderOf('v1', 'Namespace');
  const ending = { deletionTimestamp: '2026-01-02T00:00:00Z' };
  const shop = namespace('shop', { ...ending, facts: { specFinalizers: ['kubernetes'] } });

  test('something in it that does not end', () => {
    const queue = configMap('queue', { ...ending, finalizers: ['finalizer.keda.sh'] });
    expect(violationsOf(stuckObject, [shop, queue])).toMatchObject([
      {
        at: 'Namespace shop',
        message: expect.stringMatching(
          /^being deleted for 24h: ConfigMap queue: finalizer\.keda\.sh/,
        ),
        command: 'kubectl gc why namespace/shop --fix',
        related: ['ConfigMap queue'],
      },
      { at: 'ConfigMap queue' },
    ]);
  });

  test('a foreign entry in its spec.finalizers', () => {
    const held = { ...shop, facts: { specFinalizers: ['example.com/tenant'] } };
    expect(violationsOf(stuckObject, [held])).toEqual([
      {
        at: 'Namespace shop',
        message:
          'being deleted for 24h: its spec.finalizers hold example.com/tenant, which a program has to remove; files do not show which programs may remove it',
        command: 'kubectl gc why namespace/shop',
        ...doubtful,
      },
    ]);
  });
});
