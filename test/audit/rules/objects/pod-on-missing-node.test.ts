import { expect, test } from 'vitest';
import { podOnMissingNode } from '../../../../src/audit/rules/pods.ts';
import { type Details, node, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const web = (details: Details = {}) =>
  pod('web-1', { facts: { nodeName: 'worker-7', phase: 'Running' }, ...details });

test('a pod is bound to a Node that is gone', () => {
  const found = {
    at: 'Pod web-1',
    message: 'Node worker-7 does not exist; the pod is Running there',
    command: 'kubectl delete pod/web-1 -n shop --grace-period=0 --force',
  };
  expect(violationsOf(podOnMissingNode, [web()])).toEqual([found]);
  const settings = { controllers: ['*', '-pod-garbage-collector-controller'] };
  const consequence = 'never collected: pod-garbage-collector-controller is switched off';
  expect(violationsOf(podOnMissingNode, [web()], { settings })).toEqual([
    { ...found, consequence },
  ]);
});

test.each([
  ['its Node exists', [web(), node('worker-7')]],
  ['it is bound to none', [web({ facts: { nodeName: '', phase: 'Pending' } })]],
  ['it was never applied', [web({ uid: '' })]],
])('a pod is left alone: %s', (_, records) => {
  expect(violationsOf(podOnMissingNode, records)).toEqual([]);
});

test('is not checked while Nodes were not read', () => {
  expect(violationsOf(podOnMissingNode, [web()], { unread: ['nodes'] })).toEqual([
    { notChecked: 1, because: 'nodes were not read' },
  ]);
});
