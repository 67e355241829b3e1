import { expect, test } from 'vitest';
import { blockedForegroundDeletion } from '../../../../src/audit/rules/stuck-objects.ts';
import { blocking, configMap, ownedBy, ownedByGone, secret } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const web = configMap('web', { deleting: 'foreground' });
const young = { ...web, deletionTimestamp: '2026-01-02T23:59:30Z' };
const frozen = secret('tls', {
  ownerReferences: [ownedBy(web, blocking), ownedByGone('gone/v1 Gone x')],
});
const held = secret('tls', {
  deleting: 'background',
  finalizers: ['finalizer.keda.sh'],
  ownerReferences: [ownedBy(web, blocking)],
});

test('a dependent that is frozen', () => {
  expect(violationsOf(blockedForegroundDeletion, [web, frozen])).toEqual([
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
  expect(violationsOf(blockedForegroundDeletion, [held, web])).toEqual([
    {
      at: 'ConfigMap web',
      message: expect.stringMatching(/^being deleted for 24h: Secret tls: finalizer\.keda\.sh is/),
      command: 'kubectl gc why configmap/web -n shop --fix',
      related: ['Secret tls'],
    },
  ]);
});

test('no object blocks it any more, and the garbage collector does not look at it again', () => {
  expect(violationsOf(blockedForegroundDeletion, [web])).toEqual([
    {
      at: 'ConfigMap web',
      message:
        'being deleted for 24h: no dependent blocks ConfigMap web any more, but the garbage collector has not removed foregroundDeletion',
      command: 'kubectl gc why configmap/web -n shop --fix',
    },
  ]);
});

test.each([
  ['it has only just begun', [young]],
  ['it waits only for itself', [{ ...web, ownerReferences: [ownedBy(web, blocking)] }]],
  ['it is deleted in the background', [configMap('web', { deleting: 'background' })]],
  ['another finalizer holds it', [held]],
])('not when %s', (_, records) => {
  expect(violationsOf(blockedForegroundDeletion, records)).toEqual([]);
});

test('what was not read may block it: a warning, and not checked', () => {
  const because =
    'pods could not be read: the input holds none, and does not say that there are none';
  expect(violationsOf(blockedForegroundDeletion, [web], { unread: ['pods'] })).toEqual([
    {
      at: 'ConfigMap web',
      message: `being deleted for 24h: ${because}`,
      command: 'kubectl gc why configmap/web -n shop',
      severity: 'warning',
      confidence: 'likely',
      consequence: 'perhaps never gone: whether anything ends its deletion is unknown',
    },
    { notChecked: 1, because },
  ]);
});
