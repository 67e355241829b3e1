import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually } from '../support/eventually.ts';
import { pathOf } from '../support/object-address.ts';
import { gcHere } from '../support/run-here.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { proxyOfFile } from './proxy.ts';
import { restoreStage } from './restore-stage.ts';

/** What restored objects need, and what governs them, while every controller runs. */
const { cluster, folder, backUp, restoreOf, remove } = restoreStage();
const proxy = await proxyOfFile(cluster);
beforeEach(() => {
  proxy.before = () => undefined;
});

async function makeNamespace(name: string): Promise<void> {
  await cluster.make(`Namespace ${name}`);
  for (const given of ['ServiceAccount', 'ConfigMap']) {
    const named = given === 'ServiceAccount' ? 'default' : 'kube-root-ca.crt';
    await eventually(given, () => cluster.find(`${given} ${name}/${named}`));
  }
}

/** Deletes whole namespaces, as a user does; answers where the backup is. */
async function deleted(...names: string[]): Promise<string> {
  const directory = join(folder, names.join('-'));
  const targets = names.map((name) => `namespace/${name}`).join(' ');
  const line = `delete ${targets} --yes --backup ${directory} --kubeconfig ${cluster.kubeconfigPath}`;
  const { code, stderr } = await gcHere(line);
  expect(code, stderr).toBe(0);
  return directory;
}

describe('the ServiceAccount that every namespace is given', () => {
  const imagePullSecrets = [{ name: 'registry' }];
  const labels = { team: 'payments' };
  const content = { metadata: { labels }, imagePullSecrets, automountServiceAccountToken: false };

  /** A namespace whose Pods pull images with a Secret, saved and deleted. */
  async function lost(name: string): Promise<string> {
    await makeNamespace(name);
    const { status } = await cluster.request(
      `${pathOf(`ServiceAccount ${name}/default`)}?fieldManager=pipeline`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: { apiVersion: 'v1', kind: 'ServiceAccount', ...content },
      },
    );
    expect(status).toBe(200);
    await cluster.merge(`ConfigMap ${name}/kube-root-ca.crt`, { metadata: { labels } });
    return deleted(name);
  }

  const restored = async (directory: string, before: (name: string) => Promise<unknown>) => {
    proxy.before = async ({ method }, body) => {
      const object = method === 'POST' ? (JSON.parse(body) as KubeObject) : undefined;
      const { name = '', namespace = '' } = object?.metadata ?? {};
      const isGiven = object?.kind === 'ServiceAccount' || name === 'kube-root-ca.crt';
      if (isGiven) await before(`${object?.kind} ${namespace}/${name}`);
      return undefined;
    };
    return restoreOf(`${directory} --yes --server ${proxy.address}`);
  };
  const isMade = (given: string) => eventually(given, () => cluster.find(given));

  test.each([
    ['its controller was faster', 'pulls-late', isMade, 'patched'],
    ['the restoration was faster, or not', 'pulls-soon', async () => undefined, undefined],
  ])('has its content of before, where %s', async (_, name, before, outcome) => {
    const directory = await lost(name);
    const { ends } = await restored(directory, before);
    for (const given of ['ServiceAccount default', 'ConfigMap kube-root-ca.crt']) {
      expect(ends[given]).toMatch(outcome ?? /^(created|patched)$/);
    }
    const { metadata, ...account } = await cluster.get(`ServiceAccount ${name}/default`);
    expect({ ...account, metadata: { labels: metadata.labels } }).toMatchObject(content);
    const root = await cluster.get(`ConfigMap ${name}/kube-root-ca.crt`);
    expect(root).toMatchObject({ metadata: { labels }, data: { 'ca.crt': expect.any(String) } });
    const managers = (metadata.managedFields as { manager: string }[]).map((one) => one.manager);
    expect(managers).toEqual(['pipeline']);
    const again = await restoreOf(`${directory} --yes`);
    expect(new Set(Object.values(again.ends))).toEqual(new Set(['exists']));
    await remove(`Namespace ${name}`);
  });

  test('keeps a field that another client has set meanwhile, which is a failure', async () => {
    const name = 'pulls-other';
    const directory = await lost(name);
    const account = `ServiceAccount ${name}/default`;
    const line = `${directory} serviceaccount/default --yes --server ${proxy.address}`;
    proxy.before = async ({ method }, body) => {
      if (method !== 'POST' || !body.includes('"kind":"ServiceAccount"')) return undefined;
      await isMade(account);
      await cluster.merge(account, { imagePullSecrets: [{ name: 'other' }] });
      return undefined;
    };
    const { ends } = await restoreOf(line, 4);
    expect(ends).toEqual({ [`Namespace ${name}`]: 'created', 'ServiceAccount default': 'refused' });
    const { metadata, imagePullSecrets: kept } = await cluster.get(account);
    expect([kept, metadata.labels]).toEqual([[{ name: 'other' }], undefined]);
    await remove(`Namespace ${name}`);
  });
});

test('a StatefulSet is restored with the data, Secrets and namespace that it needs, and not another of its name', async () => {
  const names = ['needs-one', 'needs-two'];
  const template = {
    metadata: { labels: { app: 'db' } },
    spec: {
      serviceAccountName: 'robot',
      containers: [
        { name: 'db', image: 'example.com/db:1', envFrom: [{ secretRef: { name: 'key' } }] },
      ],
    },
  };
  for (const name of names) {
    await makeNamespace(name);
    for (const ordinal of [0, 1]) {
      await cluster.make(`PersistentVolume ${name}-${ordinal}`, {
        spec: volumeSpec(`${name}-${ordinal}`),
      });
      await cluster.make(`PersistentVolumeClaim ${name}/data-db-${ordinal}`, {
        spec: { ...claimSpec, volumeName: `${name}-${ordinal}` },
      });
    }
    for (const what of ['Secret', 'ConfigMap']) await cluster.make(`${what} ${name}/key`);
    await cluster.make(`ServiceAccount ${name}/robot`);
    const spec = {
      ...{ replicas: 1, serviceName: 'db', template },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    };
    await cluster.make(`StatefulSet ${name}/db`, workload('db', spec));
  }
  // A free volume that suits every claim.
  await cluster.make('PersistentVolume needs-spare', { spec: volumeSpec('needs-spare') });
  const bound = (name: string) =>
    eventually(`the claims of ${name}`, async () => {
      const claims = await cluster.list(`PersistentVolumeClaim ${name}/`);
      const isBound = ({ status }: KubeObject) => Object(status).phase === 'Bound';
      return claims.length === 2 && claims.every(isBound) && claims;
    });
  for (const name of names) await bound(name);
  const directory = await deleted(...names);

  const { ends, document, stderr } = await restoreOf(
    `${directory} statefulset/db -n needs-one --yes`,
  );
  const needed = document.objects.filter(({ neededBy }) => neededBy);
  expect(needed.map(({ kind, name, neededBy }) => `${kind} ${name} < ${neededBy?.name}`)).toEqual([
    'Namespace needs-one < db',
    'ServiceAccount robot < db',
    'PersistentVolumeClaim data-db-0 < db',
    'PersistentVolumeClaim data-db-1 < db',
    'Secret key < db',
  ]);
  expect(ends).toMatchObject({
    'PersistentVolumeClaim data-db-1': 'created',
    'StatefulSet db': 'created',
  });
  expect(ends).not.toHaveProperty('ConfigMap key');
  expect(stderr).toContain('2 PersistentVolumeClaims, 1 Namespace, 1 Secret, 1 ServiceAccount');
  const claims = await bound('needs-one');
  expect(claims.map(({ spec }) => Object(spec).volumeName)).toEqual(['needs-one-0', 'needs-one-1']);
  expect(await cluster.isHealthy('Namespace needs-two')).toBe(false);

  const rest = await restoreOf(`${directory} -n needs-two --yes`);
  expect(rest.document.objects.map(({ namespace }) => namespace)).not.toContain('needs-one');
  expect(rest.ends).toMatchObject({ 'ConfigMap key': 'created', 'StatefulSet db': 'created' });
  for (const name of names) await remove(`Namespace ${name}`);
});

test('Pods are restored under the limits, the quota and the network policy that governed them', async () => {
  const name = 'governed';
  const at = (kind: string, object = '') => `${kind} ${name}/${object}`;
  const count = 12;
  await makeNamespace(name);
  const resources = { cpu: '100m', memory: '10Mi' };
  const limits = [{ type: 'Container', default: resources, defaultRequest: resources }];
  await cluster.make(at('LimitRange', 'limits'), { spec: { limits } });
  await cluster.make(at('NetworkPolicy', 'deny-all'), { spec: { podSelector: {} } });
  await cluster.make(at('ResourceQuota', 'quota'), { spec: { hard: { pods: `${count}` } } });
  const metadata = { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name: 'reader' };
  await cluster.make(at('Role', 'reader'), {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  });
  await cluster.make(at('RoleBinding', 'reader'), { roleRef: metadata });
  for (let index = 0; index < count; index++) {
    await cluster.make(at('Deployment', `app-${index}`), workload(`app-${index}`));
  }
  const pods = () =>
    eventually(`the Pods of ${name}`, async () => {
      const all = await cluster.list(at('Pod'));
      return all.length === count && all;
    });
  await pods();
  const directory = await deleted(name);

  const rehearsed = await restoreOf(`${directory} --dry-run=server`);
  expect(rehearsed.ends).toMatchObject({
    [`Namespace ${name}`]: 'created',
    'LimitRange limits': 'not-checked',
    'Deployment app-0': 'not-checked',
  });
  expect(Object.values(rehearsed.ends)).not.toContain('refused');

  const order: string[] = [];
  proxy.after = ({ method, path }, status) => {
    if (method === 'POST' && status === 201) order.push(path.replace(/^.*\/|\?.*$/g, ''));
  };
  const { ends } = await restoreOf(`${directory} --yes --server ${proxy.address}`);
  expect(ends).toMatchObject({ 'ResourceQuota quota': 'created', 'Deployment app-0': 'created' });
  const last = (resource: string) => order.lastIndexOf(resource);
  for (const first of ['limitranges', 'networkpolicies', 'resourcequotas', 'rolebindings']) {
    expect([first, last(first) >= 0 && last(first) < order.indexOf('deployments')]).toEqual([
      first,
      true,
    ]);
  }
  expect(last('roles')).toBeLessThan(order.indexOf('rolebindings'));
  const bare = (await pods()).filter(({ spec }) => {
    const [container] = Object(spec).containers as { resources?: { limits?: object } }[];
    return container?.resources?.limits === undefined;
  });
  expect(bare).toEqual([]);
  await eventually('the quota', async () => {
    const { status } = await cluster.get(at('ResourceQuota', 'quota'));
    return Object(status).used?.pods === `${count}`;
  });
  await remove(`Namespace ${name}`);
});

test('an admission policy decides about what is restored after it', async () => {
  await makeNamespace('decided');
  const service = (name: string) => `Service decided/${name}`;
  const spec = { ports: [{ port: 80 }] };
  const labels = { denied: 'yes' };
  const old = await cluster.make(service('old'), { metadata: { labels }, spec });
  const fine = await cluster.make(service('fine'), { spec });
  const rules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] },
  ];
  const policy = await cluster.make('ValidatingAdmissionPolicy no-denied', {
    spec: {
      matchConstraints: {
        resourceRules: rules,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'decided' } },
      },
      validations: [
        { expression: '!has(object.metadata.labels) || !("denied" in object.metadata.labels)' },
      ],
    },
  });
  const binding = await cluster.make('ValidatingAdmissionPolicyBinding no-denied', {
    spec: { policyName: 'no-denied', validationActions: ['Deny'] },
  });
  const directory = await backUp('decided', [policy], [binding], [old], [fine]);
  for (const kind of ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']) {
    await remove(`${kind} no-denied`);
  }
  for (const name of ['old', 'fine']) await remove(service(name));
  const { ends, document } = await restoreOf(`${directory} --yes`, 4);
  expect(ends).toMatchObject({ 'Service old': 'refused', 'Service fine': 'created' });
  expect(document.objects.find(({ name }) => name === 'old')?.message).toContain('no-denied');
  for (const { kind, metadata } of [binding, policy]) await remove(`${kind} ${metadata.name}`);
  await remove('Namespace decided');
});
