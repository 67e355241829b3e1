import { describe, expect, test } from 'vitest';
import { disappearingIn } from '../../../src/deletion/plan/plan-totals.ts';
import { inWords } from '../../../src/kube/object-reference.ts';
import { configMap, deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { applicationOf, byApps, kustomizationOf, toolTypes } from '../../support/delivery.ts';
import { blockerOf, planned } from './planned.ts';
import { by, namespace, told, unbound } from './told.ts';

const types = { types: toolTypes };
const shop = namespace('shop', { labels: byApps });
const web = deployment('web', { labels: byApps });
const set = replicaSet('web-1', { ...by(web), facts: { replicas: 1 } });
const one = pod('web-1-a', { ...by(set), facts: unbound });
const other = configMap('other', { namespace: 'shop' });
const apps = kustomizationOf(['_shop__Namespace', 'shop_web_apps_Deployment']);
const cluster = [apps, shop, web, set, one, other];

const ends = (...given: Parameters<typeof planned>) =>
  planned(given[0], given[1], given[2], types).objects.map((object) => {
    const { fate, then, waitsFor = [], likely } = object;
    const waits = waitsFor.map(blockerOf);
    const late = then ? `, then ${then} (${waits.join(', ')})` : '';
    return `${inWords(object)}: ${fate}${late}${likely ? ', likely' : ''}`;
  });

describe('a plan to delete a Kustomization', () => {
  test('names what Flux deletes before it removes its finalizer, and all that is deleted with it', () => {
    expect(ends(cluster, apps)).toEqual([
      'Kustomization apps in namespace delivery: terminating, then deleted (finalizers.fluxcd.io)',
      'Deployment web in namespace shop: kept, then deleted (finalizers.fluxcd.io), likely',
      'Namespace shop: kept, then deleted (finalizers.fluxcd.io), likely',
      'ConfigMap other in namespace shop: kept, then deleted (finalizers.fluxcd.io)',
      'Pod web-1-a in namespace shop: kept, then deleted (finalizers.fluxcd.io)',
      'ReplicaSet web-1 in namespace shop: kept, then deleted (finalizers.fluxcd.io)',
    ]);
  });

  test('names it whatever the propagation policy is, as that is about dependents', () => {
    const { objects } = planned(cluster, apps, { policy: 'Orphan' }, types);
    expect(disappearingIn({ objects })).toHaveLength(6);
  });

  test('warns that the namespace is deleted with all its objects', () => {
    expect(told(cluster, apps, {}, types).join('\n')).toMatchInlineSnapshot(`
      "warning namespace-content: Namespace shop is deleted with the 4 objects in it.
      warning delivered: Flux Kustomization delivery/apps applied 2 objects: 1 Deployment, 1 Namespace. They are deleted with their dependents before finalizers.fluxcd.io is removed from it."
    `);
  });

  test('says why the rest stays', () => {
    const suspended = kustomizationOf(['shop_web_apps_Deployment'], { suspend: true });
    expect(ends([suspended, web, set], suspended)).toEqual([
      'Kustomization apps in namespace delivery: terminating, then deleted (finalizers.fluxcd.io)',
    ]);
    expect(told([suspended, web, set], suspended, {}, types).join('\n')).toMatchInlineSnapshot(
      `"note delivered: 1 Deployment that Flux Kustomization delivery/apps applied stays: it is suspended."`,
    );
  });

  test('counts no objects of another cluster', () => {
    const remote = kustomizationOf(['shop_web_apps_Deployment', 'shop_b__Secret'], {
      kubeConfig: { secretRef: { name: 'prod' } },
    });
    expect(told([remote, deployment('web')], remote, {}, types).join('\n')).toMatchInlineSnapshot(
      `"note delivered: 2 objects that Flux Kustomization delivery/apps applied to the cluster of Secret prod are deleted there; they count nothing here."`,
    );
  });

  test('is open where the kind of an entry was not read', () => {
    const options = { ...types, unread: ['deployments.apps'] };
    const { coverage } = planned([apps, shop], apps, {}, options);
    expect(coverage.problems).toMatchObject([
      { reason: 'unavailable', resource: 'deployments.apps' },
    ]);
  });

  test('is open where its inventory was not read', () => {
    const bare = { ...apps, facts: undefined };
    const { coverage } = planned([bare, web], bare, {}, types);
    expect(coverage.problems).toMatchObject([
      { reason: 'unreadable', resource: 'kustomizations.kustomize.toolkit.fluxcd.io' },
    ]);
  });
});

test('an Application that applies Applications takes along what those applied', () => {
  const leaf = applicationOf(['apps Deployment shop web']);
  const root = {
    ...applicationOf(['argoproj.io Application delivery shop']),
    name: 'root',
    uid: 'uid-root',
  };
  expect(ends([root, leaf, deployment('web')], root)).toEqual([
    'Application root in namespace delivery: terminating, then deleted (resources-finalizer.argocd.argoproj.io)',
    'Application shop in namespace delivery: kept, then deleted (resources-finalizer.argocd.argoproj.io, resources-finalizer.argocd.argoproj.io), likely',
    'Deployment web in namespace shop: kept, then deleted (resources-finalizer.argocd.argoproj.io, resources-finalizer.argocd.argoproj.io), likely',
  ]);
});

test('an Application of which one object needs an approval deletes nothing before, and all once it has it', () => {
  const app = applicationOf(['apps Deployment shop web', 'core ConfigMap shop settings']);
  const annotations = { 'argocd.argoproj.io/sync-options': 'Delete=confirm' };
  const objects = [
    app,
    deployment('web'),
    configMap('settings', { namespace: 'shop', annotations }),
  ];
  const finalizer = 'resources-finalizer.argocd.argoproj.io';
  expect(ends(objects, app)).toEqual([
    `Application shop in namespace delivery: terminating, then deleted (${finalizer})`,
    `ConfigMap settings in namespace shop: kept, then deleted (${finalizer}), likely`,
    `Deployment web in namespace shop: kept, then deleted (${finalizer}), likely`,
  ]);
  expect(told(objects, app, {}, types)).toContain(
    'note delivered: Argo CD Application delivery/shop deletes nothing until it has the annotation argocd.argoproj.io/deletion-approved.',
  );
});

test('an ApplicationSet is recognized by its Applications, which it owns', () => {
  const owner = configMap('appset', { namespace: 'delivery' });
  const app = { ...applicationOf(['apps Deployment shop web']), ownerReferences: [ownedBy(owner)] };
  expect(ends([owner, app, deployment('web')], owner)).toEqual([
    'ConfigMap appset in namespace delivery: deleted',
    'Application shop in namespace delivery: terminating, then deleted (resources-finalizer.argocd.argoproj.io)',
    'Deployment web in namespace shop: kept, then deleted (resources-finalizer.argocd.argoproj.io), likely',
  ]);
});

describe('what a delivery tool applies again', () => {
  test('is recreated, and the plan says what to do instead', () => {
    expect(planned(cluster, web, {}, types).objects[0]).toMatchObject({ fate: 'recreated' });
    expect(told(cluster, web, {}, types).join('\n')).toMatchInlineSnapshot(
      `"warning recreated: Flux Kustomization delivery/apps recreates 1 Deployment within its interval (10m). To delete it for good, remove it from what kustomization.kustomize.toolkit.fluxcd.io/apps applies, or suspend that first."`,
    );
  });

  test('may be recreated where self-heal is off', () => {
    const app = applicationOf(['apps Deployment shop web'], { syncPolicy: { automated: {} } });
    const plain = deployment('web');
    expect(planned([app, plain], plain, {}, types).objects[0]).toMatchObject({ fate: 'deleted' });
    expect(told([app, plain], plain, {}, types).join('\n')).toMatchInlineSnapshot(
      `"note recreated: Argo CD Application delivery/shop may recreate 1 Deployment: self-heal is off: it does so with the next change. To delete it for good, remove it from what application.argoproj.io/shop applies, or suspend that first."`,
    );
  });

  test('may be recreated where the tool was not read, and is not where it does not exist', () => {
    const options = { ...types, unread: ['kustomizations.kustomize.toolkit.fluxcd.io'] };
    expect(told([web], web, {}, options).join('\n')).toMatchInlineSnapshot(
      `"note recreated: Flux Kustomization delivery/apps may recreate 1 Deployment: its state was not read."`,
    );
    expect(told([web], web, {}, types)).toEqual([]);
  });

  test('stays gone when the Kustomization is deleted as well, and when its inventory does not name it', () => {
    expect(told(cluster, [apps, web], {}, types)).not.toContainEqual(
      expect.stringContaining('again'),
    );
    const copied = deployment('copied', { labels: byApps });
    expect(told([...cluster, copied], copied, {}, types)).toEqual([]);
  });
});
