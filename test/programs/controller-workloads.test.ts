import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import {
  controllerFor,
  type FinalizerController,
  knownFinalizer,
  runsController,
} from '../../src/programs/known-finalizers.ts';
import { rowsOf } from '../support/rows.ts';

/** `Deployment certs`, and a label: `Deployment certs cert-manager`. */
function made(text: string): ObjectRecord {
  const [kind = '', name = '', label] = text.split(' ');
  const type = builtInTypes.find((known) => known.kind === kind);
  if (!type) throw new Error(kind);
  const labels = { ...(label !== undefined && { 'app.kubernetes.io/name': label }) };
  return recordOf({ metadata: { name, namespace: 'tools', uid: name, labels } }, type);
}

function setBy(finalizer: string): FinalizerController {
  const known = knownFinalizer(finalizer);
  if (!known) throw new Error(`${finalizer} is not known`);
  return known.setBy;
}

const controllers: Readonly<Record<string, FinalizerController>> = {
  'cert-manager': setBy('finalizer.acme.cert-manager.io'),
  flux: setBy('finalizers.fluxcd.io'),
  named: { title: 'X', runsIn: 'workload', names: ['helm-controller'] },
  pattern: { title: 'X', runsIn: 'workload', names: ['provider-*'] },
};

describe('runsController', () => {
  // A program is found by name and label, a pod's name is taken apart, and a release name widens no pattern.
  const rows = rowsOf(`
    Deployment prod-cert-manager              | cert-manager | runs
    Deployment prod-cert-manager-webhook      | cert-manager | is another
    Deployment certs cert-manager             | cert-manager | runs
    Service cert-manager                      | cert-manager | is another
    Deployment prod-cert-manager              | flux         | is another
    Pod helm-controller-5d8f7-x2x4z           | named        | runs
    Pod prod-helm-controller-5d8f7-x2x4z      | named        | runs
    Pod helm-5d8f7-x2x4z                      | named        | is another
    Pod helm-controllers-5d8f7-x2x4z          | named        | is another
    Deployment helm-controller-ui             | named        | is another
    Deployment provider-aws-s3-1a2b           | pattern      | runs
    Deployment secrets-store-csi-provider-aws | pattern      | is another
  `);
  test.each(rows)('%s, of %s: %s', (text = '', name = '', end) => {
    const controller = controllers[name];
    expect(controller && runsController(made(text), controller)).toBe(end === 'runs');
  });

  test('looks at images where they were read', () => {
    const lonely = { title: 'X', runsIn: 'workload', images: ['acme/operator'] } as const;
    const webhook = made('Deployment webhook');
    expect(runsController(webhook, lonely, ['ghcr.io/acme/operator:v2'])).toBe(true);
    expect(runsController(webhook, lonely)).toBe(false);
  });

  test('looks at workloads of the API group apps alone', () => {
    const own = made('Deployment helm-controller');
    const other = { ...own, type: { ...own.type, group: 'example.com' } };
    const { named } = controllers;
    expect(named && [own, other].map((one) => runsController(one, named))).toEqual([true, false]);
  });
});

test('the one that serves the group is meant, where there are several', () => {
  const helm = made('Deployment helm-controller');
  const groups = ['helm.toolkit.fluxcd.io', 'kustomize.toolkit.fluxcd.io', 'unknown.example.com'];
  const flux = setBy('finalizers.fluxcd.io');
  expect(groups.map((group) => runsController(helm, controllerFor(flux, group)))).toEqual([
    true,
    false,
    true,
  ]);
});
