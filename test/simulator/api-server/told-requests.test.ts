import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  configMap,
  deployment,
  node,
  ownedBy,
  pod,
  secret,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { on, type Request, serveAlone } from './api-server-alone.ts';

const namespace = builderOf('v1', 'Namespace');
const hold = 'example.com/hold';

/** `delete web removed Background (GC-61): requested; …`, one line for each write. */
function told(records: readonly ObjectRecord[], ...requests: Request[]): string[] {
  return serveAlone(records, ...requests).steps.map(
    ({ verb, object, result, policy, rule, because }) =>
      `${verb} ${object.name} ${result}${policy ? ` ${policy}` : ''} (${rule}): ${because}`,
  );
}

describe('a deletion records its options, and what blocks the object', () => {
  const held = configMap('web', { finalizers: [hold] });
  const objects: Readonly<Record<string, ObjectRecord>> = {
    web: configMap('web'),
    held,
    'bound pod': pod('web', { facts: { nodeName: 'a', terminationGracePeriodSeconds: 45 } }),
    'held pod': pod('web', { facts: { nodeName: 'a' }, finalizers: [hold] }),
    'unread pod': pod('web'),
  };
  const rows = rowsOf(`
    web
    web | propagationPolicy: Foreground
    web | orphanDependents: true
    held | orphanDependents: false
    web | preconditions: {uid: other}
    bound pod
    held pod
    unread pod
  `);
  test('of each object, with these options', () => {
    const lines = rows.map(([name = '', options = '']) => {
      const record = objects[name] ?? held;
      const line = told([record], on(record, 'delete', parse(options) ?? {})).join();
      return `${[name, options].filter(Boolean).join(', ')}: ${line}`;
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "web: delete web removed (GC-61): requested; no finalizers, removed immediately
      web, propagationPolicy: Foreground: delete web terminating Foreground (GC-57): requested; it is marked as being deleted and waits for foregroundDeletion
      web, orphanDependents: true: delete web terminating Orphan (GC-57): requested; it is marked as being deleted and waits for orphan
      held, orphanDependents: false: delete web terminating Background (GC-61): requested; it is marked as being deleted and waits for example.com/hold
      web, preconditions: {uid: other}: delete web refused (GC-52): Operation cannot be fulfilled on ConfigMap "web": the UID in the precondition (other) does not match the UID in record (uid-configmap-shop-web). The object might have been deleted and then recreated
      bound pod: delete web terminating (GC-60): requested; it is marked as being deleted with a grace period of 45s
      held pod: delete web terminating (GC-61): requested; it is marked as being deleted and waits for example.com/hold
      unread pod: delete web removed (GC-61): requested; its Node was not read: without one it is removed immediately, else after the kubelet confirms that its containers stopped"
    `);
  });

  test('the second time nothing changes', () => {
    expect(told([held], on(held, 'delete'), on(held, 'delete', { after: '1m' }))[1]).toBe(
      'delete web unchanged (GC-61): requested; nothing changes',
    );
  });
});

test('a collection says each deletion, up to the first that is refused, which is the answer', () => {
  const [a, b] = [secret('a', { finalizers: [hold] }), secret('b')];
  const collection = { verb: 'deletecollection', apiVersion: 'v1', namespace: 'shop' };
  const all = { ...collection, kind: 'Secret', propagationPolicy: 'Orphan' };
  expect(told([a, b, configMap('c')], all).join('\n')).toMatchInlineSnapshot(`
    "deletecollection a terminating Orphan (GC-57): requested; it is marked as being deleted and waits for example.com/hold, orphan
    deletecollection b terminating Orphan (GC-57): requested; it is marked as being deleted and waits for orphan"
  `);
  const wrong = { ...all, preconditions: { uid: b.uid } };
  const { replies, steps } = serveAlone([a, b], wrong);
  expect(replies).toMatchObject([{ code: 409, reason: 'Conflict' }]);
  expect(steps.map(({ object, result }) => `${object.name} ${result}`)).toEqual(['a refused']);
});

describe('a change', () => {
  const web = configMap('web', { resourceVersion: '7', labels: { app: 'web' } });
  const owned = configMap('web', { ownerReferences: [ownedBy(web)] });
  const plain = node('web', { facts: { taints: [] } });
  const scaled = deployment('web', { facts: { replicas: 1 } });
  const tainted = node('web', { facts: { taints: [{ key: 'k', effect: 'NoExecute' }] } });

  test.each<[ObjectRecord, object, string]>([
    [
      web,
      { metadata: { labels: { app: 'other' } } },
      'changed (GC-67): requested; its metadata is changed',
    ],
    [
      web,
      { metadata: { labels: { app: 'web' } } },
      'unchanged (GC-67): requested; nothing changes',
    ],
    [
      owned,
      { metadata: { ownerReferences: [ownedBy(web)] } },
      'unchanged (GC-67): requested; nothing changes',
    ],
    [plain, { spec: tainted.facts ?? {} }, 'changed (GC-67): requested; its taints are changed'],
    [scaled, { spec: { replicas: 2 } }, 'changed (GC-67): requested; its spec is changed'],
    [
      tainted,
      { metadata: { labels: { zone: 'b' } } },
      'changed (GC-67): requested; its metadata is changed',
    ],
  ])('of a $type.kind by %j', (record, patch, line) => {
    expect(told([record], on(record, 'patch', { patch }))).toEqual([`patch web ${line}`]);
  });

  test('by PUT is refused with the uid of another object', () => {
    const put = (uid: string) =>
      on(web, 'update', { object: { metadata: { uid, finalizers: [hold] } } });
    expect(serveAlone([web], put('other')).replies).toEqual([
      {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "web": Precondition failed: UID in precondition: other, UID in object meta: ${web.uid}`,
      },
    ]);
    expect(serveAlone([web], put(web.uid)).objects).toMatchObject([
      { finalizers: [hold], uid: web.uid },
    ]);
    expect(serveAlone([web], put('')).objects).toMatchObject([
      { finalizers: [hold], uid: web.uid },
    ]);
  });
});

describe('nothing is created', () => {
  const made = (where: string) =>
    on(configMap('new', { namespace: where }), 'create', { object: { metadata: { name: 'new' } } });

  test('in a namespace that is being deleted, but elsewhere', () => {
    const ending = namespace('shop', {
      deleting: 'background',
      facts: { phase: 'Terminating', specFinalizers: ['kubernetes'] },
    });
    expect(serveAlone([ending], made('shop'), made('elsewhere')).replies).toEqual([
      {
        code: 403,
        reason: 'Forbidden',
        message:
          'configmaps "new" is forbidden: unable to create new content in namespace shop because it is being terminated',
      },
      { code: 201, reason: '' },
    ]);
  });

  test('without a namespace, nor deleted', () => {
    const nowhere = { ...on(configMap('web'), 'delete'), namespace: '' };
    expect(serveAlone([configMap('web')], nowhere).replies).toEqual([
      {
        code: 400,
        reason: 'BadRequest',
        message: 'an empty namespace may not be set when a resource name is provided',
      },
    ]);
  });
});
