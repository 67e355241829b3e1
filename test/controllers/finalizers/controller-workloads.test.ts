import { describe, expect, test } from 'vitest';
import {
  controllerFor,
  runsController,
} from '../../../src/controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../../src/controllers/finalizers/known-finalizers.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { recordOf } from '../../../src/kube/record-codec.ts';

function made(kind: string, name: string, labels: Record<string, string> = {}): ObjectRecord {
  const type = builtInTypes.find((known) => known.kind === kind);
  if (!type) throw new Error(kind);
  return recordOf({ metadata: { name, namespace: 'tools', uid: name, labels } }, type);
}

const controller = made('Deployment', 'prod-cert-manager');
const webhook = made('Deployment', 'prod-cert-manager-webhook');
const labelled = made('Deployment', 'certs', { 'app.kubernetes.io/name': 'cert-manager' });
const service = made('Service', 'cert-manager');

describe('runsController', () => {
  test('finds programs by name and label, and nothing that is no workload', () => {
    const setBy = knownFinalizer('finalizer.acme.cert-manager.io')?.setBy;
    if (!setBy) throw new Error('cert-manager is not known');
    const records = [controller, webhook, labelled, service];
    expect(records.filter((record) => runsController(record, setBy))).toEqual([
      controller,
      labelled,
    ]);
  });

  test('finds none where none is', () => {
    const setBy = knownFinalizer('finalizers.fluxcd.io')?.setBy;
    expect(setBy && runsController(controller, setBy)).toBe(false);
  });

  const lonely = { title: 'X', runsIn: 'workload', images: ['acme/operator'] } as const;

  test('looks at images where they were read', () => {
    expect(runsController(webhook, lonely, ['ghcr.io/acme/operator:v2'])).toBe(true);
    expect(runsController(webhook, lonely)).toBe(false);
  });

  test('looks at workloads of the API group apps alone', () => {
    const other = { ...controller, type: { ...controller.type, group: 'example.com' } };
    const named = { title: 'X', runsIn: 'workload', names: ['prod-cert-manager'] } as const;
    expect([controller, other].map((one) => runsController(one, named))).toEqual([true, false]);
  });

  test("takes a pod's name apart", () => {
    const flux = { title: 'X', runsIn: 'workload', names: ['helm-controller'] } as const;
    expect(runsController(made('Pod', 'helm-controller-5d8f7-x2x4z'), flux)).toBe(true);
    expect(runsController(made('Pod', 'prod-helm-controller-5d8f7-x2x4z'), flux)).toBe(true);
    expect(runsController(made('Pod', 'helm-5d8f7-x2x4z'), flux)).toBe(false);
    expect(runsController(made('Deployment', 'helm-controller-ui'), flux)).toBe(false);
  });
});

describe('controllerFor', () => {
  const setBy = knownFinalizer('finalizers.fluxcd.io')?.setBy;

  test('is the one that serves the group, where there are several', () => {
    if (!setBy) throw new Error('Flux is not known');
    const helm = made('Deployment', 'helm-controller');
    expect(runsController(helm, controllerFor(setBy, 'helm.toolkit.fluxcd.io'))).toBe(true);
    expect(runsController(helm, controllerFor(setBy, 'kustomize.toolkit.fluxcd.io'))).toBe(false);
    expect(runsController(helm, controllerFor(setBy, 'unknown.example.com'))).toBe(true);
  });
});

test('a pattern is not widened by a release name', () => {
  const provider = { title: 'X', runsIn: 'workload', names: ['provider-*'] } as const;
  expect(runsController(made('Deployment', 'provider-aws-s3-1a2b'), provider)).toBe(true);
  expect(runsController(made('Deployment', 'secrets-store-csi-provider-aws'), provider)).toBe(
    false,
  );
});
