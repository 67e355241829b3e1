import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { lackingKinds } from '../../../src/snapshot/coverage.ts';
import { kindsNotInInput } from '../../../src/snapshot/graph/kinds-not-in-input.ts';
import {
  builderOf,
  configMap,
  deployment,
  job,
  node,
  pod,
  replicaSet,
  type SnapshotOptions,
  snapshotOf,
  widget,
} from '../../support/builders.ts';

const service = builderOf('v1', 'Service');
const serviceAccount = builderOf('v1', 'ServiceAccount');
const namespace = builderOf('v1', 'Namespace');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const cronJob = builderOf('batch/v1', 'CronJob');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const gadget = builderOf('example.com/v1', 'Gadget');
const files = { kind: 'files', paths: ['x'] } as const;

/** What a file lacks that holds these kinds only. */
function lacking(
  owners: readonly ObjectRecord[],
  { held = [], follows = true, ...options }: SnapshotOptions & Held = {},
): string[] {
  const read = held.map((resource) => ({ resource }));
  const snapshot = snapshotOf(owners, { origin: files, coverage: { read }, ...options });
  return kindsNotInInput(snapshot, owners, follows).map(({ resource = '' }) => resource);
}

interface Held {
  readonly held?: readonly string[];
  readonly follows?: boolean;
}

describe('kinds that are not in the input and may hold dependents', () => {
  test.each([
    [deployment('web'), ['replicasets.apps', 'pods']],
    [replicaSet('web-1'), ['pods']],
    [statefulSet('db'), ['pods', 'controllerrevisions.apps']],
    [daemonSet('log'), ['pods', 'controllerrevisions.apps']],
    [cronJob('tidy'), ['jobs.batch', 'pods']],
    [job('tidy-1'), ['pods']],
    [service('web'), ['endpointslices.discovery.k8s.io', 'endpoints']],
    [serviceAccount('web'), ['secrets']],
    [node('n1'), ['pods', 'leases.coordination.k8s.io', 'csinodes.storage.k8s.io']],
    [pod('web-1-a'), []],
    [configMap('web'), []],
  ])('%#: those that Kubernetes makes for $type.kind', (owner, kinds) => {
    expect(lacking([owner]).slice(0, kinds.length)).toEqual(kinds);
  });

  test('are all kinds in its scope for what is deleted, as an operator may name it as an owner', () => {
    const kinds = lacking([configMap('web')]);
    expect(kinds).toEqual(expect.arrayContaining(['pods', 'secrets', 'widgets.example.com']));
    expect(kinds).not.toContain('nodes');
    expect(lacking([configMap('web')], { follows: false })).toEqual([]);
  });

  test('are named in the words of the first owner, once', () => {
    const owners = [deployment('web'), deployment('api')];
    const snapshot = snapshotOf(owners, { origin: files, coverage: { read: [] } });
    const problems = kindsNotInInput(snapshot, owners, false);
    expect(problems.map(({ reason, resource }) => [reason, resource])).toEqual([
      ['not-in-input', 'replicasets.apps'],
      ['not-in-input', 'pods'],
    ]);
    expect(problems.map(({ message }) => message).join('\n')).toMatchInlineSnapshot(`
      "the input has no replicasets.apps, and Deployment web may have some
      the input has no pods, and Deployment web may have some"
    `);
  });

  test('are none where an object of each is there, and only those that an object leads to', () => {
    const follows = false;
    const held = ['replicasets.apps'];
    expect(lacking([deployment('web')], { held, follows })).toEqual([]);
    expect(lacking([deployment('web'), replicaSet('a')], { held, follows })).toEqual(['pods']);
    expect(lacking([deployment('web')], { held: ['pods'], follows })).toEqual(['replicasets.apps']);
  });

  test('are not reported again where reading them failed', () => {
    const problem = { reason: 'truncated', message: 'cut off', resource: 'pods' } as const;
    expect(lacking([job('j')], { coverage: { read: [], problems: [problem] } })).not.toContain(
      'pods',
    );
  });

  test('are claims where a StatefulSet or a pod says so', () => {
    const whenDeleted = (value: string) => ({
      facts: { persistentVolumeClaimRetentionPolicy: { whenDeleted: value } },
    });
    const [held, follows] = [['pods', 'controllerrevisions.apps'], false];
    expect(lacking([statefulSet('db', whenDeleted('Delete'))], { held, follows })).toEqual([
      'persistentvolumeclaims',
    ]);
    expect(lacking([statefulSet('db', whenDeleted('Retain'))], { held, follows })).toEqual([]);
    const volumes = [{ name: 'scratch', ephemeral: true as const }];
    expect(lacking([pod('a', { facts: { nodeName: '', volumes } })], { follows })).toEqual([
      'persistentvolumeclaims',
    ]);
  });

  test('are all kinds in its scope for a custom resource, as an operator makes what it likes', () => {
    const namespaced = lacking([widget('w')]);
    expect(namespaced).toContain('statefulsets.apps');
    expect(namespaced).not.toContain('clusterroles.rbac.authorization.k8s.io');
    expect(namespaced).not.toContain('events');
    expect(lacking([gadget('g')])).toContain('clusterroles.rbac.authorization.k8s.io');
  });

  test('are all namespaced kinds for a namespace, and the instances for a definition', () => {
    const inNamespace = lacking([namespace('shop')]);
    expect(inNamespace).toContain('secrets');
    expect(inNamespace).not.toContain('nodes');
    expect(lacking([definition('widgets.example.com')])).toContain('widgets.example.com');
    const read = [{ resource: 'secrets', namespaces: ['shop'] }];
    expect(lacking([namespace('shop')], { coverage: { read } })).not.toContain('secrets');
    expect(lacking([namespace('other')], { coverage: { read } })).toContain('secrets');
  });

  test('are kinds that the input shows in other namespaces, whose number is a lower bound, too', () => {
    const owner = deployment('web');
    const elsewhere = [{ ...replicaSet('api-1'), namespace: 'bank' }];
    const read = [{ resource: 'replicasets.apps', namespaces: ['bank'] }];
    const snapshot = snapshotOf([owner, ...elsewhere], { origin: files, coverage: { read } });
    const problems = kindsNotInInput(snapshot, [owner], false);
    expect(problems.map(({ resource }) => resource)).toEqual(['replicasets.apps', 'pods']);
    const words = [lackingKinds(problems), lackingKinds(problems.slice(1))];
    expect(words.join('\n')).toMatchInlineSnapshot(`
      "the input does not show all replicasets.apps, pods
      the input has no pods"
    `);
  });

  test('are not the Leases of Nodes where their namespace was read', () => {
    const held = ['pods', 'csinodes.storage.k8s.io'].map((resource) => ({ resource }));
    const leasesIn = (namespace: string) => ({
      follows: false,
      coverage: {
        read: [...held, { resource: 'leases.coordination.k8s.io', namespaces: [namespace] }],
      },
    });
    expect(lacking([node('n1')], leasesIn('kube-node-lease'))).toEqual([]);
    expect(lacking([node('n1')], leasesIn('shop'))).toEqual(['leases.coordination.k8s.io']);
  });

  test('are those with owner references alone for a tree', () => {
    const follows = false;
    expect(lacking([service('web')], { follows })).toEqual(['endpointslices.discovery.k8s.io']);
    expect(lacking([serviceAccount('web'), namespace('shop')], { follows })).toEqual([]);
  });

  test('are no question on a cluster: what was not listed is a problem there already', () => {
    expect(lacking([deployment('web')], { origin: { kind: 'cluster', server: '' } })).toEqual([]);
  });
});
