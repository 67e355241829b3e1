import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A word that stands for something private: whatever is derived from it contains `qzqzq`. */
let serial = 0;
const mark = (what: string) => `qzqzq${what}${serial++}`;
const marker = /qzqzq[a-z]*\d*/i;

const created = '2026-01-01T00:00:00Z';
const ended = '2026-01-30T00:00:00Z';
const domain = `${mark('domain')}.example.com`;
const [shop, db, hook, user] = ['shop', 'db', 'hook', 'user'].map(mark) as [
  string,
  string,
  string,
  string,
];
const group = `${mark('group')}.example.com`;
const kind = `Q${mark('kind')}`;

const object = (apiVersion: string, of: string, name: string, rest: object = {}, meta = {}) => ({
  apiVersion,
  kind: of,
  metadata: {
    name,
    uid: mark('uid'),
    creationTimestamp: created,
    labels: { [`${mark('label')}.example.com/${mark('key')}`]: mark('value') },
    annotations: {
      'meta.helm.sh/release-name': mark('release'),
      'kubectl-gc.io/ignore-reason': mark('reason'),
      [mark('annotation')]: mark('value'),
    },
    managedFields: [{ manager: mark('manager'), operation: 'Update', apiVersion: 'v1' }],
    ...meta,
  },
  ...rest,
});
const inShop = (finalizer = `${domain}/${mark('finalizer')}`) => ({
  namespace: shop,
  finalizers: [finalizer],
  ownerReferences: [
    {
      apiVersion: `${group}/v1`,
      kind,
      name: mark('owner'),
      uid: mark('owneruid'),
      controller: true,
    },
    { apiVersion: 'v1', kind: 'ConfigMap', name: mark('gone'), uid: mark('goneuid') },
  ],
});
const condition = (type: string) => ({
  type,
  status: 'True',
  reason: mark('reason'),
  message: `${mark('message')} at https://${mark('host')}.example.com/${mark('path')}`,
  lastTransitionTime: ended,
});

const items = [
  object(
    'v1',
    'Namespace',
    shop,
    { status: { phase: 'Terminating', conditions: [condition('NamespaceContentRemaining')] } },
    { deletionTimestamp: ended },
  ),
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${kind.toLowerCase()}s.${group}`, {
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        plural: `${kind.toLowerCase()}s`,
        singular: kind.toLowerCase(),
        shortNames: [mark('short')],
        categories: [mark('category')],
      },
      versions: [{ name: 'v1', served: true, storage: true }],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: `https://${mark('host')}.example.com/${mark('path')}` } },
      },
    },
  }),
  object(
    `${group}/v1`,
    kind,
    db,
    { status: { conditions: [condition('Ready')] } },
    { ...inShop(), deletionTimestamp: ended },
  ),
  object(
    'v1',
    'Pod',
    `${db}-0`,
    {
      spec: {
        nodeName: mark('node'),
        serviceAccountName: mark('account'),
        containers: [
          {
            name: mark('container'),
            image: `${mark('registry')}.example.com/${mark('image')}`,
            command: [mark('command')],
            env: [{ name: mark('variable'), value: mark('value') }],
          },
        ],
        volumes: [
          { name: 'a', secret: { secretName: mark('secret') } },
          { name: 'b', hostPath: { path: `/${mark('path')}` } },
        ],
      },
      status: { phase: 'Failed', reason: mark('reason'), conditions: [condition('Ready')] },
    },
    inShop(),
  ),
  object(
    'v1',
    'Secret',
    mark('secret'),
    { type: `${mark('type')}.example.com/token`, data: { [mark('key')]: 'enEx' } },
    inShop(),
  ),
  object('v1', 'PersistentVolume', mark('volume'), {
    spec: {
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace: shop, name: mark('claim'), uid: mark('uid') },
      storageClassName: mark('class'),
      csi: { driver: `${mark('driver')}.example.com`, volumeHandle: mark('handle') },
    },
    status: { phase: 'Released', reason: mark('reason'), message: mark('message') },
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', hook, {
    webhooks: [
      {
        name: `${mark('webhook')}.example.com`,
        clientConfig: {
          url: `https://${user}:${mark('word')}@${mark('host')}.example.com/${mark('path')}`,
        },
        rules: [{ operations: ['*'], apiGroups: [group], resources: ['*'] }],
        matchConditions: [
          { name: mark('condition'), expression: `request.userInfo.username == '${mark('user')}'` },
        ],
        objectSelector: { matchLabels: { [mark('label')]: mark('value') } },
      },
    ],
  }),
  object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', mark('binding'), {
    subjects: [{ kind: 'User', name: `${mark('user')}@${mark('host')}.example.com` }],
    roleRef: { kind: 'ClusterRole', name: mark('role') },
  }),
  object(
    'batch/v1',
    'CronJob',
    mark('cron'),
    { spec: { schedule: '0 3 * * *', timeZone: 'Etc/UTC' } },
    inShop(),
  ),
  object(
    'coordination.k8s.io/v1',
    'Lease',
    mark('lease'),
    { spec: { holderIdentity: `${mark('holder')}_1` } },
    inShop(),
  ),
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', mark('csr'), {
    spec: { signerName: `${mark('signer')}.example.com/x`, username: mark('user') },
  }),
  object(
    'v1',
    'Event',
    `${db}.17`,
    {
      involvedObject: { kind, name: db, namespace: shop },
      reason: mark('reason'),
      message: mark('message'),
      source: { component: mark('component') },
    },
    { namespace: shop },
  ),
  object('apiregistration.k8s.io/v1', 'APIService', `v1.${group}`, {
    spec: { group, version: 'v1', service: { namespace: shop, name: mark('service') } },
    status: { conditions: [{ ...condition('Available'), status: 'False' }] },
  }),
];

const folder = temporaryFolder();
const input = join(folder, 'input.json');
const public_ = join(folder, 'public.json');
writeFileSync(input, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const saved = await gcHere(`snapshot save ${public_} --redact --from ${input}`);

test('no word of a cluster is in a snapshot that was saved with --redact', () => {
  expect([saved.code, readFileSync(public_, 'utf8').match(marker)]).toEqual([0, null]);
});

const commands = [
  ...['status', 'orphans -A', 'orphans -A --unmanaged', 'invalid-ownerrefs -A', 'forecast'],
  ...['audit --no-config --fail-on never --allow-incomplete', 'why -A', 'podgc-preview -A'],
  ...['tree pods,secrets,namespaces -A', 'snapshot info', 'delete pods --all -A --preview'],
];
test.each(commands.flatMap((line) => ['wide', 'json'].map((format) => `${line} -o ${format}`)))(
  'no word of a cluster is in what is printed of such a snapshot: %s',
  async (line) => {
    const file = line.startsWith('snapshot info') ? ` ${public_}` : ` --from ${public_}`;
    const { stdout, stderr } = await gcHere(`${line}${file}`);
    expect(stdout).not.toBe('');
    expect(`${stdout}${stderr}`.match(marker)).toBeNull();
  },
);

const event = (verb: string, name: string, rest: object = {}) => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: mark('audit'),
  stage: 'ResponseComplete',
  requestURI: `/api/v1/namespaces/${shop}/pods/${name}?labelSelector=${mark('label')}%3D${mark('value')}`,
  verb,
  user: {
    username: `${user}@${domain}`,
    groups: [mark('team')],
    extra: { [mark('key')]: [mark('value')] },
  },
  impersonatedUser: { username: mark('user') },
  sourceIPs: ['203.0.113.7'],
  userAgent: `${mark('agent')}/v1`,
  objectRef: { resource: 'pods', namespace: shop, name, apiVersion: 'v1' },
  responseStatus: { code: 200, message: mark('message') },
  requestReceivedTimestamp: '2026-01-31T12:00:00.000000Z',
  stageTimestamp: '2026-01-31T12:00:00.000000Z',
  annotations: { [`${domain}/x`]: mark('value') },
  ...rest,
});

test.each(['', ` -n ${shop}`, ` pod/${db}-0 -n ${shop}`])(
  'no word of a log is in what deleted prints with --redact:%s',
  async (of) => {
    const log = join(folder, 'audit.log');
    writeFileSync(
      log,
      [event('delete', `${db}-0`), event('deletecollection', '')]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
    for (const format of ['wide', 'json']) {
      const line = `deleted${of} --redact --audit-log ${log} --before ${input} -o ${format}`;
      const { stdout, stderr } = await gcHere(line);
      expect(stdout).toMatch(format === 'json' ? /"items": \[\s*{|"links": \[\s*{/ : /Pods?/);
      expect(`${stdout}${stderr}`.match(marker)).toBeNull();
    }
  },
);
