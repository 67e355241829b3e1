import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectKey, referenceTo } from '../../../src/kube/object-reference.ts';
import { appliedIn } from '../../../src/questions/delete/applied.ts';
import { treeReport } from '../../../src/questions/owners/document.ts';
import { graphPage } from '../../../src/questions/owners/text.ts';
import { changesBetween, withGone } from '../../../src/shell/watch/changes.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import {
  configMap,
  deployment,
  graphOf,
  ownedBy,
  replicaSet,
  snapshotOf,
} from '../../support/builders.ts';
import {
  applicationOf,
  byApps,
  kustomizationOf,
  toolObject,
  toolTypes,
} from '../../support/delivery.ts';

test('an Application of Argo CD lists what it applied, and to which cluster', () => {
  const record = applicationOf(['apps Deployment shop web'], { destination: { name: 'prod' } });
  expect(appliedIn(graphOf([record]), record)).toMatchInlineSnapshot(
    `"Argo CD Application delivery/shop applied 1 Deployment to prod; it deletes them when it is deleted itself."`,
  );
});

const label = 'kustomize.toolkit.fluxcd.io';
const apps = kustomizationOf([
  `delivery_more_${label}_Kustomization`,
  'shop_web_apps_Deployment',
  'shop_left__ConfigMap',
]);
const more = toolObject(`${label}/v1 Kustomization more`, {
  metadata: { labels: byApps, finalizers: ['finalizers.fluxcd.io'] },
  spec: { prune: true },
  status: { inventory: { entries: [{ id: 'shop_far__ConfigMap', v: 'v1' }] } },
});
const web = deployment('web', { labels: byApps });
const rs = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const left = configMap('left', { labels: byApps, annotations: { [`${label}/prune`]: 'disabled' } });
const far = configMap('far', {
  labels: { [`${label}/name`]: 'more', [`${label}/namespace`]: 'delivery' },
});
const treeOf = (tool: ObjectRecord, ...others: readonly ObjectRecord[]) =>
  treeReport(buildGraph(snapshotOf([tool, ...others], { types: toolTypes })), [tool]);
const report = treeOf(apps, more, web, rs, left, far);
const options = { colour: false, width: undefined, now: Date.parse('2026-01-03T00:00:00Z') };

test('objects that tools applied are not counted as garbage, and a page has a separate line for them', () => {
  expect(report.edges.map(({ dependent }) => dependent)).toEqual([rs.uid]);
  expect(report.nodes.map(({ name, gc }) => [name, gc?.action])).toEqual([
    ['apps', 'unowned'],
    ['more', 'unowned'],
    ['web', 'unowned'],
    ['left', 'unowned'],
    ['far', 'unowned'],
    ['web-1', 'keep'],
  ]);
  const { references, objects } = graphPage(report, options);
  expect(
    references.map(({ class: found, because }) => `${found}: ${because}`).join('\n'),
  ).toMatchInlineSnapshot(`
    "solid: Deployment web exists in namespace shop (GC-27)
    applied: Flux Kustomization would delete it
    applied: Flux Kustomization would delete it
    applied: Flux Kustomization leaves it: kustomize.toolkit.fluxcd.io/prune is disabled
    applied: Flux Kustomization would delete it"
  `);
  expect(objects.find(({ name }) => name === 'web')?.facts).toContainEqual([
    'Applied by',
    'Flux Kustomization delivery/apps',
  ]);
});

test('a watched tree keeps the line of a deleted object, and marks what a tool no longer applies', () => {
  const after = treeOf(apps, more, web, rs, far);
  const gone = withGone(after, report, (key) => key === objectKey(referenceTo(left)));
  expect(gone).toMatchObject({ applied: [{}, {}, {}, { object: left.uid }] });
  const { applied: _, ...bare } = after;
  expect([...changesBetween(after, bare).values()]).toEqual(['changed', 'changed', 'changed']);
});
