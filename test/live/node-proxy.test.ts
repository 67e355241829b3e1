import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SettingsReport } from '../../src/questions/settings/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { askingOf } from '../support/asking.ts';
import { permit } from '../support/permissions.ts';
import { playedMinor } from '../support/played-minor.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ProxiedNodes } from './proxied-nodes.ts';

/** `images`, `containers` and `settings` through a real API server's node proxy. */
const folder = temporaryFolder();
const GiB = 2 ** 30;
const names = ['proxied-1', 'proxied-2', 'proxied-3'];
const silent = 'proxied-dead';
const nodes = await ProxiedNodes.start(folder);
const { plane } = nodes;
const { run: ask } = askingOf(plane);
const asked = () => nodes.asked();

beforeAll(async () => {
  for (const name of names) {
    const isFirst = name === 'proxied-1';
    const settings = {
      'proxied-2': { imageMaximumGCAge: '72h' },
      'proxied-3': { imageGCHighThresholdPercent: 83 },
    }[name];
    await nodes.add(name, 'proxied', {
      settings: settings ?? {},
      availableGiB: isFirst ? 5 : 30,
      hasPod: isFirst,
      started: Date.now() / 1000 - 3600,
    });
  }
  await nodes.add(silent, 'dead');
});
afterAll(() => nodes.stop());

interface Item {
  readonly names: readonly string[];
  readonly fate: string;
  readonly because: string;
}

describe('images of a node', () => {
  test('are judged from the answers of its kubelet', async () => {
    asked();
    const { code, stdout, stderr } = await ask('images proxied-1 -o json');
    expect([code, stderr]).toEqual([0, '']);
    const [node] = JSON.parse(stdout).nodes;
    expect(asked()).toEqual(['/configz', '/stats/summary', '/pods', '/flagz']);
    expect(node.sources).toEqual({ images: 'api', containers: 'api', settings: 'configz' });
    expect(node.disk).toEqual({
      capacityBytes: 40 * GiB,
      availableBytes: 5 * GiB,
      usedPercent: 88,
      triggersBelowBytes: Math.ceil(40 * GiB * 0.16),
    });
    expect(node.pass.bytesToFree).toBe(3 * GiB);
    expect(node.images.map((image: Item) => [image.names[0], image.fate, image.because])).toEqual([
      ['example.com/job:1', 'may-be-removed', 'unused, and the disk is above the high threshold'],
      ['example.com/web:1', 'may-be-removed', 'unused, and the disk is above the high threshold'],
      [
        'example.com/web:2',
        'kept',
        'in use by container web of shop/web-1, the dead container web of shop/web-1',
      ],
    ]);
    expect(node.eviction.thresholds).toMatchObject([
      { signal: 'imagefs.available', met: true },
      { signal: 'nodefs.available', met: false },
      { signal: 'containerfs.available', met: false },
    ]);
  });

  test('without permission for nodes/proxy it says what to do', async () => {
    await permit(plane, 'viewer', [
      { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list'] },
    ]);
    const viewer = plane.kubeconfigFor({ user: 'viewer' });
    asked();
    const { code, stdout, stderr } = await ask('images proxied-1 -o json', viewer);
    const { coverage, nodes } = JSON.parse(stdout);
    expect([code, asked(), nodes[0].sources.settings]).toEqual([0, [], 'defaults']);
    expect(coverage.problems).toMatchObject([{ reason: 'forbidden', resource: 'nodes/proxy' }]);
    expect(stderr).toContain(
      'reading it needs "get" on nodes/proxy; without it, save crictl output',
    );
    const nobody = plane.kubeconfigFor({ user: 'nobody' });
    const refused = await ask('images proxied-1', nobody);
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('cannot get node proxied-1: nodes "proxied-1" is forbidden');
  });
});

test('containers of a node, with the flags of its kubelet', async () => {
  const { code, stdout, stderr } = await ask('containers proxied-1 -o json');
  expect([code, stderr]).toEqual([0, '']);
  const [node] = JSON.parse(stdout).nodes;
  expect(node.sources).toEqual({ containers: 'api', settings: 'flagz' });
  expect(node.settings).toEqual({ minimumAgeSeconds: 0, maxPerPodContainer: 0, maxContainers: -1 });
  expect(
    node.containers.map(({ id, fate, reason }: Record<string, string>) => [id, fate, reason]),
  ).toEqual([
    ['c0', 'removed', 'limit-per-container'],
    ['c1', 'kept', 'running'],
  ]);
});

/** The document, checked against its schema. */
async function settings(line = ''): Promise<SettingsReport> {
  const { code, stdout, stderr } = await ask(`settings ${line} -o json`);
  expect(code, stderr).toBe(0);
  return validDocument('settings', stdout);
}

const unread = ({ coverage }: SettingsReport) =>
  coverage.problems.map(({ message }) => message).join('\n');

/** Value, source and instances of settings, by `component name`. */
function valuesOf({ items }: SettingsReport, ...names: readonly string[]) {
  return names.map((name) =>
    items
      .filter((item) => `${item.component} ${item.name}` === name)
      .map(({ value, source, instances }) => [value, source, instances.join(',')]),
  );
}

describe('settings of a cluster', () => {
  test('whose control plane is hidden: unknown, with the defaults beside it', async () => {
    const report = await settings();
    const hidden = [
      'kube-controller-manager terminatedPodGCThreshold',
      'kube-apiserver eventTTL',
      'kube-apiserver deleteCollectionWorkers',
      'kube-apiserver StorageVersionAPI',
    ];
    expect(valuesOf(report, ...hidden)).toEqual(hidden.map(() => [[undefined, 'unknown', '']]));
    const threshold = report.items.find(({ name }) => name === 'terminatedPodGCThreshold');
    expect([threshold?.default, threshold?.defaultOf]).toEqual([12500, `v1.${playedMinor}`]);
    expect(unread(report)).toContain(
      'no pod of kube-controller-manager was found in kube-system: its settings are unknown',
    );
  });

  test('whose kubelets differ: nodes are grouped by value, and a silent one is unknown', async () => {
    const report = await settings();
    const high = 'kubelet imageGCHighThresholdPercent';
    expect(valuesOf(report, high, 'kubelet evictionSoft')).toEqual([
      [
        [85, 'configz', 'proxied-1,proxied-2'],
        [83, 'configz', 'proxied-3'],
        [undefined, 'unknown', silent],
      ],
      [
        [{}, 'configz', names.join()],
        [undefined, 'unknown', silent],
      ],
    ]);
    expect(unread(report)).toContain(` of node ${silent} for /configz: `);
    const one = await settings('proxied-3 --collector image-gc');
    expect(valuesOf(one, high)).toEqual([[[83, 'configz', 'proxied-3']]]);
  });
});
