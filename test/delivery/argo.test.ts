import { describe, expect, test } from 'vitest';
import { deletedWith, deliveriesAmong } from '../../src/delivery/deliveries.ts';
import { appliedBy, inventoryOf } from '../../src/delivery/tools.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { by } from '../deletion/plan/told.ts';
import { builderOf, type Details, deployment } from '../support/builders.ts';
import { applicationOf, toolObject } from '../support/delivery.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const listed = ['apps Deployment shop web'];
const trackingId = (text: string): Details => ({
  annotations: { 'argocd.argoproj.io/tracking-id': text },
});

const goes = (app: ObjectRecord, ...objects: ObjectRecord[]) =>
  deletedWith(deliveriesAmong([app, ...objects]), app).map(
    ({ type, name }) => `${type.kind} ${name}`,
  );

describe('what Argo CD deletes with an Application', () => {
  const own = 'resources-finalizer.argocd.argoproj.io';
  test.each([
    ['in the foreground', own, 'Foreground'],
    ['by the longer finalizer', `${own}/foreground`, 'Foreground'],
    ['in the background', `${own}/background`, 'Background'],
  ])('%s', (_, finalizer, policy) => {
    const app = applicationOf(listed, {}, [finalizer]);
    expect(goes(app, deployment('web'))).toEqual(['Deployment web']);
    expect(inventoryOf(app)).toMatchObject({ finalizer, policy });
  });

  const web = (details?: Details) => deployment('web', details);
  const noted = (key: string, text: string) => web({ annotations: { [key]: text } });
  const tracked = (name: string, text: string) => deployment(name, trackingId(text));
  const name = 'shops.example.com';
  const ofDefinition = applicationOf([`apiextensions.k8s.io CustomResourceDefinition - ${name}`]);
  const late = 'shop:apps/Deployment:shop/late';
  const elsewhere = applicationOf(listed, { destination: { server: 'https://prod:6443' } });
  const onlyHooks = ['post-delete-finalizer.argocd.argoproj.io'];
  const policy = 'helm.sh/resource-policy';
  const options = 'argocd.argoproj.io/sync-options';

  test.each<[string, ObjectRecord, ObjectRecord[], string[]]>([
    ['nothing without that finalizer', applicationOf(listed, {}, onlyHooks), [web()], []],
    [
      'not an object with Delete=false',
      applicationOf(listed),
      [noted(options, 'Prune=false, Delete=false')],
      [],
    ],
    [
      'an object that waits for an approval',
      applicationOf(listed),
      [noted(options, 'Prune=false, Delete=confirm')],
      ['Deployment web'],
    ],
    ["not one with Helm's resource-policy", applicationOf(listed), [noted(policy, 'keep')], []],
    ['not an owned one', applicationOf(listed), [web(by(deployment('other')))], []],
    ['no CustomResourceDefinition', ofDefinition, [definition(name)], []],
    [
      'one with a tracking-id, not with a copied one',
      applicationOf([]),
      [
        tracked('late', late),
        tracked('copy', late),
        tracked('other', 'other:apps/Deployment:shop/other'),
      ],
      ['Deployment late'],
    ],
    ['nothing here for an Application of another cluster', elsewhere, [web()], []],
    [
      'not the Application itself',
      applicationOf(['argoproj.io Application delivery shop', ...listed]),
      [web()],
      ['Deployment web'],
    ],
  ])('%s', (_, app, objects, gone) => {
    expect(goes(app, ...objects)).toEqual(gone);
  });

  test('an Application names its cluster', () => {
    expect(inventoryOf(elsewhere)).toMatchObject({ cluster: 'https://prod:6443' });
  });
});

test.each([
  [{ automated: { selfHeal: true } }, { when: 'as self-heal is on' }],
  [{ automated: {} }, { doubt: expect.stringContaining('next change') }],
  [{}, { doubt: expect.stringContaining('syncs') }],
])('the sync policy %j decides about self-heal', (syncPolicy, again) => {
  const inventory = inventoryOf(applicationOf(listed, { syncPolicy }));
  expect(inventory === 'unknown' || inventory?.recreates(deployment('web'))).toEqual(again);
});

test('an Application of which only metadata was read says nothing', () => {
  expect(inventoryOf(toolObject('argoproj.io/v1alpha1 Application shop', {}))).toBe('unknown');
});

test('the tracking id names the Application, with its namespace if there is one', () => {
  const told = ['shop:apps/Deployment:shop/web', 'team_shop:apps/Deployment:shop/web'].map(
    (text) => appliedBy(deployment('web', trackingId(text)))?.who,
  );
  expect(told).toEqual(['Argo CD Application shop', 'Argo CD Application team/shop']);
});
