import { describe, expect, test } from 'vitest';
import { deletedWith, deliveriesAmong } from '../../src/delivery/deliveries.ts';
import { appliedBy, inventoryOf } from '../../src/delivery/tools.ts';
import type { Details } from '../support/builders.ts';
import { builderOf, deployment, ownedBy } from '../support/builders.ts';
import { applicationOf, toolObject } from '../support/delivery.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const listed = ['apps Deployment shop web'];
const trackingId = (text: string): Details => ({
  annotations: { 'argocd.argoproj.io/tracking-id': text },
});

const goes = (app: ReturnType<typeof applicationOf>, ...objects: ReturnType<typeof deployment>[]) =>
  deletedWith(deliveriesAmong([app, ...objects]), app).map(
    ({ type, name }) => `${type.kind} ${name}`,
  );

describe('what Argo CD deletes with an Application', () => {
  const own = 'resources-finalizer.argocd.argoproj.io';
  test.each([
    ['in the foreground', own, 'Foreground'],
    ['in the foreground by the longer name', `${own}/foreground`, 'Foreground'],
    ['in the background', `${own}/background`, 'Background'],
  ])('%s', (_, finalizer, policy) => {
    const app = applicationOf(listed, {}, [finalizer]);
    expect(goes(app, deployment('web'))).toEqual(['Deployment web']);
    expect(inventoryOf(app)).toMatchObject({ finalizer, policy });
  });

  test('nothing without that finalizer', () => {
    const app = applicationOf(listed, {}, ['post-delete-finalizer.argocd.argoproj.io']);
    expect(goes(app, deployment('web'))).toEqual([]);
  });

  test.each<[string, Details]>([
    [
      'Delete=false',
      { annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false, Delete=false' } },
    ],
    ['the resource policy of Helm', { annotations: { 'helm.sh/resource-policy': 'keep' } }],
    ['an owner', { ownerReferences: [ownedBy(deployment('other'))] }],
  ])('not an object with %s', (_, details) => {
    expect(goes(applicationOf(listed), deployment('web', details))).toEqual([]);
  });

  test('no CustomResourceDefinition', () => {
    const name = 'shops.example.com';
    const app = applicationOf([`apiextensions.k8s.io CustomResourceDefinition - ${name}`]);
    expect(goes(app, definition(name))).toEqual([]);
  });

  test('what only its own annotation tells, unless that was copied from another object', () => {
    const own = deployment('late', trackingId('shop:apps/Deployment:shop/late'));
    const copied = deployment('copy', trackingId('shop:apps/Deployment:shop/late'));
    const ofOther = deployment('other', trackingId('other:apps/Deployment:shop/other'));
    expect(goes(applicationOf([]), own, copied, ofOther)).toEqual(['Deployment late']);
  });

  test('nothing here for an Application of another cluster', () => {
    const app = applicationOf(listed, { destination: { server: 'https://prod:6443' } });
    expect(goes(app, deployment('web'))).toEqual([]);
    expect(inventoryOf(app)).toMatchObject({ cluster: 'https://prod:6443' });
  });

  test('not the Application itself, which may be an entry of its own', () => {
    const app = applicationOf(['argoproj.io Application delivery shop', ...listed]);
    expect(goes(app, deployment('web'))).toEqual(['Deployment web']);
  });
});

test.each([
  [{ automated: { selfHeal: true } }, { when: 'as self-heal is on' }],
  [{ automated: {} }, { doubt: 'self-heal is off: it does so with the next change' }],
  [{}, { doubt: 'self-heal is off: it does so when somebody syncs it' }],
])('whether it applies again is in its sync policy: %j', (syncPolicy, again) => {
  const inventory = inventoryOf(applicationOf(listed, { syncPolicy }));
  expect(inventory === 'unknown' || inventory?.again(deployment('web'))).toEqual(again);
});

test('an Application of which only metadata was read says nothing', () => {
  expect(inventoryOf(toolObject('argoproj.io/v1alpha1 Application shop', {}))).toBe('unknown');
});

test('the tracking id tells the Application, in a namespace of its own where it has one', () => {
  const told = ['shop:apps/Deployment:shop/web', 'team_shop:apps/Deployment:shop/web'].map(
    (text) => appliedBy(deployment('web', trackingId(text)))?.who,
  );
  expect(told).toEqual(['Argo CD Application shop', 'Argo CD Application team/shop']);
});
