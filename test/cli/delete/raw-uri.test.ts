import { describe, expect, test } from 'vitest';
import { placeOf, rawUriOf } from '../../../src/commands/delete/delete-raw.ts';
import { isProtected } from '../../../src/perform/limits.ts';

const core = { group: '', version: 'v1', namespace: '', name: undefined };
const apps = { ...core, group: 'apps' };

describe('what a URI names', () => {
  test.each<[string, object | undefined]>([
    ['/api/v1/namespaces/shop/pods', { ...core, namespace: 'shop', resource: 'pods' }],
    ['/api/v1/namespaces/shop/pods/', { ...core, namespace: 'shop', resource: 'pods' }],
    ['/api/v1/pods?labelSelector=a', { ...core, resource: 'pods' }],
    [
      '/apis/apps/v1/namespaces/shop/deployments/web',
      { ...apps, namespace: 'shop', resource: 'deployments', name: 'web' },
    ],
    [
      '/apis/apps/v1/namespaces/shop/deployments/web/scale',
      { ...apps, namespace: 'shop', resource: 'deployments', name: 'web' },
    ],
    ['/api/v1/nodes/a', { ...core, resource: 'nodes', name: 'a' }],
    ['/api/v1/namespaces', { ...core, resource: 'namespaces' }],
    ['/api/v1/namespaces/shop', { ...core, resource: 'namespaces', name: 'shop' }],
    ['/api/v1/namespaces/shop/finalize', { ...core, resource: 'namespaces', name: 'shop' }],
    ['/healthz', undefined],
    ['/', undefined],
    ['/api/v1', undefined],
    ['/apis/apps', undefined],
  ])('%s', (uri, named) => {
    expect(rawUriOf(uri).named).toEqual(named);
  });
});

test('what is judged is what is sent', () => {
  const { request, path, named } = rawUriOf('/api/v1/namespaces/x/../shop/pods/we%62?dryRun=All');
  expect({ request, path, named }).toEqual({
    request: '/api/v1/namespaces/shop/pods/we%62?dryRun=All',
    path: '/api/v1/namespaces/shop/pods/we%62',
    named: { ...core, namespace: 'shop', resource: 'pods', name: 'web' },
  });
  expect(rawUriOf('https://example.com/api/v1/nodes/a').request).toBe('/api/v1/nodes/a');
});

test.each(['configmaps/a', '', 'mailto:a', '/api/v1/nodes/%zz'])('%j is no URI path', (uri) => {
  expect(() => rawUriOf(uri)).toThrow(
    `--raw must be a valid URL path: parse "${uri}": invalid URI for request`,
  );
});

test.each([
  ['/api/v1/namespaces/kube-system/pods/web', true],
  ['//api/v1//namespaces/kube-system/pods/web', true],
  ['/api/v1/namespaces/kube%2Dsystem/pods', true],
  ['/apis/apps/v1/namespaces/kube-public/deployments', true],
  ['/api/v1/namespaces/kube-node-lease', true],
  ['/api/v1/namespaces/kube-system/finalize', true],
  ['/api/v1/namespaces/default', true],
  ['/api/v1/namespaces/default/pods/web', false],
  ['/apis/example.com/v1/namespaces/shop/namespaces/default', false],
  ['/api/v1/nodes/kube-system', false],
  ['/healthz', false],
])('%s is protected: %s', (uri, answer) => {
  const place = placeOf(rawUriOf(uri));
  expect(place !== undefined && isProtected(place)).toBe(answer);
});
