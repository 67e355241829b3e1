import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { kube } from '../support/kube.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Files that hold a part of a cluster: what they show counts, whatever else they do not show. */
const folder = temporaryFolder('situations');
let files = 0;

async function answered(line: string, objects: readonly KubeObject[]) {
  const file = join(folder, `${files++}.yaml`);
  writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const from = `--from ${file} --now 2026-06-01T00:00:00Z -o json`;
  const { stdout, stderr, code } = await gcHere(`${line} ${from}`);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

interface StuckDeletion {
  readonly state: string;
  readonly object: { readonly name: string };
  readonly blockers: readonly {
    readonly cause: string;
    readonly object: { readonly name: string };
  }[];
}

/** `NAME STATE: CAUSE BLOCKER` of each deletion that has not ended. */
async function deletionsIn(...objects: readonly KubeObject[]): Promise<string[]> {
  const { items } = (await answered('why -A', objects)) as {
    readonly items: readonly StuckDeletion[];
  };
  return items.map(({ state, object, blockers: [first] }) => {
    return `${object.name} ${state}: ${first?.cause} ${first?.object.name}`;
  });
}

const deleted = (finalizer: string) => ({
  deletionTimestamp: '2026-05-20T00:00:00Z',
  deletionGracePeriodSeconds: 0,
  finalizers: [finalizer],
});
const program = (name: string, ready: number) =>
  kube(
    `apps/v1 Deployment ${name}`,
    { namespace: 'tools' },
    {
      spec: { replicas: ready },
      status: { replicas: ready, readyReplicas: ready, observedGeneration: 1 },
    },
  );
const unready = (name: string) =>
  kube(
    `apps/v1 Deployment ${name}`,
    { namespace: 'tools' },
    { spec: { replicas: 1 }, status: { replicas: 1, observedGeneration: 1 } },
  );

describe('the program of a finalizer', () => {
  const cluster = kube('postgresql.cnpg.io/v1 Cluster db', deleted('karpenter.sh/termination'));

  test('is named where the files show it, running or not', async () => {
    const because = async (...more: readonly KubeObject[]) => {
      const { items } = await answered('why -A', [cluster, ...more]);
      return items[0]?.blockers[0]?.because ?? items[0]?.state;
    };
    expect(await because(program('karpenter', 1))).toBe('progressing');
    expect(await because(unready('karpenter'))).toContain('Deployment tools/karpenter');
    expect(await because()).not.toContain('Deployment tools/karpenter');
  });
});

describe('what a deletion waits for', () => {
  test('an AppProject: an Application that refers to it', async () => {
    const finalizer = 'resources-finalizer.argocd.argoproj.io';
    const project = kube('argoproj.io/v1alpha1 AppProject team', deleted(finalizer));
    const spec = { project: 'team' };
    const application = kube('argoproj.io/v1alpha1 Application web', {}, { spec });
    expect(await deletionsIn(project, application)).toEqual(['team stuck: in-use web']);
    expect(await deletionsIn(project)).toEqual(['team unknown: finalizer-controller-unknown team']);
  });

  test('a Node of Karpenter: the budget of a pod on it', async () => {
    const node = kube('v1 Node n1', deleted('karpenter.sh/termination'));
    const labels = { app: 'db' };
    const metadata = { namespace: 'shop', labels };
    const pod = kube('v1 Pod db-0', metadata, {
      spec: { nodeName: 'n1' },
      status: { phase: 'Running' },
    });
    const budget = kube(
      'policy/v1 PodDisruptionBudget db',
      { namespace: 'shop' },
      { spec: { selector: { matchLabels: labels } }, status: { disruptionsAllowed: 0 } },
    );
    expect(await deletionsIn(node, pod, budget)).toEqual(['n1 stuck: in-use db']);
  });

  test('a machine of Cluster API: its owner, where that is known to be gone', async () => {
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'eu', uid: 'u' };
    const of = { namespace: 'fleet', ownerReferences: [owner] };
    const pool = kube('cluster.x-k8s.io/v1beta1 MachinePool pool', {
      ...deleted('machinepool.cluster.x-k8s.io'),
      ...of,
    });
    const other = kube('cluster.x-k8s.io/v1beta1 Cluster us', { namespace: 'fleet' });
    expect(await deletionsIn(pool, other)).toEqual(['pool stuck: owner-missing pool']);
    expect(await deletionsIn(pool)).toEqual(['pool unknown: finalizer-controller-unknown pool']);
    const there = kube('cluster.x-k8s.io/v1beta1 Cluster eu', { namespace: 'fleet', uid: 'u' });
    expect(await deletionsIn(pool, there)).toEqual([
      'pool unknown: finalizer-controller-unknown pool',
    ]);
  });

  test('the garbage collector: a policy that judges its requests', async () => {
    const policy = (resources: readonly string[], operations: readonly string[]) =>
      kube(
        'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy keep',
        {},
        {
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: ['batch'], apiVersions: ['*'], operations, resources }],
            },
          },
        },
      );
    const job = kube('batch/v1 Job backup', {
      ...deleted('foregroundDeletion'),
      namespace: 'shop',
    });
    expect(await deletionsIn(job, policy(['jobs'], ['UPDATE']))).toEqual([
      'backup unknown: admission-policy keep',
    ]);
    expect(await deletionsIn(job, policy(['cronjobs'], ['*']))).not.toEqual([
      'backup unknown: admission-policy keep',
    ]);
    expect(await deletionsIn(job, policy(['jobs'], ['CREATE']))).not.toEqual([
      'backup unknown: admission-policy keep',
    ]);
    const { remarks } = await answered('delete ns/shop --preview', [
      kube('v1 Namespace shop'),
      kube('batch/v1 Job other', { namespace: 'shop' }),
      policy(['jobs'], ['DELETE']),
    ]);
    const codes = (remarks as { code: string }[]).map(({ code }) => code);
    expect(codes).toContain('may-be-refused');
  });

  test('two attachments of one driver, of which one lacks its volume: two causes', async () => {
    const finalizer = 'external-attacher/disk-example-com';
    const attachment = (name: string, status: object = {}) =>
      kube(`storage.k8s.io/v1 VolumeAttachment ${name}`, deleted(finalizer), {
        spec: { attacher: 'disk', nodeName: 'n', source: { persistentVolumeName: `of-${name}` } },
        status: { attached: true, ...status },
      });
    const none = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeList',
      items: [kube('v1 PersistentVolume of-b')],
    };
    const detachError = { time: '2026-05-20T00:01:00Z', message: 'busy' };
    const objects = [attachment('a'), attachment('b', { detachError }), none as never];
    expect(await deletionsIn(...objects)).toEqual([
      'a stuck: volume-attached a',
      'b stuck: reported b',
    ]);
  });
});

describe('an object that is not being deleted', () => {
  const causesOf = async (object: KubeObject, ...more: readonly KubeObject[]) => {
    const { kind, metadata } = object;
    const { items } = await answered(`why ${kind}/${metadata.name} -n shop`, [object, ...more]);
    const causes: string[] = [];
    const walk = ({ cause, links }: { cause: string; links: readonly never[] }) => {
      causes.push(cause);
      links.forEach(walk);
    };
    walk(items[0].chain);
    return causes;
  };
  test('is left by Helm, which made it for a hook', async () => {
    const job = kube('batch/v1 Job init', {
      namespace: 'shop',
      labels: { 'app.kubernetes.io/instance': 'db' },
      annotations: { 'helm.sh/hook': 'post-install' },
    });
    expect(await causesOf(job)).toContain('kept');
  });
});

test('cert-manager issues the Secret of a Certificate again, and leaves it when that is deleted', async () => {
  const annotations = { 'cert-manager.io/certificate-name': 'web' };
  const secret = kube('v1 Secret web-tls', { namespace: 'shop', annotations });
  const certificate = kube('cert-manager.io/v1 Certificate web', { namespace: 'shop' });
  const planned = async (target: string) => {
    const plan = await answered(`delete ${target} -n shop --complete --preview`, [
      secret,
      certificate,
      kube('v1 Namespace shop'),
    ]);
    const objects = plan.objects as { kind: string }[];
    const remarks = plan.remarks as { code: string }[];
    return [...objects.map(({ kind }) => kind), ...remarks.map(({ code }) => code)];
  };
  expect(await planned('secret/web-tls')).toEqual(['Secret', 'recreated']);
  expect(await planned('certificate/web')).toEqual(['Certificate']);
});

test('the Secret of a deleted Certificate is left over', async () => {
  const secret = (name: string) =>
    kube(`v1 Secret ${name}`, {
      namespace: 'shop',
      annotations: { 'cert-manager.io/certificate-name': name },
    });
  const certificate = kube('cert-manager.io/v1 Certificate web', { namespace: 'shop' });
  const objects = [secret('web'), secret('old'), certificate];
  const found = async (more: string) => {
    const { items } = await answered(`orphans -A --unmanaged${more}`, objects);
    return (items as { object: { name: string }; owners: string }[])
      .filter(({ owners }) => owners === 'certificate-gone')
      .map(({ object }) => object.name);
  };
  expect(await found(' --complete')).toEqual(['old']);
});

test('a kind with a namespace and no name is all of that kind which is being deleted there', async () => {
  const ending = { deletionTimestamp: '2026-05-31T00:00:00Z', finalizers: ['example.com/keep'] };
  const objects = ['shop', 'other'].flatMap((namespace) =>
    ['ConfigMap', 'Secret'].map((kind) => {
      const name = `${kind.toLowerCase()}-${namespace}`;
      return kube(`v1 ${kind} ${name}`, { ...ending, namespace });
    }),
  );
  const { kind, items } = await answered('why configmaps -n shop', objects);
  const names = items.map(({ object }: StuckDeletion) => object.name);
  expect([kind, names]).toEqual(['StuckDeletions', ['configmap-shop']]);
});
