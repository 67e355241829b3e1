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
    expect(serve([web], { verb: 'patch', patch })).toEqual({
      replies: [[422, `Node "web" is invalid: metadata.${why}`]],
      taints: [[old]],
    });
  });
});
