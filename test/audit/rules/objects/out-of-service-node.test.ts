import { expect, test } from 'vitest';
import { outOfServiceNode } from '../../../../src/audit/rules/nodes.ts';
import { node, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const worker = (ready: string, key = 'node.kubernetes.io/out-of-service', effect = 'NoSchedule') =>
  node('worker-7', {
    facts: {
      taints: [{ key, effect }],
      conditions: [{ type: 'Ready', status: ready }],
    },
  });
const web = pod('web', { facts: { nodeName: 'worker-7' } });

test('a Node is Ready and out of service', () => {
  const found = {
    at: 'Node worker-7',
    message:
      'it is Ready and has the taint node.kubernetes.io/out-of-service:NoSchedule; pods on it that were read: 1',
    command: 'kubectl taint nodes worker-7 node.kubernetes.io/out-of-service-',
  };
  expect(violationsOf(outOfServiceNode, [worker('True'), web])).toEqual([found]);
  const evicting = worker('True', undefined, 'NoExecute');
  expect(violationsOf(outOfServiceNode, [evicting])).toMatchObject([
    {
      consequence:
        'pods that do not tolerate the taint are deleted from the Node; when it is not ready for a moment, they are force-deleted while they still run',
    },
  ]);
});

test.each([
  ['is not Ready', worker('Unknown')],
  ['has another taint', worker('True', 'example.com/gpu')],
  ['says nothing', node('worker-7', { facts: {} })],
])('a Node is left alone that %s', (_, record) => {
  expect(violationsOf(outOfServiceNode, [record])).toEqual([]);
});
