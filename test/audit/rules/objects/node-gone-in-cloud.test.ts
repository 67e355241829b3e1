import { expect, test } from 'vitest';
import { nodeGoneInCloud } from '../../../../src/audit/rules/nodes.ts';
import { node, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const worker = (status: string, since = '2026-01-02T12:00:00Z', changes: object = {}) =>
  node('worker-7', {
    facts: {
      providerID: 'aws:///eu-central-1a/i-0c58',
      conditions: [{ type: 'Ready', status, lastTransitionTime: since }],
      ...changes,
    },
  });

test('reports a Node of a cloud whose kubelet has stopped reporting', () => {
  const web = pod('web', { facts: { nodeName: 'worker-7' } });
  expect(violationsOf(nodeGoneInCloud, [worker('Unknown'), web])).toEqual([
    {
      at: 'Node worker-7',
      message:
        'its kubelet has said nothing for 12h; the machine is aws:///eu-central-1a/i-0c58; pods bound to it that were read: 1',
      command: 'kubectl delete node/worker-7',
      confidence: 'likely',
    },
  ]);
});

const shutdown = [{ key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' }];
test.each([
  ['is Ready', worker('True')],
  ['has a kubelet that says it is not', worker('False')],
  ['is silent for minutes', worker('Unknown', '2026-01-02T23:30:00Z')],
  ['is shut down', worker('Unknown', undefined, { taints: shutdown })],
  ['is of no cloud', worker('Unknown', undefined, { providerID: undefined })],
])('a Node is left alone that %s', (_, record) => {
  expect(violationsOf(nodeGoneInCloud, [record])).toEqual([]);
});
