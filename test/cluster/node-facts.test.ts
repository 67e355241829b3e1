import { expect, test } from 'vitest';
import { decodeItem } from '../../src/cluster/protobuf/decode-item.ts';
import { StringPool } from '../../src/cluster/protobuf/string-pool.ts';
import { WireReader } from '../../src/cluster/protobuf/wire-reader.ts';
import type { ObjectFacts } from '../../src/kube/object-record.ts';
import { builtIn } from './built-in.ts';
import { delimited, number } from './wire-writer.ts';

const time = delimited(4, Buffer.concat([number(1, 1_767_225_600), number(2, 0)]));
const first = [delimited(1, 'a'), delimited(2, 'b'), delimited(3, 'NoSchedule')];
const second = [delimited(1, 'c'), delimited(2, ''), delimited(3, 'NoExecute'), time];
const taints = [first, second].map((fields) => delimited(5, Buffer.concat(fields)));
const podCIDR = delimited(1, '10.0.0.0/24');
// NodeStatus has a map of quantities where other statuses have a phase.
const status = delimited(3, delimited(1, 'cpu'));

test.each<[string, Buffer[], ObjectFacts | undefined]>([
  ['without any', [delimited(2, podCIDR), status], { taints: [] }],
  ['read as metadata', [], undefined],
  [
    'with two',
    [delimited(2, Buffer.concat([podCIDR, ...taints])), status],
    {
      taints: [
        { key: 'a', value: 'b', effect: 'NoSchedule' },
        { key: 'c', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
      ],
    },
  ],
])('the taints of a Node %s', (_, rest, facts) => {
  const bytes = Buffer.concat([delimited(1, delimited(1, 'worker')), ...rest]);
  const record = decodeItem(new WireReader(bytes), builtIn('nodes'), new StringPool(16));
  expect([record.name, record.facts]).toEqual(['worker', facts]);
});
