import { expect, test } from 'vitest';
import { appliedIn, ownersReport } from '../../../src/output/documents/owners-and-tree.ts';
import { deployment, graphOf } from '../../support/builders.ts';
import { applicationOf, byApps, kustomizationOf } from '../../support/delivery.ts';

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
  expect(appliedIn(record)).toBe(expected);
});

test('an object tells which delivery tool applied it', () => {
  const [web, own] = [deployment('web', { labels: byApps }), deployment('own')];
  const { nodes } = ownersReport(graphOf([web, own]), [web, own]);
  expect(nodes.map(({ appliedBy }) => appliedBy)).toEqual([
    'Flux Kustomization delivery/apps',
    undefined,
  ]);
});
