import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, deployment, node } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { on, type Request, serveAlone } from './api-server-alone.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const claim = builderOf('v1', 'PersistentVolumeClaim');

function factsAfter(record: ObjectRecord | undefined, request: Request) {
  const { objects } = serveAlone(record ? [record] : [], { namespace: 'shop', ...request });
  const found = objects.find(({ name }) => name === request.name);
  return { facts: found?.facts, finalizers: found?.finalizers };
}

const web = deployment('web', {
  facts: { generation: 3, observedGeneration: 3, replicas: 2, revisionHistoryLimit: 4 },
});
const ofWeb = { verb: 'patch', apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

describe('what a request says about an object', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['sets a field', { revisionHistoryLimit: 1 }, { generation: 3, revisionHistoryLimit: 1 }],
    ['takes one away', { revisionHistoryLimit: null }, { generation: 3 }],
    ['asks for other work', { replicas: 5 }, { generation: 4, replicas: 5 }],
  ])('%s', (_, spec, changed) => {
    const { revisionHistoryLimit: _limit, ...rest } = web.facts ?? {};
    const kept = spec && JSON.stringify(spec).includes('Limit') ? rest : web.facts;
    expect(factsAfter(web, { ...ofWeb, patch: { spec } }).facts).toEqual({ ...kept, ...changed });
  });

  const notReady = '{key: node.kubernetes.io/not-ready, effect: NoSchedule}';
  // What is stored, the verb, the spec that is asked for, and what there is then (PrepareForCreate and PrepareForUpdate upstream).
  const rows = rowsOf(`
    has the first taint of a Node once | Node | | create
        | taints: [{key: k, effect: NoSchedule}, ${notReady}] | taints: [{key: k, effect: NoSchedule}, ${notReady}]
    counts on from what was observed | Deployment | observedGeneration: 3 | patch | replicas: 5
        | generation: 4, observedGeneration: 3, replicas: 5
    makes other pods of a StatefulSet ones of no revision yet | StatefulSet | generation: 1, updateRevision: db-1 | patch
        | template: {spec: {serviceAccountName: b}} | generation: 2, updateRevision: "", serviceAccountName: b
  `);
  const kinds = { Deployment: deployment, Node: node, StatefulSet: statefulSet };
  test.each(rows)('%s', (_, kind = '', stored = '', verb = '', wanted = '', facts = '') => {
    const record = kinds[kind as keyof typeof kinds]('it', { facts: parse(`{${stored}}`) });
    const object = { metadata: { name: 'it' }, spec: parse(`{${wanted}}`) };
    const asked = verb === 'patch' ? { patch: { spec: object.spec } } : { object };
    const before = verb === 'create' ? undefined : record;
    expect(factsAfter(before, on(record, verb, asked)).facts).toEqual(parse(`{${facts}}`));
  });

  test('is not the whole of an object that was not read', () => {
    const patch = { spec: { revisionHistoryLimit: 1 } };
    expect(factsAfter(deployment('web'), { ...ofWeb, patch }).facts).toBe(undefined);
  });

  test('is what a new object begins with', () => {
    const spec = { volumeName: 'pv', storageClassName: 'fast' };
    const object = { metadata: { name: 'data' }, spec, status: { phase: 'Bound' } };
    const create = { verb: 'create', apiVersion: 'v1', name: 'data', object };
    expect(factsAfter(undefined, { ...create, kind: 'PersistentVolumeClaim' })).toEqual({
      facts: { volumeName: 'pv', storageClassName: 'fast', phase: 'Pending' },
      finalizers: ['kubernetes.io/pvc-protection'],
    });
    const deployed = { metadata: { name: 'web', generation: 7 }, spec: { replicas: 2 } };
    const ofNew = { ...ofWeb, verb: 'create', object: deployed };
    expect(factsAfter(undefined, ofNew).facts).toEqual({ generation: 1, replicas: 2 });
  });

  test('is the health of a new Node', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const spec = { providerID: 'cloud://new' };
    const object = { metadata: { name: 'new' }, spec, status: { conditions } };
    const create = { verb: 'create', apiVersion: 'v1', kind: 'Node', name: 'new', object };
    expect(factsAfter(undefined, create).facts).toEqual({
      conditions,
      providerID: 'cloud://new',
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    });
  });

  test('replaces the spec where the whole object is sent', () => {
    const before = claim('data', { facts: { volumeName: 'pv', phase: 'Bound' } });
    const object = { metadata: { name: 'data' }, spec: { storageClassName: 'slow' } };
    const update = { verb: 'update', apiVersion: 'v1', name: 'data', object };
    expect(factsAfter(before, { ...update, kind: 'PersistentVolumeClaim' }).facts).toEqual({
      storageClassName: 'slow',
      phase: 'Bound',
    });
    const bare = {
      ...update,
      kind: 'Node',
      name: 'a',
      object: { metadata: { name: 'a' }, spec: {} },
    };
    const cordoned = node('a', { facts: { unschedulable: true } });
    expect(factsAfter(cordoned, bare).facts).toEqual({ taints: [] });
  });
});
