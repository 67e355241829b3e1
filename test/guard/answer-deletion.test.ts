import { describe, expect, test } from 'vitest';
import type { DeletionRequest } from '../../src/guard/admission-review.ts';
import { answerDeletion, type GuardState } from '../../src/guard/answer-deletion.ts';
import { AnswerTime } from '../../src/guard/answer-time.ts';
import { noRules, parseGuardRules } from '../../src/guard/guard-rules.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import { servedRecords, servedTypes, snapshotOf } from '../support/builders.ts';
import { knownCluster } from './known-cluster.ts';

const now = Date.parse('2026-06-01T00:00:00Z');

const object = (apiVersion: string, kind: string, name: string, rest: object = {}) => {
  const { metadata = {}, ...fields } = rest as { metadata?: object };
  const namespace =
    kind === 'Namespace' || kind === 'PersistentVolume' ? {} : { namespace: 'shop' };
  return {
    ...{ apiVersion, kind, ...fields },
    metadata: { name, uid: `uid-${kind}-${name}`, ...namespace, ...metadata },
  } as KubeObject;
};

const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
});

/** A guard that has read these objects. */
function guardOf(objects: readonly KubeObject[], changes: Partial<GuardState['cluster']> = {}) {
  const known = knownCluster(snapshotOf(servedRecords(objects), { types: servedTypes }));
  const typeOf = (resource: string) =>
    servedTypes.all.find((type) => groupResourceOf(type) === resource);
  return { ...known, isSynced: true, stale: undefined, typeOf, ...changes };
}

function requestFor(target: KubeObject, user = 'alice'): DeletionRequest {
  const type = servedTypes.find(`${target.apiVersion}`, `${target.kind}`);
  if (!type) throw new Error('not served');
  const { name, namespace, uid } = recordOf(target, type);
  const resource = groupResourceOf(type);
  return { uid, user, resource, namespace, name, object: { ...target }, options: {} };
}

function answer(cluster: GuardState['cluster'], target: KubeObject, rules: readonly object[] = []) {
  const parsed =
    rules.length === 0
      ? noRules
      : parseGuardRules({ apiVersion: 'kubectl-gc/v1', kind: 'GuardRules', rules }, 'rules.yaml');
  const how = { now, time: new AnswerTime(performance.now() + 60_000) };
  return answerDeletion({ cluster, rules: parsed }, requestFor(target), how);
}

const home = object('v1', 'Namespace', 'shop');
const alone = object('v1', 'ConfigMap', 'alone');

describe('a deletion is warned of', () => {
  const set = object('apps/v1', 'ReplicaSet', 'web', {
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } },
  });
  const pod = object('v1', 'Pod', 'web-1', {
    metadata: { ...ownedBy(set), labels: { app: 'web' } },
    status: { phase: 'Running' },
  });
  const held = object('v1', 'ConfigMap', 'held', {
    metadata: { finalizers: ['example.com/cleanup'] },
  });
  const claim = object('v1', 'PersistentVolumeClaim', 'data', { spec: { volumeName: 'disk' } });
  const volume = object('v1', 'PersistentVolume', 'disk', {
    spec: {
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace: 'shop', name: 'data', uid: claim.metadata.uid },
    },
    status: { phase: 'Bound' },
  });

  test.each([
    ['with how many objects it deletes', [home, set, pod], set, /^2 objects .*1 Pod, 1 ReplicaSet/],
    ['with the object that recreates it', [home, set, pod], pod, /1 is recreated: 1 Pod/],
    ['with what blocks it', [home, held], held, /example\.com\/cleanup/],
    ['with the data that it loses', [home, claim, volume], claim, /data/],
  ] as const)('%s', (_, objects, target, expected) => {
    const { warnings, verdict } = answer(guardOf(objects), target);
    expect([verdict, warnings.join('\n')]).toEqual(['warned', expect.stringMatching(expected)]);
  });
});

test('three warnings of 240 printable characters are the most', () => {
  const long = (at: number) => `${'x'.repeat(240)}-${at}`;
  const objects = Array.from({ length: 30 }, (_, at) =>
    object('v1', at % 2 === 0 ? 'ConfigMap' : 'Secret', long(at), {
      metadata: { finalizers: [`example.com/${'y'.repeat(60)}-${at}`] },
    }),
  );
  const rules = Array.from({ length: 5 }, (_, at) => ({
    ...{ name: `\u001b[31m${at}`, when: 'namespace', action: 'warn' },
  }));
  const { warnings } = answer(guardOf([home, ...objects]), home, rules);
  expect(warnings).toHaveLength(3);
  for (const warning of warnings) {
    expect(warning.length).toBeLessThanOrEqual(240);
    expect(warning).not.toContain('\u001b');
  }
});

test('the data of a Secret is in no answer', () => {
  const secret = object('v1', 'Secret', 'login', { data: { password: 'aHVudGVyMg==' } });
  const held = { ...secret, metadata: { ...secret.metadata, finalizers: ['example.com/hold'] } };
  const rule = { name: 'none', when: 'many-objects', moreThan: 0, action: 'deny' };
  for (const given of [answer(guardOf([home, held]), held), answer(guardOf([home]), held, [rule])])
    expect(JSON.stringify(given)).not.toContain('aHVudGVyMg==');
});

describe('a guard that has not read everything', () => {
  test('says so before everything was listed, and lets the deletion pass', () => {
    const rule = { name: 'none', when: 'many-objects', moreThan: 0, action: 'deny' };
    const given = answer(guardOf([home, alone], { isSynced: false }), alone, [rule]);
    expect(given).toMatchObject({
      isAllowed: true,
      verdict: 'unknown',
      warnings: [expect.stringMatching(/unknown/)],
    });
  });

  test('says which kind it could not watch, and for how long, of an object without dependents too', () => {
    const stale = { kinds: ['pods', 'secrets'], since: now - 30_000 };
    const { warnings } = answer(guardOf([home, alone], { stale }), alone);
    expect(warnings).toEqual([expect.stringMatching(/pods and 1 other kind .* 30s/)]);
    expect(answer(guardOf([home, alone]), alone).warnings).toEqual([]);
  });

  test('counts an object that its watch has not reported yet', () => {
    const late = object('v1', 'ConfigMap', 'late');
    const child = object('v1', 'ConfigMap', 'child', { metadata: ownedBy(late) });
    expect(answer(guardOf([home, child]), late).audit).toMatchObject({ objects: '2' });
  });
});

describe('a deletion that breaks a rule', () => {
  const rule = { name: 'one', when: 'namespace', action: 'deny' };
  const approvedFor = (user: string, until: string) => ({
    ...home,
    metadata: {
      ...home.metadata,
      annotations: {
        'kubectl-gc.io/deletion-approved-for': user,
        'kubectl-gc.io/deletion-approved-until': until,
      },
    },
  });

  test.each([
    ['without approval', home, 'refused'],
    ['approved for another user', approvedFor('bob', '2026-06-02T00:00:00Z'), 'refused'],
    ['with an approval that is over', approvedFor('alice', '2026-05-31T00:00:00Z'), 'refused'],
    ['approved for this user', approvedFor('alice', '2026-06-02T00:00:00Z'), 'approved'],
  ])('%s', (_, target, verdict) => {
    const given = answer(guardOf([target, alone]), target, [rule]);
    expect(given).toMatchObject({ verdict, isAllowed: verdict === 'approved' });
    expect(given.audit).toMatchObject({ verdict, rules: 'one' });
  });

  test('passes with a warning where the rule warns', () => {
    const given = answer(guardOf([home, alone]), home, [{ ...rule, action: 'warn' }]);
    expect(given).toMatchObject({ isAllowed: true, verdict: 'warned' });
    expect(given.warnings.join('\n')).toContain('Rule one');
  });
});
