import { expect, test } from 'vitest';
import {
  bearerOf,
  crashLoopingPods,
  crashLoopsInWords,
} from '../../../src/controllers/finalizers/program-life.ts';
import { builderOf, type Details, node, ownedBy, pod } from '../../support/builders.ts';

const deployment = builderOf('apps/v1', 'Deployment')('db');
const replicaSet = builderOf('apps/v1', 'ReplicaSet')('db-5d8f7');
const daemonSet = builderOf('apps/v1', 'DaemonSet')('db');
const by = { controller: true };

function looping(name: string, details: Details = {}, ...reasons: (string | undefined)[]) {
  const containerStatuses = [...reasons, 'CrashLoopBackOff'].map((waitingReason, index) => ({
    name: `c${index}`,
    ...(waitingReason !== undefined && { waitingReason }),
  }));
  return pod(name, { facts: { containerStatuses }, ...details });
}

/** A first init container has ended well, and the next one, or a sidecar, ends again and again. */
const initializing = (name: string, details: Details = {}) =>
  pod(name, {
    facts: {
      containerStatuses: [{ name: 'c', waitingReason: 'PodInitializing' }],
      initContainerStatuses: [
        { name: 'first', exitCode: 0 },
        { name: 'second', waitingReason: 'CrashLoopBackOff' },
      ],
    },
    ...details,
  });

const ofDeployment = {
  labels: { 'pod-template-hash': '5d8f7' },
  ownerReferences: [ownedBy(replicaSet, by)],
};

test('a pod is of its controller, and a ReplicaSet is of a Deployment where its name ends with the hash', () => {
  const bearers = [
    ofDeployment,
    { ownerReferences: [ownedBy(replicaSet, by)] },
    { ...ofDeployment, labels: { 'pod-template-hash': 'db' } },
    { ...ofDeployment, ownerReferences: [{ ...ownedBy(replicaSet, by), kind: 'Rollout' }] },
    { ownerReferences: [ownedBy(replicaSet), ownedBy(daemonSet, by)] },
    { ...ofDeployment, ownerReferences: [ownedBy(replicaSet)] },
  ].map((details) => bearerOf(pod('p', details)));
  expect(bearers.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'Deployment db',
    'ReplicaSet db-5d8f7',
    'ReplicaSet db-5d8f7',
    'Rollout db-5d8f7',
    'DaemonSet db',
    'Pod p',
  ]);
});

test('of a workload, those pods are found that have a container in CrashLoopBackOff', () => {
  const pods = [
    looping('own', ofDeployment),
    looping('beside-others', ofDeployment, undefined, 'ContainerCreating'),
    initializing('at-its-start', ofDeployment),
    pod('in-init', {
      ...ofDeployment,
      facts: { initContainerStatuses: [{ name: 'i', waitingReason: 'PodInitializing' }] },
    }),
    pod('waiting', {
      ...ofDeployment,
      facts: { containerStatuses: [{ name: 'c', waitingReason: 'ContainerCreating' }] },
    }),
    pod('unread', ofDeployment),
    looping('elsewhere', { ...ofDeployment, namespace: 'other' }),
    looping('of-daemonset', { ownerReferences: [ownedBy(daemonSet, by)] }),
    looping('of-other-deployment', {
      ...ofDeployment,
      ownerReferences: [{ ...ownedBy(replicaSet, by), name: 'cache-5d8f7' }],
    }),
    looping('of-other', { ownerReferences: [ownedBy(replicaSet, by)] }),
    node('db'),
  ];
  expect(crashLoopingPods(deployment, pods).map(({ name }) => name)).toEqual([
    'own',
    'beside-others',
    'at-its-start',
  ]);
  const bare = looping('bare');
  expect(crashLoopingPods(bare, [...pods, bare])).toEqual([bare]);
});

test('three of them are named, as kubectl calls their status', () => {
  const pods = [looping('a'), initializing('b'), looping('c'), looping('d')];
  expect([crashLoopsInWords([]), crashLoopsInWords(pods)]).toEqual([
    '',
    '; Pod a is in CrashLoopBackOff; Pod b is in Init:CrashLoopBackOff; Pod c is in CrashLoopBackOff',
  ]);
});
