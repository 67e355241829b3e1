import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { apiVersionOf, groupResourceOf } from '../../src/kube/resource-type.ts';
import { isBuiltInGroup, type KindMapping, ResourceTypes } from '../../src/kube/resource-types.ts';
import { customType, servedTypes, widgets } from '../support/builders.ts';
import { casesByResult } from '../support/rows.ts';

/** `pods.v1`, `list of namespaced`, `no, but v1, v2`, `nobody knows: …`. */
function told(mapping: KindMapping): string {
  switch (mapping.kind) {
    case 'served':
      return `${groupResourceOf(mapping.type)} ${mapping.type.version}`;
    case 'list-kind':
      return `a ${mapping.namespaced ? 'namespaced' : 'cluster-scoped'} list`;
    case 'unserved':
      return ['no', ...mapping.otherVersions.map(apiVersionOf)].join(', but ');
    case 'unknown':
      return `nobody knows: ${mapping.because}`;
  }
}

describe('the kind that a reference names, on a default server', () => {
  const named = casesByResult(`
    pods v1                          | v1 Pod | v1 pod
    no                               | v1 POD | v1 pOd | v1 pods | v1 Deployment | apps/v1 Pod | extensions/v1beta1 Deployment
    no, but apps/v1                  | apps/v1beta1 Deployment | apps/v1beta1 deployment
    deployments.apps v1              | apps/v1 Deployment
    horizontalpodautoscalers.autoscaling v2 | autoscaling/v2 HorizontalPodAutoscaler
    horizontalpodautoscalers.autoscaling v1 | autoscaling/v1 HorizontalPodAutoscaler
    no, but autoscaling/v2, but autoscaling/v1 | autoscaling/v2beta2 HorizontalPodAutoscaler
    widgets.example.com v1           | example.com/v1 Widget | example.com/v1 widget
    no, but example.com/v1           | example.com/v2 Widget
    events.events.k8s.io v1          | events.k8s.io/v1 Event
  `);
  const lists = casesByResult(`
    a namespaced list     | v1 PodList | apps/v1 DeploymentList | autoscaling/v1 HorizontalPodAutoscalerList
    a cluster-scoped list | v1 NodeList | v1 List | apps/v1 List
    no                    | v1 podlist | v1 podList | v1 list | v1 PodListList | apps/v1 PodList | apps/v1beta1 List
                          | apps/v1beta1 DeploymentList
  `);
  const requests = casesByResult(`
    no                                   | autoscaling/v1 Scale | policy/v1 Eviction | authentication.k8s.io/v1 TokenRequest
    bindings v1                          | v1 Binding
    tokenreviews.authentication.k8s.io v1 | authentication.k8s.io/v1 TokenReview
  `);
  test.each([...named, ...lists, ...requests])('%s: %s', (written = '', mapping) => {
    const [apiVersion = '', kind = ''] = written.split(' ');
    expect(told(servedTypes.mapKind(apiVersion, kind))).toBe(mapping);
  });

  test('a list kind that really is called so comes first', () => {
    const prices = customType('prices.example.com/v1 Price');
    const priceLists = customType('pricelists.example.com/v1 PriceList');
    const types = new ResourceTypes([prices, priceLists], { exhaustive: true });
    expect(told(types.mapKind('example.com/v1', 'PriceList'))).toBe('pricelists.example.com v1');
  });
});

describe('an apiVersion that is oddly spelt', () => {
  test.each([
    ['/v1', 'pods v1'],
    ['__internal', 'pods v1'],
    ['apps/__internal', 'no'],
    ['/v2', 'no, but v1'],
    ['shop/v1/extra', 'no'],
    ['', 'no, but v1'],
    ['/', 'no, but v1'],
    ['apps/', 'no'],
  ])('%j: %s', (apiVersion, mapping) => {
    expect(told(servedTypes.mapKind(apiVersion, 'Pod'))).toBe(mapping);
  });
});

describe('a group whose discovery failed', () => {
  const metrics = 'metrics.k8s.io';

  const down = { group: metrics, version: undefined, message: 'metrics.k8s.io is unavailable' };
  const inOne = { group: 'example.com', version: 'v2', message: 'v2 has no server' };
  test.each([
    ['has unknown kinds', down, `${metrics}/v1 PodMetrics`, `nobody knows: ${down.message}`],
    ['in all versions', down, `${metrics}/v1beta1 PodMetrics`, `nobody knows: ${down.message}`],
    ['is no other group', down, 'metrics/v1 PodMetrics', 'no'],
    ['failed in another version', inOne, 'example.com/v1 Widget', 'widgets.example.com v1'],
    ['failed in its version', inOne, 'example.com/v2 Widget', `nobody knows: ${inOne.message}`],
    ['has no other versions', inOne, 'example.com/v3 Widget', 'no, but example.com/v1'],
  ])('%s', (_, failed, written, mapping) => {
    const types = new ResourceTypes([...builtInTypes, widgets], {
      failed: [failed],
      exhaustive: true,
    });
    const [apiVersion = '', kind = ''] = written.split(' ');
    expect(told(types.mapKind(apiVersion, kind))).toBe(mapping);
  });
});

describe('a list of kinds that was put together from files', () => {
  const types = new ResourceTypes([...builtInTypes, widgets], { exhaustive: false });
  const unsaid = 'nobody knows: the input does not say whether';
  test.each([
    ['apps/v1', 'ReplicaSett', 'no'],
    ['apps/v1beta1', 'Deployment', 'no, but apps/v1'],
    ['storage.k8s.io/v1', 'Volume', 'no'],
    ['example.com/v2', 'Widget', 'no, but example.com/v1'],
    ['example.com/v1', 'Gizmo', `${unsaid} example.com/v1 Gizmo is served`],
    [
      'snapshot.storage.k8s.io/v1',
      'Volume',
      `${unsaid} snapshot.storage.k8s.io/v1 Volume is served`,
    ],
  ])('%s %s: %s', (apiVersion, kind, mapping) => {
    expect(told(types.mapKind(apiVersion, kind))).toBe(mapping);
  });
});

test('every group of a default server is one that only Kubernetes may use', () => {
  const groups = new Set(builtInTypes.map(({ group }) => group));
  expect([...groups].filter((group) => !isBuiltInGroup(group))).toEqual([]);
});

test('a kind is found by its exact name only', () => {
  expect([
    servedTypes.find('example.com/v1', 'Widget'),
    servedTypes.find('example.com/v1', 'widget'),
    servedTypes.find('example.com/v1', 'WidgetList'),
    servedTypes.find('example.com/v2', 'Widget'),
  ]).toEqual([widgets, undefined, undefined, undefined]);
});

test('the preferred version of a resource is the first one listed', () => {
  const versions = servedTypes.versions('horizontalpodautoscalers.autoscaling');
  expect(versions.map(apiVersionOf)).toEqual(['autoscaling/v2', 'autoscaling/v1']);
  const preferred = servedTypes.preferred().filter(({ group }) => group === 'autoscaling');
  expect(preferred.map(apiVersionOf)).toEqual(['autoscaling/v2']);
  expect(servedTypes.versions('carts.example.com')).toEqual([]);
});

test('a kind of a group is found in its preferred version, by its exact name only', () => {
  const found = ['HorizontalPodAutoscaler', 'horizontalpodautoscaler', 'Deployment'].map((kind) =>
    servedTypes.ofKind('autoscaling', kind),
  );
  expect(found.map((type) => type && apiVersionOf(type))).toEqual([
    'autoscaling/v2',
    undefined,
    undefined,
  ]);
});

test('the collector watches all preferred kinds except Events and those it cannot list, watch or delete', () => {
  const monitored = new Set(servedTypes.monitored());
  const rest = servedTypes.preferred().filter((type) => !monitored.has(type));
  expect(rest.map(groupResourceOf)).toEqual([
    'bindings',
    'componentstatuses',
    'events',
    'events.events.k8s.io',
    'selfsubjectreviews.authentication.k8s.io',
    'tokenreviews.authentication.k8s.io',
    'localsubjectaccessreviews.authorization.k8s.io',
    'selfsubjectaccessreviews.authorization.k8s.io',
    'selfsubjectrulesreviews.authorization.k8s.io',
    'subjectaccessreviews.authorization.k8s.io',
  ]);
});
