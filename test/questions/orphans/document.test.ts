import { describe, expect, test } from 'vitest';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { orphansReport, withSilentNodes } from '../../../src/questions/orphans/document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import {
  builderOf,
  clusterRole,
  configMap,
  graphOf,
  job,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
} from '../../support/builders.ts';
import { toolTypes } from '../../support/delivery.ts';

/** What a cluster tells and files do not; the rest is in the transcript of documents. */
function told(records: readonly ObjectRecord[], options: SnapshotOptions = {}): string[] {
  const { items } = orphansReport(graphOf(records, options), { unmanaged: true });
  return items.map(
    ({ object, owners, gc }) => `${object.name}: ${owners}, ${gc.action} ${gc.when}`,
  );
}

const live = replicaSet('live', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const frozen = ownedByGone('gone.example.com/v1 Gone it');
const unread = ownedByGone('v1 Secret vault');

test.each<readonly OwnerReference[]>([[frozen], [frozen, gone, unread, ownedBy(live)]])(
  'an unserved owner freezes its dependent, whatever other owners exist',
  (...references) => {
    const record = pod('web-1', { ownerReferences: references });
    expect(told([record, live], { unread: ['secrets'] })).toEqual([
      'web-1: unresolvable, frozen never',
    ]);
  },
);

test('what a Deployment and a Node left behind is listed among all orphans', () => {
  const labels = { 'pod-template-hash': '5c7d' };
  const lease = (name: string) =>
    builderOf('coordination.k8s.io/v1', 'Lease')(name, { namespace: 'kube-node-lease' });
  const records = [
    ...[replicaSet('left', { labels }), replicaSet('own')],
    ...[lease('gone'), lease('worker'), node('worker')],
  ];
  const listed = (options: SnapshotOptions = {}) =>
    orphansReport(graphOf(records, options)).items.map(({ object, owners }) => [
      object.name,
      owners,
    ]);
  expect(listed()).toEqual([
    ['gone', 'node-gone'],
    ['left', 'deployment-gone'],
  ]);
  expect(listed({ unread: ['nodes'] })).toEqual([['left', 'deployment-gone']]);
});

describe('what would be an orphan is none where it was not read', () => {
  const left = {
    'batch.kubernetes.io/controller-uid': 'uid-job-shop-import',
    'batch.kubernetes.io/job-name': 'import',
  };
  const helm = {
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  };
  const olm = {
    'olm.owner': 'widgets.v1',
    'olm.owner.namespace': 'shop',
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  const hook = job('left', {
    annotations: { 'helm.sh/hook': 'post-install' },
    labels: { 'app.kubernetes.io/instance': 'web' },
  });
  const issued = secret('left', { annotations: { 'cert-manager.io/certificate-name': 'site' } });
  test.each([
    ['secrets', hook, 'left: none, unowned never'],
    ['configmaps', hook, 'left: none, unowned never'],
    ['applications.argoproj.io', hook, 'left: none, unowned never'],
    ['certificates.cert-manager.io', issued, 'left: none, unowned never'],
    ['jobs.batch', pod('left', { labels: left }), 'left: none, unowned never'],
    ['secrets', configMap('left', { annotations: helm }), undefined],
    ['configmaps', configMap('left', { annotations: helm }), undefined],
    [
      'clusterserviceversions.operators.coreos.com',
      clusterRole('left', { labels: olm }),
      undefined,
    ],
  ])('whether its %s are there', (kind, left, expected) => {
    const types = { types: toolTypes };
    expect(told([left], types)).toEqual([
      expect.stringMatching(/^left: (job|release|operator|certificate)-gone/),
    ]);
    expect(told([left], { ...types, unread: [kind] })).toEqual(expected ? [expected] : []);
  });
});

test('what Kubernetes and Helm delete with their own is not listed, and a binding without subjects is', () => {
  const account = builderOf('v1', 'ServiceAccount');
  const binding = builderOf('rbac.authorization.k8s.io/v1', 'RoleBinding');
  const tokenOf = (name: string) => ({
    annotations: { 'kubernetes.io/service-account.name': name },
  });
  const subject = (name: string, kind = 'ServiceAccount') => ({ kind, name, namespace: 'shop' });
  const to = (...subjects: ReturnType<typeof subject>[]) => ({ facts: { subjects } });
  const records = [
    account('robot'),
    secret('token', tokenOf('robot')),
    secret('stray', tokenOf('gone')),
    secret('revision', { labels: { owner: 'helm', name: 'web' } }),
    binding('lost', to(subject('gone'), subject('gone-too'))),
    binding('half', to(subject('gone'), subject('robot'))),
    binding('people', to(subject('gone'), subject('dev', 'Group'))),
  ];
  const listed = (options?: SnapshotOptions) =>
    told(records, options).filter((line) => !line.startsWith('robot'));
  expect(listed()).toEqual([
    'half: none, unowned never',
    'lost: subjects-gone, unowned never',
    'people: none, unowned never',
    'stray: none, unowned never',
  ]);
  expect(listed({ unread: ['serviceaccounts'] })).toContain('lost: none, unowned never');
});

test('the Secret of a Certificate may be a leftover where the cluster serves no Certificates', () => {
  const issued = secret('left', { annotations: { 'cert-manager.io/certificate-name': 'site' } });
  expect(told([issued])).toEqual(['left: certificate-gone, unowned never']);
  const files = { origin: { kind: 'files', paths: [] } } as const;
  expect(told([issued], files)).toEqual(['left: none, unowned never']);
});

test('a Pod that is deleted on a silent Node remains, as forecast says', () => {
  const ready = (status: string) => ({ facts: { conditions: [{ type: 'Ready', status }] } });
  const records = [node('silent', ready('Unknown')), node('fine', ready('True'))];
  const pods = ['silent', 'fine'].map((nodeName) =>
    pod(`on-${nodeName}`, { ownerReferences: [gone], facts: { nodeName, phase: 'Running' } }),
  );
  const graph = graphOf([...records, ...pods]);
  const { items } = withSilentNodes(orphansReport(graph), graph.snapshot.records);
  const held = items.filter((item) => item.held !== undefined).map(({ object }) => object.name);
  const now = Date.parse(graph.snapshot.observedAt);
  const options = { now, within: 60_000, settings: defaultControllerSettings };
  const forecast = forecastReport(graph.snapshot, options).items;
  const stuck = forecast.filter((item) => item.held !== undefined).map(({ object }) => object.name);
  expect([held, stuck]).toEqual([['on-silent'], ['on-silent']]);
});
