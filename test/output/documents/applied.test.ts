import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectKey, referenceTo } from '../../../src/kube/object-reference.ts';
import { graphAnswer, graphPage, graphTree } from '../../../src/output/answers/graph.ts';
import { appliedIn } from '../../../src/output/documents/applied.ts';
import { ownersReport, treeReport } from '../../../src/output/documents/owners-and-tree.ts';
import { graphDot, graphMermaid } from '../../../src/output/pictures/graph-drawing.ts';
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

test.each([
  [
    kustomizationOf(['_shop__Namespace', 'shop_web_apps_Deployment', 'shop_b_apps_Deployment']),
    'Flux Kustomization delivery/apps applied 2 Deployments, 1 Namespace; it deletes them when it is deleted itself.',
  ],
  [
    kustomizationOf(['shop_web_apps_Deployment'], { suspend: true }),
    'Flux Kustomization delivery/apps applied 1 Deployment; they stay without it: it is suspended.',
  ],
  [
    applicationOf(['apps Deployment shop web'], { destination: { name: 'prod' } }),
    'Argo CD Application delivery/shop applied 1 Deployment to prod; it deletes them when it is deleted itself.',
  ],
  [
    { ...kustomizationOf([]), facts: undefined },
    'What Flux Kustomization delivery/apps applied was not read.',
  ],
  [kustomizationOf([]), undefined],
  [deployment('web'), undefined],
])('an object of a delivery tool tells what it applied (%#)', (record, expected) => {
  expect(appliedIn(graphOf([record]), record)).toBe(expected);
});

test('an object tells which delivery tool applied it', () => {
  const [web, own] = [deployment('web', { labels: byApps }), deployment('own')];
  const { nodes } = ownersReport(graphOf([web, own]), [web, own]);
  expect(nodes.map(({ appliedBy }) => appliedBy)).toEqual([
    'Flux Kustomization delivery/apps',
    undefined,
  ]);
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

test('a tree goes on below what tools applied, beside the references and not among them', () => {
  expect(graphTree(report, options)).toBe(
    [
      'Kustomization/apps -n delivery  finalizers: finalizers.fluxcd.io',
      `├╌ ConfigMap/left -n shop  Flux Kustomization leaves it: ${label}/prune is disabled`,
      '├╌ Deployment/web -n shop  Flux Kustomization would delete it',
      '│  └─ ReplicaSet/web-1',
      '└╌ Kustomization/more  Flux Kustomization would delete it · finalizers: finalizers.fluxcd.io',
      '   └╌ ConfigMap/far -n shop  Flux Kustomization would delete it',
      '',
    ].join('\n'),
  );
  expect(report.edges.map(({ dependent }) => dependent)).toEqual([rs.uid]);
  expect(report.nodes.map(({ name, gc }) => [name, gc?.action])).toEqual([
    ['apps', 'unowned'],
    ['more', 'unowned'],
    ['web', 'unowned'],
    ['left', 'unowned'],
    ['far', 'unowned'],
    ['web-1', 'keep'],
  ]);
  expect(graphAnswer.table(report, options)).toContain(
    '├╌ Deployment/web                         2d          Flux Kustomization would delete it',
  );
});

test('drawings and pages have a line of its own for it', () => {
  const line = (text: string) => text.split('\n').filter((one) => one.includes('applied'));
  expect(line(graphDot(report))).toHaveLength(4);
  expect(line(graphMermaid(report))[0]).toBe('  n0 -.->|applied| n1');
  const { references, objects } = graphPage(report, options);
  expect(references.map(({ class: found, because }) => `${found}: ${because}`)).toEqual([
    'solid: Deployment web exists in namespace shop (GC-27)',
    'applied: Flux Kustomization would delete it',
    'applied: Flux Kustomization would delete it',
    `applied: Flux Kustomization leaves it: ${label}/prune is disabled`,
    'applied: Flux Kustomization would delete it',
  ]);
  expect(objects.find(({ name }) => name === 'web')?.facts).toContainEqual([
    'Applied by',
    'Flux Kustomization delivery/apps',
  ]);
});

test('a watched tree keeps the line of what is gone, and marks what a tool no longer applies', () => {
  const after = treeOf(apps, more, web, rs, far);
  const gone = withGone(after, report, (key) => key === objectKey(referenceTo(left)));
  expect(gone).toMatchObject({ applied: [{}, {}, {}, { object: left.uid }] });
  const { applied: _, ...bare } = after;
  expect([...changesBetween(after, bare).values()]).toEqual(['changed', 'changed', 'changed']);
});

test('what a tool applied is a gap of the tree where it was not read', () => {
  const { coverage } = treeOf({ ...apps, facts: undefined }, web);
  expect(coverage.problems.map(({ message }) => message)).toEqual([
    'what Kustomization delivery/apps applied is not known: its spec and status were not read',
  ]);
});
