import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Taint } from '../../../src/kube/facts/node.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { node } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { type Request, serveAlone } from '../api-server/api-server-alone.ts';

const old: Taint = { key: 'old', value: 'x', effect: 'NoSchedule' };
const web = node('web', { facts: { taints: [old] } });

function serve(records: readonly ObjectRecord[], request: Request) {
  const address = { apiVersion: 'v1', kind: 'Node', name: 'web' };
  const { replies, objects } = serveAlone(records, { ...address, ...request });
  return {
    replies: replies.map(({ code, message }) => (message === undefined ? code : [code, message])),
    taints: objects.map(({ facts }) => facts?.taints),
  };
}

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
    expect(serve([web], sent)).toEqual({ replies: [200], taints: [left] });
  });

  test('that creates it makes it not ready', () => {
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const create = (object: object) => serve([], { verb: 'create', object }).taints;
    expect(create({ metadata: { name: 'web' } })).toEqual([[notReady]]);
    const spec = { taints: [old] };
    expect(create({ metadata: { name: 'web' }, spec })).toEqual([[old, notReady]]);
    const has = { taints: [{ ...notReady, value: 'x' }, old] };
    expect(create({ metadata: { name: 'web' }, spec: has })).toEqual([has.taints]);
  });

  // The other rules: test/simulator/api-server/upstream-validation.test.ts.
  test('is refused with a taint that no Node may have', () => {
    const patch = { spec: { taints: [{ key: 'a' }] } };
    const why = 'metadata.taints[0].effect: Required value';
    expect(serve([web], { verb: 'patch', patch })).toEqual({
      replies: [[422, `Node "web" is invalid: ${why}`]],
      taints: [[old]],
    });
  });
});
