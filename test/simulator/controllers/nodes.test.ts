import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { requestsOf } from '../../../src/commands/simulate/simulated-requests.ts';
import type { Taint } from '../../../src/kube/facts/node.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { parseRequests } from '../../../src/simulator/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { node, ownedBy, pod, snapshotOf } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
const old: Taint = { key: 'old', value: 'x', effect: 'NoSchedule' };
const web = node('web', { facts: { taints: [old] } });
const address = { apiVersion: 'v1', kind: 'Node', name: 'web' };

/** By an API server alone. */
function serve(records: readonly ObjectRecord[], requests: readonly SimulatedRequest[]) {
  const { replies, objects } = simulate(
    snapshotOf(records),
    requests,
    { controllers: [] },
    { now },
  );
  return {
    replies: replies.map(({ code, message }) => (message === undefined ? code : [code, message])),
    taints: objects.map(({ facts }) => facts?.taints),
  };
}

const asked = (...requests: object[]) =>
  parseRequests(
    requests.map((request) => ({ ...address, ...request })),
    'requests',
  );

describe('--delete-node', () => {
  test('is a DELETE of the Node, with the policy of --cascade', () => {
    const flags = { 'delete-node': ['web', 'db'], cascade: 'foreground', namespace: 'shop' };
    const request = {
      verb: 'delete',
      apiVersion: 'v1',
      kind: 'Node',
      namespace: '',
      after: 0,
      options: { propagationPolicy: 'Foreground' },
    };
    expect(requestsOf(flags, snapshotOf([]), 'default')).toEqual([
      { ...request, name: 'web' },
      { ...request, name: 'db' },
    ]);
  });

  test('removes it, and gets a 404 where it is not', () => {
    const requests = requestsOf({ 'delete-node': ['web', 'web'] }, snapshotOf([web]), 'default');
    expect(serve([web], requests)).toEqual({
      replies: [200, [404, 'nodes "web" not found']],
      taints: [],
    });
  });
});

describe('a Node that goes', () => {
  const facts = { nodeName: 'web', terminationGracePeriodSeconds: 30 };
  const bound = pod('bound', { facts });
  const mirror = pod('mirror', { facts, ownerReferences: [ownedBy(web)] });
  const remove = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'bound' };

  test.each<[string, readonly ObjectRecord[]]>([
    ['the only one', [web, bound, mirror]],
    ['beside another', [web, node('db'), bound, mirror]],
    ['without dependents', [web, node('db'), bound]],
  ])('leaves nobody to confirm the deletion of its pods: %s', (_, records) => {
    const requests = [
      ...requestsOf({ 'delete-node': ['web'] }, snapshotOf([]), 'default'),
      ...parseRequests([{ ...remove, verb: 'delete' }], 'requests'),
    ];
    const controllers = ['garbage-collector-controller', 'namespace-controller'];
    const settings = { controllers };
    const { stuck, undetermined } = simulate(snapshotOf(records), requests, settings, { now });
    const nobody =
      'its node web does not exist, so no kubelet confirms that its containers have stopped';
    const told = stuck.map(({ object, because }) => [object.name, because]);
    const pods = records.filter((record) => record.type.kind === 'Pod');
    expect({ told, undetermined }).toEqual({
      told: pods.map(({ name }) => [name, nobody]),
      undetermined: [],
    });
  });
});

describe('a request to a Node', () => {
  const taints = [{ key: 'a', effect: 'NoSchedule' }];

  const rows = rowsOf(`
    a merge patch             | {verb: patch, patch: {spec: {taints: [A]}}}                         | A
    a strategic patch         | {verb: patch, patchType: strategic, patch: {spec: {taints: [A]}}}   | A
    a JSON patch              | {verb: patch, patchType: json, patch: [{op: add, path: /spec/taints/-, value: A}]} | old A
    a patch without them      | {verb: patch, patch: {spec: {taints: null}}}                        |
    a patch of something else | {verb: patch, patch: {metadata: {labels: {}}}}                      | old
    an update                 | {verb: update, object: {spec: {taints: [A]}}}                       | A
    an update without them    | {verb: update, object: {spec: {}}}                                  |
  `);
  test.each(rows)('changes its taints: %s', (_, request = '', names = '') => {
    const left = names.split(' ').flatMap((name) => ({ old, A: taints[0] })[name] ?? []);
    const sent = parse(request.replace('A', '{key: a, effect: NoSchedule}'));
    expect(serve([web], asked(sent))).toEqual({ replies: [200], taints: [left] });
  });

  test('that is not there gets a 404', () => {
    const patch = { spec: { taints } };
    expect(serve([], asked({ verb: 'patch', patch })).replies).toEqual([
      [404, 'nodes "web" not found'],
    ]);
  });

  test('that creates it makes it not ready', () => {
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const create = (object: object) => serve([], asked({ verb: 'create', object })).taints;
    expect(create({ metadata: { name: 'web' } })).toEqual([[notReady]]);
    const spec = { taints: [old] };
    expect(create({ metadata: { name: 'web' }, spec })).toEqual([[old, notReady]]);
    const has = { taints: [{ ...notReady, value: 'x' }, old] };
    expect(create({ metadata: { name: 'web' }, spec: has })).toEqual([has.taints]);
  });

  const refused = rowsOf(`
    {key: a, effect: Sometimes}
        | taints[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"
    {key: a}                                 | taints[0].effect: Required value
    {key: a, effect: NoSchedule}, {key: a, value: b, effect: NoSchedule}
        | taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair
    {key: a/b/c, effect: NoSchedule}
        | taints[0].key: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')
    {key: a, value: '-', effect: NoSchedule}
        | taints[0].value: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
  `);
  test.each(refused)('is refused with the taints %s', (wrong = '', why) => {
    const patch = { spec: { taints: parse(`[${wrong}]`) } };
    expect(serve([web], asked({ verb: 'patch', patch }))).toEqual({
      replies: [[422, `Node "web" is invalid: metadata.${why}`]],
      taints: [[old]],
    });
  });
});
