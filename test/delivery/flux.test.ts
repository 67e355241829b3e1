import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { deletedWith, deliveriesAmong } from '../../src/delivery/deliveries.ts';
import { appliedBy, inventoryOf } from '../../src/delivery/tools.ts';
import { clusterRole, configMap, type Details, deployment, secret } from '../support/builders.ts';
import { byApps, kustomizationOf, toolObject } from '../support/delivery.ts';
import { rowsOf } from '../support/rows.ts';

const web = deployment('web', { labels: byApps });

/** What goes with the Kustomization: `Deployment web`. */
const goes = (
  spec: Readonly<Record<string, unknown>>,
  object = web,
  id = 'shop_web_apps_Deployment',
  finalizers?: readonly string[],
) => {
  const tool = kustomizationOf([id], spec, finalizers);
  const gone = deletedWith(deliveriesAmong([tool, object]), tool);
  return gone.map(({ type, name }) => `${type.kind} ${name}`);
};

describe('what Flux deletes with a Kustomization', () => {
  const policies = rowsOf(`
    prune is true                         | {}                                    | Deployment web
    prune is false                        | prune: false                          |
    it says to delete whatever prune says | {prune: false, deletionPolicy: Delete} | Deployment web
    it waits for their end                | deletionPolicy: WaitForTermination    | Deployment web
    it says to leave all                  | deletionPolicy: Orphan                |
    it is suspended                       | {suspend: true, deletionPolicy: Delete} |
  `);
  test.each(policies)('%s', (_, spec = '', gone) => {
    expect(goes(parse(spec)).join()).toBe(gone);
  });

  const own = 'kustomize.toolkit.fluxcd.io';
  const marked = (key: string, text: string) => ({
    labels: byApps,
    annotations: { [`${own}/${key}`]: text },
  });
  test.each<[string, Details]>([
    ['labels of another Kustomization', { labels: { ...byApps, [`${own}/name`]: 'infra' } }],
    ['no labels', {}],
    ['prune disabled', marked('prune', 'Disabled')],
    ['reconcile disabled by label', { labels: { ...byApps, [`${own}/reconcile`]: 'disabled' } }],
    ['ssa ignored', marked('ssa', 'Ignore')],
  ])('not an object with %s', (_, details) => {
    expect(goes({}, deployment('web', details))).toEqual([]);
  });

  const role = clusterRole('system:shop', { labels: byApps });
  const roleId = '_system__shop_rbac.authorization.k8s.io_ClusterRole';
  const settings = configMap('a', { labels: byApps });
  test.each<[string, string[], Parameters<typeof goes>]>([
    ['nothing without its finalizer', [], [{}, web, undefined, []]],
    ['a name with colons', ['ClusterRole system:shop'], [{}, role, roleId]],
    ['a core object', ['ConfigMap a'], [{}, settings, 'shop_a__ConfigMap']],
    ['nothing for invalid entries', [], [{}, web, 'web']],
  ])('%s', (_, gone, given) => {
    expect(goes(...given)).toEqual(gone);
  });

  test('what it applies to another cluster leads to nothing here, but where it is named and marked', () => {
    const remote = { kubeConfig: { secretRef: { name: 'prod' } } };
    expect(goes(remote, deployment('web'))).toEqual([]);
    expect(goes(remote)).toEqual(['Deployment web']);
    const inventory = inventoryOf(kustomizationOf([], remote));
    expect(inventory).toMatchObject({ cluster: 'the cluster of Secret prod' });
  });
});

test.each([
  ['enabled', {}, { when: 'within its interval (10m)' }],
  ['enabled', { suspend: true }, { doubt: expect.stringContaining('suspended') }],
  ['warn', {}, { doubt: expect.stringContaining('drift detection is off') }],
  [undefined, {}, { doubt: expect.stringContaining('drift detection is off') }],
])(
  'a HelmRelease with drift detection %s and %j recreates what others delete',
  (mode, more, again) => {
    const spec = { interval: '10m', ...more, ...(mode && { driftDetection: { mode } }) };
    const inventory = inventoryOf(
      toolObject('helm.toolkit.fluxcd.io/v2 HelmRelease redis', { spec }),
    );
    expect(inventory === 'unknown' || inventory?.recreates(web)).toEqual(again);
  },
);

test('a version that is not known, or a spec that was not read, says nothing', () => {
  const text = (version: string) => `kustomize.toolkit.fluxcd.io/${version} Kustomization apps`;
  expect(inventoryOf(toolObject(text('v9'), { spec: { prune: true } }))).toBe('unknown');
  expect(inventoryOf(toolObject(text('v1'), {}))).toBe('unknown');
  expect(inventoryOf(web)).toBeUndefined();
});

test.each([
  ['', {}, ['Secret shop/sh.helm.release.v1.web.v2', 'Secret shop/sh.helm.release.v1.web.v1']],
  [' that keeps its history', { uninstall: { keepHistory: true } }, []],
])('the revisions of a HelmRelease%s', (_, spec, revisions) => {
  const history = [2, 1].map((version) => ({ name: 'web', namespace: 'shop', version }));
  const tool = toolObject('helm.toolkit.fluxcd.io/v2 HelmRelease web', {
    metadata: { finalizers: ['finalizers.fluxcd.io'] },
    spec,
    status: { history, storageNamespace: 'shop' },
  });
  const secrets = ['web.v1', 'web.v2', 'other.v1'].map((name) =>
    secret(`sh.helm.release.v1.${name}`),
  );
  const gone = deletedWith(deliveriesAmong([tool, ...secrets]), tool);
  expect(gone.map(({ type, namespace, name }) => `${type.kind} ${namespace}/${name}`)).toEqual(
    revisions,
  );
});

test('labels name the Kustomization or HelmRelease that applied an object', () => {
  const labels = {
    'helm.toolkit.fluxcd.io/name': 'redis',
    'helm.toolkit.fluxcd.io/namespace': 'cache',
  };
  const told = [web, deployment('redis', { labels }), deployment('own')].map(
    (one) => appliedBy(one)?.who,
  );
  expect(told).toEqual([
    'Flux Kustomization delivery/apps',
    'Flux HelmRelease cache/redis',
    undefined,
  ]);
});
