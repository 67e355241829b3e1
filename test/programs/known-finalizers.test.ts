import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { finalizerTable } from '../../src/programs/finalizer-table.ts';
import {
  type KnownFinalizer,
  knownFinalizer,
  knownFinalizers,
} from '../../src/programs/known-finalizers.ts';
import { enabledControllers } from '../../src/settings/enabled-controllers.ts';

const page = fileURLToPath(new URL('../../docs/finalizers.md', import.meta.url));
const table = /(?<=<!-- table -->\n)[\s\S]*?(?=<!-- end -->)/;

function rowOf({ name, kind, setBy, protects, removedWhen, source }: KnownFinalizer): string {
  return `| \`${name}\`${kind ? ` on ${kind}` : ''} | ${setBy.title} | ${protects} | ${removedWhen} | [source](${source}) |\n`;
}

describe('the known finalizers', () => {
  test('are many, and each has one entry', () => {
    const names = knownFinalizers().map(({ name, kind }) => `${name} ${kind}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(60);
  });

  test('stand in the documentation as they are here', async () => {
    const rows = knownFinalizers().map(rowOf).join('');
    const text = `| finalizer | set by | protects | is removed when | |\n| --- | --- | --- | --- | --- |\n${rows}`;
    const before = readFileSync(page, 'utf8');
    expect(before).toMatch(table);
    await expect(before.replace(table, () => text)).toMatchFileSnapshot(page);
  });

  test('name where each can be read, on a page that stands beside its own program', () => {
    const programs = finalizerTable.split('\n').filter((line) => /^[^ #]/.test(line));
    expect(programs.filter((line) => !/ \| (k8s:\/|https:\/\/)\S+$/.test(line))).toEqual([]);
    const page = /^https:\/\/[a-z0-9.-]+\/\S+$/;
    expect(knownFinalizers().filter(({ source }) => !page.test(source))).toEqual([]);
  });

  test('name controllers that kube-controller-manager has', () => {
    const named = knownFinalizers().flatMap(({ setBy }) => setBy.controllerName ?? []);
    expect(named.length).toBeGreaterThan(0);
    // An unknown name would be refused.
    expect(named.map((name) => enabledControllers([name])(name))).toEqual(named.map(() => true));
  });

  test('say where to look for the program, unless its name cannot be known', () => {
    const unnamed = knownFinalizers().filter(
      ({ setBy }) => setBy.runsIn === 'workload' && !setBy.names?.length,
    );
    expect(unnamed.map(({ name }) => name)).toEqual(['kopf.zalando.org/KopfFinalizerMarker']);
  });
});

describe('knownFinalizer', () => {
  test.each([
    ['foregroundDeletion', 'foregroundDeletion'],
    ['kubernetes.io/pvc-protection', 'kubernetes.io/pvc-protection'],
    ['external-attacher/ebs-csi-aws-com', 'external-attacher/*'],
    ['finalizers.s3.services.k8s.aws/Bucket', 'finalizers.*.services.k8s.aws/*'],
    ['resources-finalizer.argocd.argoproj.io', 'resources-finalizer.argocd.argoproj.io*'],
    [
      'resources-finalizer.argocd.argoproj.io/background',
      'resources-finalizer.argocd.argoproj.io*',
    ],
    ['ceph.rook.io/disaster-protection', 'ceph.rook.io/disaster-protection'],
    ['cephblockpool.ceph.rook.io', '*.ceph.rook.io'],
    ['cluster.x-k8s.io/machineset', 'cluster.x-k8s.io/*'],
    ['machine.cluster.x-k8s.io', 'machine.cluster.x-k8s.io'],
    ['awscluster.infrastructure.cluster.x-k8s.io', '*.infrastructure.cluster.x-k8s.io'],
    ['wrangler.cattle.io/cluster-agent', 'wrangler.cattle.io/*'],
    ['infrastructure.cluster.x-k8s.io/hcloudmachine', 'infrastructure.cluster.x-k8s.io/*'],
    ['machinepool.cluster.x-k8s.io', 'machinepool.cluster.x-k8s.io'],
  ])('%s is %s', (name, entry) => {
    expect(knownFinalizer(name)?.name).toBe(entry);
  });

  test.each([
    'apps.victoriametrics.com/finalizer',
    'workflows.argoproj.io/status',
    'karpenter.k8s.aws/termination',
    'ephemeralrunner.actions.github.com/finalizer',
    'chaos-mesh/records',
    'lvm.openebs.io/finalizer',
    'finalizers.tf.contrib.fluxcd.io',
    'postgres-operator.crunchydata.com/finalizer',
    'cluster.open-cluster-management.io/manifest-work-cleanup',
    'mysql.oracle.com/membership',
    'scheduling.k8s.io/compositepodgroup-protection',
  ])('names the program of %s, and where to look for it', (name) => {
    const { setBy, removedWhen } = knownFinalizer(name) ?? expect.fail();
    const place = setBy.runsIn === 'workload' ? setBy.names : setBy.controllerName;
    expect([place?.length, removedWhen]).not.toContain(0);
    expect(place).toBeDefined();
  });

  test('says of a kind what counts for that kind alone', () => {
    const titles = ['Application', 'AppProject', 'ApplicationSet'].map(
      (kind) => knownFinalizer('resources-finalizer.argocd.argoproj.io', { kind })?.removedWhen,
    );
    expect(new Set(titles).size).toBe(3);
    expect(titles[0]).toBe(knownFinalizer('resources-finalizer.argocd.argoproj.io')?.removedWhen);
  });

  test.each(['example.com/unknown', 'foregrounddeletion', 'x/kubernetes.io/pvc-protection', ''])(
    'does not know "%s"',
    (name) => {
      expect(knownFinalizer(name)).toBeUndefined();
    },
  );
});
