import { expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { placesToLook } from '../../../src/restore/plan/plan-restoration.ts';
import { judgeAsSaved } from '../../../src/restore/relink/judge-restored.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes, widgets } from '../../support/builders.ts';
import { kube, liveWith, ownedBy, owner, saved } from '../saved.ts';

const app = 'v1 ConfigMap app';

test('what the collector would do with other people’s manifests as they are, and why', () => {
  const objects = [
    saved(kube('v1 ConfigMap sound', ownedBy(app))),
    saved(kube('v1 ConfigMap stale', { ownerReferences: [owner(app, { uid: 'old' })] })),
    saved(kube('v1 ConfigMap below', ownedBy('v1 ConfigMap sound'))),
    saved(kube('v1 ConfigMap half', ownedBy(app, 'v1 ConfigMap gone'))),
    saved(kube('v1 ConfigMap there', ownedBy('v1 ConfigMap gone'))),
    saved(kube('v1 ConfigMap frozen', ownedBy('nobody.example.com/v1 Thing x'))),
    saved(kube('v1 ConfigMap hidden', ownedBy('v1 Secret hidden'))),
    saved(kube('v1 ConfigMap free')),
  ];
  const lookup = new OwnerLookup(servedTypes, objects);
  const live = liveWith(objects, [kube(app), kube('v1 ConfigMap there')]);
  live.set(saved(kube('v1 Secret hidden')), { found: 'unknown', message: 'it is forbidden' });
  const judged = judgeAsSaved(objects, placesToLook(objects, lookup), live, servedTypes, lookup);
  const lines = [...judged].map(([key, { action, rule, because }]) => {
    return [key.split(' ').at(-1), action, rule, because];
  });
  expect(lines).toEqual([
    ['stale', 'delete', 'GC-22.13', expect.stringContaining('ConfigMap app')],
    ['below', 'delete', 'GC-22.13', expect.stringContaining('ConfigMap sound')],
    ['half', 'patch', 'GC-22.11', expect.stringContaining('ConfigMap app')],
    ['hidden', 'unknown', 'GC-27', expect.stringMatching(/^Secret objects .* not read$/)],
  ]);
});

test('owners of a kind that the saved definition will serve are judged as well', () => {
  const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
  const definition = `apiextensions.k8s.io/v1 CustomResourceDefinition widgets.${widgets.group}`;
  const objects = [
    saved(kube(definition)),
    saved(kube('example.com/v1 Widget top')),
    saved(kube('v1 ConfigMap below', ownedBy('example.com/v1 Widget top'))),
    saved(kube('v1 ConfigMap beside', ownedBy('example.com/v1 Widget gone'))),
  ];
  const lookup = new OwnerLookup(bare, objects);
  const live = liveWith(objects, [], bare);
  const judged = judgeAsSaved(objects, placesToLook(objects, lookup), live, bare, lookup);
  const ends = [...judged].map(([key, { action, because }]) => [
    key.split(' ').at(-1),
    action,
    because,
  ]);
  expect(ends).toEqual([
    ['below', 'delete', expect.stringContaining('Widget top')],
    ['beside', 'delete', 'no Widget gone in namespace shop'],
  ]);
});
