import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Questions that people asked in public threads, each put to the command that one would try first. Elsewhere are those
 * that need a release of Helm or a cluster: what `helm uninstall` deletes, and a Secret that cannot be decrypted. Which
 * ConfigMaps of old generations are unused is not known.
 */
const folder = temporaryFolder();
const now = '2026-01-31T12:00:00Z';
const lately = '2026-01-27T11:00:00Z';

interface Metadata {
  readonly [field: string]: unknown;
}

let uids = 0;

/** An object as `kubectl get -o json` prints it; its uid tells its kind and name. */
function object(type: string, place: string, metadata: Metadata = {}, more: object = {}): object {
  const [apiVersion, kind] = type.split(' ');
  const [namespace, name] = place.includes('/') ? place.split('/') : [undefined, place];
  uids++;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: `${kind}-${name}-${uids}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    ...more,
  };
}

const going = (...finalizers: string[]) => ({ deletionTimestamp: lately, finalizers });
const owned = (apiVersion: string, kind: string, name: string, uid: string, more: object = {}) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, ...more }],
});

/** A definition of a kind in one version. */
function definition(
  kind: string,
  group: string,
  plural: string,
  metadata: Metadata = {},
  version = 'v1',
): object {
  return object(
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    `${plural}.${group}`,
    metadata,
    {
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [{ name: version, served: true, storage: true }],
      },
    },
  );
}

const stuckNamespace = (more: object = {}) =>
  object(
    'v1 Namespace',
    'logging',
    { deletionTimestamp: lately },
    {
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating', ...more },
    },
  );
const node = (name: string, ready: string) =>
  object(
    'v1 Node',
    name,
    {},
    {
      status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: lately }] },
    },
  );

interface Asked {
  readonly objects: readonly object[];
  readonly ask: string;
  readonly answer: RegExp;
}

const questions: Readonly<Record<string, Asked>> = {
  '1 which resources keep a namespace Terminating (kubernetes#119881)': {
    objects: [
      stuckNamespace(),
      definition('Scan', 'scan.example.com', 'scans'),
      object('scan.example.com/v1 Scan', 'logging/a', going('scan.example.com/cleanup')),
    ],
    ask: 'why namespace/logging --complete',
    answer: /Scan\/a[\s\S]*scan\.example\.com\/cleanup/,
  },
  '2 a namespace is stuck and empty: an APIService is down (AKS#733)': {
    objects: [
      stuckNamespace(),
      object(
        'apiregistration.k8s.io/v1 APIService',
        'v1beta1.metrics.k8s.io',
        {},
        {
          spec: {
            group: 'metrics.k8s.io',
            version: 'v1beta1',
            service: { namespace: 'kube-system', name: 'metrics-server' },
          },
          status: { conditions: [{ type: 'Available', status: 'False', message: 'no endpoints' }] },
        },
      ),
    ],
    ask: 'why namespace/logging --complete',
    answer: /v1beta1\.metrics\.k8s\.io/,
  },
  '3 a namespace is stuck with foregroundDeletion (kubernetes#111251)': {
    objects: [
      stuckNamespace(),
      object('apps/v1 Deployment', 'logging/web', { ...going('foregroundDeletion'), uid: 'web' }),
      object('apps/v1 ReplicaSet', 'logging/web-1', {
        ...going('example.com/hold'),
        ...owned('apps/v1', 'Deployment', 'web', 'web', { blockOwnerDeletion: true }),
      }),
    ],
    ask: 'why namespace/logging --complete',
    answer: /ReplicaSet\/web-1[\s\S]*example\.com\/hold/,
  },
  '4 an OLM operator holds its namespace (pixie#1917)': {
    objects: [
      stuckNamespace(),
      definition('ClusterServiceVersion', 'operators.coreos.com', 'clusterserviceversions'),
      object(
        'operators.coreos.com/v1 ClusterServiceVersion',
        'logging/pixie',
        going('operators.coreos.com/csv-cleanup'),
      ),
    ],
    ask: 'why namespace/logging --complete',
    answer: /csv-cleanup[\s\S]*(OLM|Operator Lifecycle Manager|olm)/,
  },
  '5 where to start when a pod is Terminating for hours (kubernetes#23375)': {
    objects: [
      node('n1', 'Unknown'),
      object(
        'v1 Pod',
        'shop/db-0',
        { deletionTimestamp: lately, deletionGracePeriodSeconds: 30 },
        {
          spec: { nodeName: 'n1' },
          status: { phase: 'Running' },
        },
      ),
    ],
    ask: 'why pod/db-0 -n shop --complete',
    answer: /node n1 is not ready/i,
  },
  '6 a force delete did not help: a finalizer of a missing operator (argo-cd#8813)': {
    objects: [
      object('v1 Pod', 'shop/runner', going('actions.example.com/runner'), {
        status: { phase: 'Running' },
      }),
    ],
    ask: 'why pod/runner -n shop --complete',
    answer: /actions\.example\.com\/runner/,
  },
  '7 which of many objects wait for their finalizers (lens#8069)': {
    objects: [
      definition('ScaledObject', 'keda.sh', 'scaledobjects'),
      ...['a', 'b'].map((name) =>
        object('keda.sh/v1 ScaledObject', `shop/${name}`, going('finalizer.keda.sh')),
      ),
    ],
    ask: 'why -A --complete',
    answer: /finalizer\.keda\.sh/,
  },
  '8 what is being deleted, and what is alive (headlamp#4573)': {
    objects: [
      object('apps/v1 Deployment', 'shop/web', { uid: 'web' }, { status: { readyReplicas: 1 } }),
      object('apps/v1 ReplicaSet', 'shop/web-1', {
        ...going('example.com/hold'),
        ...owned('apps/v1', 'Deployment', 'web', 'web'),
      }),
    ],
    ask: 'tree deployment/web -n shop -o tree',
    answer: /ReplicaSet\/web-1.*terminating/,
  },
  '9 which pod keeps a claim (kubernetes#61214)': {
    objects: [
      object('v1 PersistentVolumeClaim', 'shop/data', going('kubernetes.io/pvc-protection'), {
        spec: { volumeName: 'pv-1' },
      }),
      object(
        'v1 Pod',
        'shop/build-1',
        {},
        {
          spec: {
            nodeName: 'n1',
            volumes: [{ name: 'w', persistentVolumeClaim: { claimName: 'data' } }],
          },
          status: { phase: 'Succeeded' },
        },
      ),
      node('n1', 'True'),
    ],
    ask: 'why pvc/data -n shop --complete',
    answer: /Pod\/build-1/,
  },
  '10 a volume is Terminating: which attachment (kubernetes#69697)': {
    objects: [
      object('v1 PersistentVolume', 'pv-1', going('external-attacher/csi-example'), {
        spec: {},
        status: { phase: 'Released' },
      }),
      object(
        'storage.k8s.io/v1 VolumeAttachment',
        'csi-aaa',
        {},
        {
          spec: {
            attacher: 'csi.example.com',
            nodeName: 'gone-1',
            source: { persistentVolumeName: 'pv-1' },
          },
          status: { attached: true },
        },
      ),
    ],
    ask: 'why pv/pv-1 --complete',
    answer: /csi-aaa/,
  },
  '11 a volume is Released: what now (vsphere-csi#502)': {
    objects: [
      object(
        'v1 PersistentVolume',
        'pv-1',
        {},
        {
          spec: {
            persistentVolumeReclaimPolicy: 'Retain',
            claimRef: { namespace: 'shop', name: 'data', uid: 'gone' },
          },
          status: { phase: 'Released' },
        },
      ),
    ],
    ask: 'why pv/pv-1 --complete',
    answer: /Retain/,
  },
  '12 which claims stay when a StatefulSet goes (helm#8515)': {
    objects: [
      object(
        'apps/v1 StatefulSet',
        'shop/db',
        { uid: 'db' },
        {
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'db' } },
            volumeClaimTemplates: [{ metadata: { name: 'data' } }],
          },
        },
      ),
      object('v1 PersistentVolumeClaim', 'shop/data-db-0', { labels: { app: 'db' } }),
    ],
    ask: 'delete statefulset/db -n shop --preview --complete',
    answer: /1 claim of StatefulSet db stays? behind|claim[\s\S]*data-db-0/,
  },
  '13 the operator goes before its objects (AgentTeams#779)': {
    objects: [],
    ask: 'delete deployment/db-operator -n operators --preview --complete --from docs/deletions/operator-first.yaml',
    answer: /1 Database stays, with finalizer[\s\S]*delete Database prod\s+first/,
  },
  '15 the deletion of a definition hangs (kubernetes#93392)': {
    objects: [
      definition(
        'Scan',
        'scan.example.com',
        'scans',
        going('customresourcecleanup.apiextensions.k8s.io'),
      ),
      object('scan.example.com/v1 Scan', 'shop/a', going('scan.example.com/cleanup')),
    ],
    ask: 'why crd/scans.scan.example.com --complete',
    answer: /Scan\/a/,
  },
  '16 what a definition takes along (postgres-operator#3168)': {
    objects: [
      definition('Scan', 'scan.example.com', 'scans'),
      object('scan.example.com/v1 Scan', 'shop/a', {}),
      object('scan.example.com/v1 Scan', 'bank/b', {}),
    ],
    ask: 'delete crd/scans.scan.example.com --preview --complete',
    answer: /3 objects go[\s\S]*2 Scans/,
  },
  '17 what an operator left behind (olm#1326)': {
    objects: [
      definition('Scan', 'scan.example.com', 'scans'),
      object('scan.example.com/v1 Scan', 'shop/a', {}),
    ],
    ask: 'orphans -A --unmanaged --complete',
    answer: /CustomResourceDefinition\/scans\.scan\.example\.com[\s\S]*Scan\/a/,
  },
  '18 objects vanish: an owner in another namespace (kubernetes#65200)': {
    objects: [
      object('apps/v1 Deployment', 'bank/web', { uid: 'web' }),
      object('v1 Secret', 'shop/login', owned('apps/v1', 'Deployment', 'web', 'web')),
    ],
    ask: 'invalid-ownerrefs -A --complete',
    answer: /Secret\/login\s+owner in another namespace\s+will be deleted/,
  },
  '19 are all owner references right (cluster-api#4816)': {
    objects: [object('v1 Secret', 'shop/login', owned('apps/v1', 'Deployment', 'web', 'gone'))],
    ask: 'status --complete',
    answer: /WRONG REFERENCES {3}1 problem\n {2}owner is gone: 1, first Secret\/login -n shop/,
  },
  '20 namespaces terminate by themselves: a namespaced owner (the-report.cloud)': {
    objects: [
      object('v1 ConfigMap', 'shop/tenant', { uid: 'tenant' }),
      object('v1 Namespace', 'made', owned('v1', 'ConfigMap', 'tenant', 'tenant')),
    ],
    ask: 'audit --complete',
    answer: /Namespace\/made\s+namespaced-owner-of-cluster-object\s+never deleted/,
  },
  '21 restored objects have old owner uids (velero#4707)': {
    objects: [
      object('apps/v1 Deployment', 'shop/web', { uid: 'new' }),
      object('v1 Secret', 'shop/login', owned('apps/v1', 'Deployment', 'web', 'old')),
    ],
    ask: 'orphans -A --complete',
    answer: /Secret\/login[\s\S]*will be deleted[\s\S]*another uid/,
  },
  '22 what belongs to a cluster of Cluster API (cluster-api#8387)': {
    objects: [
      definition('Cluster', 'cluster.x-k8s.io', 'clusters'),
      object('cluster.x-k8s.io/v1 Cluster', 'shop/prod', { uid: 'prod' }),
      object(
        'v1 Secret',
        'shop/prod-kubeconfig',
        owned('cluster.x-k8s.io/v1', 'Cluster', 'prod', 'prod'),
      ),
    ],
    ask: 'tree cluster/prod -n shop -o tree',
    answer: /Cluster\/prod[\s\S]*Secret\/prod-kubeconfig/,
  },
  '23 pods stay when their Job is deleted (kubernetes#20902)': {
    objects: [
      object(
        'v1 Pod',
        'shop/migrate-x7k2p',
        {
          labels: {
            'batch.kubernetes.io/controller-uid': 'gone',
            'controller-uid': 'gone',
            'job-name': 'migrate',
            'batch.kubernetes.io/job-name': 'migrate',
          },
        },
        {
          spec: { nodeName: 'n1' },
          status: { phase: 'Succeeded' },
        },
      ),
      node('n1', 'True'),
    ],
    ask: 'why pod/migrate-x7k2p -n shop --complete',
    answer: /Job migrate/,
  },
  '24 evicted pods pile up (kubernetes#86023)': {
    objects: [
      object('v1 Pod', 'shop/api-5d-abc', {}, { status: { phase: 'Failed', reason: 'Evicted' } }),
    ],
    ask: 'delete pods --evicted -n shop --preview --complete',
    answer: /1 object goes: 1 Pod/,
  },
  '24b why does nothing remove an evicted pod (kubernetes#55051)': {
    objects: [
      object('v1 Pod', 'shop/api-5d-abc', {}, { status: { phase: 'Failed', reason: 'Evicted' } }),
    ],
    ask: 'why pod/api-5d-abc -n shop --complete',
    answer: /Evicted[\s\S]*12,?500/,
  },
  '26 image garbage collection freed nothing (kubernetes#71869)': {
    objects: [],
    ask: 'images --from examples/nodes/worker-1.txt',
    answer: /next pass: removes 5 images \(1\.4 GiB\) to free 2\.4 GiB/,
  },
  '27 what Flux deletes with a Kustomization (flux2#3949)': {
    objects: [],
    ask: 'delete kustomization/apps -n flux-system --preview --complete --from docs/deletions/flux.yaml',
    answer:
      /4 objects go \(1 whole namespace\): 1 ConfigMap, 1 Deployment, 1 Kustomization, 1 Namespace/,
  },
  '28 what an Application takes along (argo-cd#22607)': {
    objects: [
      definition('Application', 'argoproj.io', 'applications', {}, 'v1alpha1'),
      object(
        'argoproj.io/v1alpha1 Application',
        'argocd/shop',
        { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
        {
          spec: { destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' } },
          status: { resources: [{ version: 'v1', kind: 'Namespace', name: 'shop' }] },
        },
      ),
      object('v1 Namespace', 'shop', {}, { status: { phase: 'Active' } }),
      object('v1 Secret', 'shop/login', {}),
    ],
    ask: 'delete application/shop -n argocd --preview --complete',
    answer: /3 objects go[\s\S]*1 Secret/,
  },
  '29 an instance of an operator does not go away (kro#483)': {
    objects: [
      definition('Bucket', 'example.com', 'buckets'),
      object('example.com/v1 Bucket', 'shop/logs', going('kro.run/finalizer')),
    ],
    ask: 'why bucket/logs -n shop --complete',
    answer: /kro\.run\/finalizer/,
  },
  '30 make it hard to delete a namespace by mistake (k9s#1016)': {
    objects: [],
    ask: 'policies namespace-deletion --action Deny --from examples/clusters/shop.json.gz',
    answer: /ValidatingAdmissionPolicy/,
  },
  '31 an agent may only delete what was shown (kubernetes-mcp-server#407)': {
    objects: [],
    ask: 'mcp --help',
    answer:
      /delete only what was shown[\s\S]*--allow-delete +also delete, by a plan that was shown/,
  },
  '33 envtest does not cascade (controller-runtime#626)': {
    objects: [],
    ask: 'help run-controllers',
    answer: /^How do deletions cascade in envtest/,
  },
};

test.each(Object.entries(questions))('%s', async (title, { objects, ask, answer }) => {
  const file = join(folder, `${title.split(' ')[0]}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const from = objects.length > 0 ? ` --from ${file} --now=${now}` : '';
  const { code, stdout, stderr } = await gcHere(`${ask}${from}`);
  expect([ask, code <= 1]).toEqual([ask, true]);
  expect(`${stdout}${stderr}`).toMatch(answer);
});
