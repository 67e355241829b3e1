import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Cluster } from '../../support/cluster.ts';
import { customDefinition } from '../../support/custom-resources.ts';
import { eventually } from '../../support/eventually.ts';
import { pathOf } from '../../support/object-address.ts';
import { claimSpec, volumeSpec } from '../../support/volumes.ts';
import { workload } from '../../support/workload.ts';
import { refTo } from '../restore-stage.ts';

/** The namespaces of the zoo: deleted themselves, by the root of what is in them, and by the definition of it. */
export const zooNamespaces = ['zoo', 'zoo-rooted', 'zoo-kinds'] as const;
const group = 'zoo.example.com';

/** Without and with a status subresource; both stay when the zoo is deleted. */
export const zooDefinitions: readonly KubeObject[] = [
  customDefinition('Crate', group),
  withStatus(customDefinition('Tank', group)),
];

/** A kind that is deleted with its definition. */
const cage = withStatus(customDefinition('Cage', group));

function withStatus(definition: KubeObject): KubeObject {
  const { spec, ...rest } = definition as KubeObject & { spec: { versions: object[] } };
  const versions = spec.versions.map((one) => ({ ...one, subresources: { status: {} } }));
  return { ...rest, spec: { ...spec, versions } } as KubeObject;
}

type Content = NonNullable<Parameters<Cluster['make']>[1]>;

/** Plants every kind and situation that a restoration is to bring back. */
export async function plantZoo(cluster: Cluster): Promise<void> {
  for (const name of zooNamespaces) {
    await cluster.make(`Namespace ${name}`, {
      metadata: { labels: { team: name }, annotations: { 'example.com/note': 'zoo: ü "quoted"' } },
    });
    for (const given of ['ServiceAccount default', 'ConfigMap kube-root-ca.crt']) {
      const [kind, object] = given.split(' ');
      await eventually(given, () => cluster.find(`${kind} ${name}/${object}`));
    }
  }
  for (const [text, content] of plain) await cluster.make(text, content);
  await plantManagedFields(cluster);
  await plantOwners(cluster);
  await plantRooted(cluster);
  await plantKinds(cluster);
}

const meta = (metadata: object): Content => ({ metadata });
const podSpec = (more: object = {}) => ({
  containers: [{ name: 'main', image: 'example.com/main:1' }],
  ...more,
});
const template = (app: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: podSpec(more),
});
const job = (more: object = {}, pod: object = {}) => ({
  spec: { template: { spec: podSpec({ restartPolicy: 'Never', ...pod }) }, ...more },
});
const token = 'kubernetes.io/service-account-token';
const endpoints = { addresses: ['192.0.2.1'], conditions: { ready: true } };
const never = { matchLabels: { 'example.com/never': 'x' } };
const rule = (resource: string) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: [resource],
});

/** What nothing else needs to be known of, in an order in which it can be created. */
const plain: readonly (readonly [text: string, content?: Content])[] = [
  ['Secret zoo/opaque', { stringData: { password: 'on', number: '007', lines: 'a\r\nb\n' } }],
  ['Secret zoo/fixed', { immutable: true, stringData: { a: '1' } }],
  [
    'Secret zoo/registry',
    {
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': '{"auths":{}}' },
    },
  ],
  ['Secret zoo/basic', { type: 'kubernetes.io/basic-auth', stringData: { username: 'a' } }],
  ['ServiceAccount zoo/robot', { imagePullSecrets: [{ name: 'registry' }] }],
  [
    'Secret zoo/robot-token',
    { metadata: { annotations: { 'kubernetes.io/service-account.name': 'robot' } }, type: token },
  ],
  ['ConfigMap zoo/settings', { data: { 'a.yaml': 'on: yes\n', empty: '', space: ' x ' } }],
  ['ConfigMap zoo/binary', { binaryData: { blob: 'AAEC/w==' } }],
  ['ConfigMap zoo/large', { data: { text: 'x'.repeat(300_000) } }],
  ['ConfigMap zoo/fixed', { immutable: true, data: { a: '1' } }],
  ['ConfigMap zoo/bare'],
  ['ConfigMap zoo/finalized', meta({ finalizers: ['zoo.example.com/keep'] })],
  [
    'LimitRange zoo/limits',
    { spec: { limits: [{ type: 'Container', default: { cpu: '100m' }, max: { cpu: '2' } }] } },
  ],
  ['ResourceQuota zoo/quota', { spec: { hard: { pods: '60', secrets: '40' } } }],
  ['NetworkPolicy zoo/deny', { spec: { podSelector: {}, policyTypes: ['Ingress'] } }],
  [
    'PodDisruptionBudget zoo/web',
    { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } } },
  ],
  ['Role zoo/system:reader', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
  [
    'RoleBinding zoo/reader',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'system:reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'zoo' }],
    },
  ],
  ['PersistentVolume zoo-kept', { spec: volumeSpec('zoo-kept') }],
  ['PersistentVolumeClaim zoo/kept', { spec: { ...claimSpec, volumeName: 'zoo-kept' } }],
  ['PersistentVolumeClaim zoo/waiting', { spec: { ...claimSpec, storageClassName: 'nobody' } }],
  ['PersistentVolume zoo-db', { spec: volumeSpec('zoo-db') }],
  ['PersistentVolumeClaim zoo/data-db-0', { spec: { ...claimSpec, volumeName: 'zoo-db' } }],
  // Free volumes that suit every claim: a claim that is made anew is bound to an empty one.
  ['PersistentVolume zoo-spare', { spec: volumeSpec('zoo-spare') }],
  ['Service zoo/web', { spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] } }],
  [
    'Service zoo/db',
    { spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: 1 }] } },
  ],
  [
    'Service zoo/node',
    {
      spec: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      },
    },
  ],
  [
    'Service zoo/balanced',
    {
      spec: {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        selector: { app: 'web' },
        ports: [{ port: 80 }],
      },
    },
  ],
  ['Service zoo/dual', { spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 1 }] } }],
  ['Service zoo/elsewhere', { spec: { type: 'ExternalName', externalName: 'example.com' } }],
  ['Service zoo/manual', { spec: { ports: [{ port: 80 }] } }],
  [
    'EndpointSlice zoo/manual-1',
    {
      metadata: { labels: { 'kubernetes.io/service-name': 'manual' } },
      addressType: 'IPv4',
      endpoints: [endpoints],
      ports: [{ port: 80 }],
    },
  ],
  ['Deployment zoo/web', workload('web', { replicas: 2 })],
  ['Deployment zoo/paused', workload('paused', { replicas: 1, paused: true })],
  ['Deployment zoo/none', workload('none', { replicas: 0 })],
  [
    'ReplicaSet zoo/alone',
    { spec: { selector: { matchLabels: { app: 'rs' } }, template: template('rs') } },
  ],
  [
    'ReplicationController zoo/old',
    { spec: { selector: { app: 'rc' }, template: template('rc') } },
  ],
  [
    'StatefulSet zoo/db',
    workload('db', {
      replicas: 1,
      serviceName: 'db',
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    }),
  ],
  ['DaemonSet zoo/agent', workload('agent')],
  ['Job zoo/once', job()],
  ['Job zoo/long', job({ parallelism: 2, completions: 5 }, { restartPolicy: 'OnFailure' })],
  ['Job zoo/later', job({ suspend: true })],
  ['Job zoo/indexed', job({ suspend: true, completionMode: 'Indexed', completions: 3 })],
  [
    'Job zoo/manual',
    {
      spec: {
        manualSelector: true,
        suspend: true,
        selector: { matchLabels: { app: 'manual' } },
        template: template('manual', { restartPolicy: 'Never' }),
      },
    },
  ],
  ['CronJob zoo/nightly', { spec: { schedule: '0 0 31 2 *', jobTemplate: { spec: job().spec } } }],
  ['Pod zoo/lone', { metadata: { labels: { app: 'lone' } }, spec: podSpec() }],
  ['Pod zoo/done', { spec: podSpec({ restartPolicy: 'Never' }) }],
  [
    'Pod zoo/gated',
    { spec: podSpec({ schedulingGates: [{ name: 'example.com/wait' }], priorityClassName: '' }) },
  ],
  ['PodTemplate zoo/shape', { template: template('shape') }],
  [
    'HorizontalPodAutoscaler zoo/web',
    {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'paused' },
      },
    },
  ],
  [
    'Ingress zoo/web',
    { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  ],
  ['Lease zoo/leader', { spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } }],
  ['ControllerRevision zoo/own-1', { revision: 7, data: { any: ['thing', 1, true] } }],
  ['ResourceClaim zoo/device', { spec: { devices: {} } }],
  ['ResourceClaimTemplate zoo/devices', { spec: { spec: { devices: {} } } }],
  [`${group}/v1 Crate zoo/ledger`, { spec: { on: 'off' }, status: { balance: 7, list: [1, 2] } }],
  [`${group}/v1 Tank zoo/fish`, { spec: { liters: 200 } }],
  [`${group}/v1 Tank zoo/cleaned`, meta({ finalizers: ['zoo.example.com/drain'] })],
];

/** Server-side apply, as this manager. */
async function apply(cluster: Cluster, text: string, manager: string, object: object) {
  const { status, body } = await cluster.request(
    `${pathOf(text)}?fieldManager=${manager}&force=true`,
    {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: object,
    },
  );
  if (status >= 400) throw new Error(body);
}

/** Fields of several managers, a status, what users add to what every namespace is given, and a rollout's history. */
async function plantManagedFields(cluster: Cluster): Promise<void> {
  const map = (name: string, data: object) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    data,
  });
  await apply(cluster, 'ConfigMap zoo/shared', 'pipeline', map('shared', { a: '1' }));
  await apply(cluster, 'ConfigMap zoo/shared', 'operator', map('shared', { b: '2' }));
  await apply(cluster, 'ServiceAccount zoo/default', 'pipeline', {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    imagePullSecrets: [{ name: 'registry' }],
    automountServiceAccountToken: false,
  });
  await cluster.merge('ConfigMap zoo/kube-root-ca.crt', { metadata: { labels: { team: 'zoo' } } });
  await cluster.report(`${group}/v1 Tank zoo/fish`, { fish: ['a', 'b'], phase: 'Full' });
  await cluster.report(`${group}/v1 Tank zoo/cleaned`, { disk: 'disk-1' });
  const image = (tag: string) => ({
    spec: {
      template: { spec: { containers: [{ name: 'web', image: `example.com/web:${tag}` }] } },
    },
  });
  const revisions = (count: number) =>
    eventually(`${count} ReplicaSets of web`, async () => {
      const all = await cluster.list('ReplicaSet zoo/');
      return all.filter(({ metadata }) => `${metadata.name}`.startsWith('web-')).length === count;
    });
  await revisions(1);
  for (const tag of ['2', '3']) {
    await cluster.merge('Deployment zoo/web', image(tag));
    await revisions(Number(tag));
  }
  await cluster.merge('DaemonSet zoo/agent', {
    spec: { template: { metadata: { annotations: { turn: '2' } } } },
  });
}

/** Owners of both scopes, several owners of one object, a circle, an owner that is gone, and what is being deleted. */
async function plantOwners(cluster: Cluster): Promise<void> {
  const owned = (text: string, ...owners: object[]) =>
    cluster.make(text, meta({ ownerReferences: owners }));
  const tank = await cluster.get(`${group}/v1 Tank zoo/fish`);
  const web = await cluster.get('Deployment zoo/web');
  const space = await cluster.get('Namespace zoo');
  const of = (object: KubeObject, more: object = {}) => ({ ...refTo(object), ...more });
  await owned('ConfigMap zoo/of-tank', of(tank, { controller: true, blockOwnerDeletion: true }));
  await owned('Secret zoo/of-both', of(tank), of(web));
  await owned(`${group}/v1 Crate zoo/of-tank`, of(tank));
  await owned('ConfigMap zoo/of-namespace', of(space));
  const first = await owned('ConfigMap zoo/circle-a');
  const second = await owned('ConfigMap zoo/circle-b', of(first));
  await cluster.patch('ConfigMap zoo/circle-a', { metadata: { ownerReferences: [of(second)] } });
  const gone = { ...refTo(first), name: 'gone', uid: '00000000-0000-4000-8000-00000000dead' };
  await owned('ConfigMap zoo/half', of(tank), gone);
  await cluster.make('ConfigMap zoo/leaving', meta({ finalizers: ['zoo.example.com/keep'] }));
  await cluster.remove('ConfigMap zoo/leaving');
}

/** A cluster-scoped root that owns objects of both scopes: they are deleted with it. */
async function plantRooted(cluster: Cluster): Promise<void> {
  const root = await cluster.make('Gadget zoo-keeper', { spec: { size: 1 } });
  const clustered: readonly (readonly [string, Content?])[] = [
    [
      'ClusterRole zoo:reader',
      { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    ],
    [
      'ClusterRole zoo-sum',
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { zoo: 'sum' } }] }, rules: [] },
    ],
    [
      'ClusterRoleBinding zoo-reader',
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zoo:reader' },
        subjects: [{ kind: 'Group', name: 'zoo', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ],
    ['PriorityClass zoo-high', { value: 1000, preemptionPolicy: 'Never' }],
    ['RuntimeClass zoo-sandbox', { handler: 'sandbox' }],
    ['StorageClass zoo-fast', { provisioner: 'zoo.example.com/disk', reclaimPolicy: 'Retain' }],
    [
      'VolumeAttributesClass zoo-gold',
      { driverName: 'zoo.example.com', parameters: { iops: '1' } },
    ],
    ['CSIDriver zoo.example.com', { spec: { attachRequired: false } }],
    ['IngressClass zoo-edge', { spec: { controller: 'zoo.example.com/edge' } }],
    ['DeviceClass zoo.example.com', { spec: {} }],
    [
      'ValidatingAdmissionPolicy zoo-rules',
      {
        spec: {
          matchConstraints: { namespaceSelector: never, resourceRules: [rule('pods')] },
          validations: [{ expression: 'true' }],
        },
      },
    ],
    [
      'ValidatingAdmissionPolicyBinding zoo-rules',
      { spec: { policyName: 'zoo-rules', validationActions: ['Deny'] } },
    ],
    ...(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const).map(
      (kind): [string, Content] => [
        `${kind} zoo-hook`,
        {
          webhooks: [
            {
              name: 'hook.zoo.example.com',
              clientConfig: { service: { namespace: 'zoo', name: 'web' } },
              admissionReviewVersions: ['v1'],
              sideEffects: 'None',
              failurePolicy: 'Fail',
              namespaceSelector: never,
              rules: [rule('pods')],
            },
          ],
        },
      ],
    ),
    [
      'PriorityLevelConfiguration zoo-level',
      {
        spec: {
          type: 'Limited',
          limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } },
        },
      },
    ],
    [
      'FlowSchema zoo-flow',
      {
        spec: {
          priorityLevelConfiguration: { name: 'zoo-level' },
          matchingPrecedence: 9000,
        },
      },
    ],
    // Never bound, so nothing has removed its storage, whatever its policy.
    [
      'PersistentVolume zoo-static',
      {
        spec: {
          ...volumeSpec('zoo-static'),
          hostPath: undefined,
          nfs: { server: '192.0.2.1', path: '/zoo' },
          persistentVolumeReclaimPolicy: 'Delete',
          claimRef: { namespace: 'zoo-rooted', name: 'nobody' },
        },
      },
    ],
    ['Namespace zoo-owned'],
  ];
  const owner = refTo(root);
  const rooted: readonly (readonly [string, Content?])[] = [
    ...clustered,
    ['ConfigMap zoo-rooted/part', { data: { a: '1' } }],
    ['Secret zoo-rooted/key', { stringData: { a: '1' } }],
    ['ServiceAccount zoo-rooted/worker'],
    ['Service zoo-rooted/api', { spec: { ports: [{ port: 1 }] } }],
    ['Deployment zoo-rooted/app', workload('app', { replicas: 1 })],
    ['ConfigMap zoo-rooted/orphan'],
  ];
  for (const [text, { metadata, ...content } = {}] of rooted) {
    await cluster.make(text, { metadata: { ...metadata, ownerReferences: [owner] }, ...content });
  }
}

/** Objects of a kind whose definition is deleted, and what they own. */
async function plantKinds(cluster: Cluster): Promise<void> {
  await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', cage);
  const list = `/apis/${group}/v1/namespaces/zoo-kinds/cages`;
  await eventually('the kind Cage', () => cluster.isHealthy(list));
  for (const name of ['lion', 'bear']) {
    const text = `${group}/v1 Cage zoo-kinds/${name}`;
    const made = await cluster.make(text, { spec: { bars: 12 } });
    await cluster.report(text, { locked: true, keys: [{ id: 1 }] });
    await cluster.make(`Secret zoo-kinds/${name}`, {
      metadata: { ownerReferences: [refTo(made)] },
      stringData: { key: name },
    });
  }
}
