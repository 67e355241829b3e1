import { expect, test } from 'vitest';
import { defaultKubeletSettings } from '../../src/kubelet/configuration/kubelet-settings.ts';
import type { NodeFacts } from '../../src/kubelet/node-facts.ts';
import { decodeNodes, encodeNodes } from '../../src/kubelet/saved-nodes.ts';

const whole: NodeFacts = {
  node: 'worker-1',
  observedAt: '2026-01-03T00:00:00.000Z',
  settings: { ...defaultKubeletSettings, evictionSoft: { 'nodefs.available': '20%' } },
  settingsSource: 'configz',
  containerSettingsSource: 'flagz',
  images: [
    {
      id: 'sha256:a',
      names: ['web:1'],
      size: 7,
      pinned: true,
      lastUsed: 'never',
      firstDetected: 3,
    },
    { id: undefined, names: [], size: 0, pinned: undefined },
  ],
  imagesSource: 'api',
  imagesCappedAt: 50,
  containers: [
    {
      id: 'c1',
      name: 'web',
      podUid: 'u',
      sandboxId: 's',
      pod: 'shop/web',
      state: 'exited',
      createdAt: 1.5,
      imageRefs: ['web:1'],
      withoutId: true,
    },
  ],
  containersSource: 'runtime',
  sandboxes: [{ id: 's', podUid: 'u', pod: 'shop/web', ready: false, createdAt: 1 }],
  pods: [
    {
      uid: 'u',
      namespace: 'shop',
      name: 'web',
      phase: 'Running',
      reason: '',
      deleting: false,
      mountedImages: ['data:1'],
      unreported: [{ name: 'web', image: 'web:2' }],
    },
  ],
  imageFs: { capacityBytes: 10, availableBytes: undefined },
  reports: [
    { kind: 'Event', name: 'ImageGCFailed', time: '', message: 'no', reportedBy: 'kubelet' },
  ],
  observations: { 'nodefs.available': { available: 1, capacity: 2 } },
  layout: 'one-filesystem',
  kubeletStarted: 5,
  problems: [{ reason: 'unavailable', message: 'no answer', resource: 'nodes' }],
};
const bare: NodeFacts = {
  node: 'worker-2',
  observedAt: '2026-01-03T00:00:00.000Z',
  settings: defaultKubeletSettings,
  settingsSource: 'defaults',
  containerSettingsSource: 'defaults',
  images: undefined,
  imagesSource: undefined,
  imagesCappedAt: undefined,
  containers: undefined,
  containersSource: undefined,
  sandboxes: undefined,
  pods: undefined,
  imageFs: undefined,
  reports: [],
  observations: {},
  layout: undefined,
  kubeletStarted: undefined,
  problems: [],
};

test('saved nodes are read again as they were; what was not read is not empty', () => {
  expect(decodeNodes(encodeNodes([whole, bare]))).toEqual([whole, bare]);
});

test.each([
  [{}, '.node is missing'],
  [{ ...bare, settings: {} }, '.settings.images is missing'],
  [{ ...bare, images: [{ names: ['web:1'] }] }, '.images[0].size is missing'],
  [{ ...bare, containers: [{ id: 'c1' }] }, '.containers[0].name is missing'],
  [{ ...bare, containers: 'none' }, '.containers is "none", not a list'],
  [{ ...bare, pods: [{ uid: 'u' }] }, '.pods[0].namespace is missing'],
  [{ ...bare, reports: [{ name: 'ImageGCFailed' }] }, '.reports[0].kind is missing'],
  [{ ...bare, sandboxes: [{ id: 's' }] }, '.sandboxes[0].podUid is missing'],
])('refuses invalid nodes: %j', (json, fault) => {
  expect(() => decodeNodes([json])).toThrow(`its evidence.nodes[0]${fault}`);
});
