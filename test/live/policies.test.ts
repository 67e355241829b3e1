import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What `policies` prints, on a real API server with all of its controllers, each with an account of its own. */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
writeFileSync(
  join(folder, 'audit-policy.json'),
  JSON.stringify({
    ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
    rules: [{ level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete'] }],
  }),
);
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: exampleDefinitions,
  apiServerArgs: [
    `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
    `--audit-log-path=${auditLog}`,
  ],
});
const manager = plane.kubeconfigFor({ user: 'system:kube-controller-manager' });
await plane.startControllers(
  ['*'],
  [`--kubeconfig=${manager}`, '--use-service-account-credentials=true'],
);

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const shop = '/api/v1/namespaces/shop';
const configMaps = `${shop}/configmaps`;
const uid = '00000000-0000-4000-8000-000000000000';

type Reference = Readonly<Record<string, unknown>>;

const owner = (apiVersion: string, kind: string, more: Reference = {}): Reference => ({
  ...{ apiVersion, kind, name: 'owner', uid, ...more },
});
const withOwners = (name: string, ...ownerReferences: readonly Reference[]) => ({
  metadata: { name, ownerReferences },
});

/** As kubectl prints: what was refused, what was warned of, and what was done. */
async function kubectl(line: string, input = '', kubeconfig = plane.kubeconfigPath) {
  const { stdout, stderr } = await plane.kubectl(line.split(' '), { input, kubeconfig });
  return `${stderr}${stdout}`;
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly name?: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly message?: string };
}

/** What the API server wrote of requests that write. */
function auditEvents(): AuditEvent[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): AuditEvent => JSON.parse(line));
}

/** Puts what the command prints into the cluster, and waits until it counts. */
async function install(action: string): Promise<void> {
  const { code, stdout } = await gcHere(
    `policies --action ${action} -o json --kubeconfig ${plane.kubeconfigPath}`,
  );
  expect(code).toBe(0);
  const applied = await kubectl('apply --server-side --force-conflicts -f -', stdout);
  expect(applied).not.toMatch(/error|warning|denied/i);
  expect(applied.match(/serverside-applied/g)).toHaveLength(16);
  await eventually(`the policies to ${action}`, async () => {
    const probe = await kubectl('delete namespace shop --dry-run=server');
    const shown = {
      Deny: /denied request/,
      Warn: /^Warning: Validation failed/,
      Audit: /^namespace/,
    };
    return shown[action as 'Deny'].test(probe);
  });
}

/** An answer without an object is a refusal; of it only the text counts. */
async function create(path: string, body: object): Promise<string> {
  const { status, body: text } = await plane.request(`${path}?dryRun=All`, {
    method: 'POST',
    body,
  });
  if (status < 300) return 'passes';
  const { message } = JSON.parse(text) as { message: string };
  return message.replace(/^.* with binding '.*' denied request: /s, 'refused: ');
}

beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('Namespace team');
  // Wrong already, when the policies come.
  await plane.create(roles, withOwners('wrong', owner('v1', 'ConfigMap')));
  await plane.patch(`${roles}/wrong`, { metadata: { finalizers: ['example.com/hold'] } });
  await plane.create('/api/v1/persistentvolumes', {
    ...withOwners('wrong', owner('v1', 'ConfigMap')),
    spec: {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
      ...{ persistentVolumeReclaimPolicy: 'Retain', hostPath: { path: '/data' } },
    },
  });
  await install('Deny');
});

describe('a reference that is added', () => {
  const paths = { ClusterRole: roles, Namespace: '/api/v1/namespaces', ConfigMap: configMaps };
  const neverCollected =
    'a cluster-scoped object cannot have a namespaced owner, and would never be collected';
  const notServed =
    'no API serves the kind of this owner in this version, so it cannot be looked up';
  const sameUid = 'two references name the same uid, and removing one would remove both';
  const expires = 'an Event expires by itself, and the garbage collector does not watch its end';

  test.each<[of: keyof typeof paths, owner: string, what: string, refusal?: string]>([
    ['ClusterRole', 'v1 ConfigMap', 'which is namespaced', neverCollected],
    ['ClusterRole', 'example.com/v1 Widget', 'which is namespaced', neverCollected],
    ['ClusterRole', 'example.com/v1 Gadget', 'which is cluster-scoped'],
    ['ClusterRole', 'other.example/v1 Widget', 'of which nothing is known'],
    ['Namespace', 'v1 Node', 'which is cluster-scoped'],
    ['ConfigMap', 'example.com/v1 Widget', 'which is namespaced'],
    ['ConfigMap', 'extensions/v1beta1 Deployment', 'of old', notServed],
    ['ConfigMap', 'v1 Deployment', 'in no group', notServed],
    ['ConfigMap', 'autoscaling/v2beta2 HorizontalPodAutoscaler', 'which went', notServed],
    ['ConfigMap', 'apps/v1 deployment', 'in small letters'],
    ['ConfigMap', 'gone.example/v1 Deployment', 'of a group that serves nothing'],
    ['ConfigMap', 'v1 Secret, v1 ConfigMap', 'with one uid', sameUid],
    ['ConfigMap', 'events.k8s.io/v1 Event', 'which expires', expires],
  ])('a %s of %s, %s', async (of, kinds, _, refusal) => {
    const owners = kinds.split(', ').map((kind) => owner(...(kind.split(' ') as [string, string])));
    expect(await create(paths[of], withOwners('new', ...owners))).toBe(
      refusal === undefined ? 'passes' : `refused: ${refusal}: ${kinds.replace(/,.*/, '')} owner`,
    );
  });

  test('several controllers, and an Event of the core group, are refused without a policy', async () => {
    const two = ['ConfigMap', 'Secret'].map((kind, at) =>
      owner('v1', kind, { controller: true, uid: `${uid.slice(0, -1)}${at}` }),
    );
    expect(await create(configMaps, withOwners('new', ...two))).toMatch(
      /^ConfigMap "new" is invalid: .*Only one reference can have Controller set to true/,
    );
    expect(await create(configMaps, withOwners('new', owner('v1', 'Event')))).toMatch(
      /^ConfigMap "new" is invalid: .*Event is disallowed from being an owner/,
    );
  });

  test('the object itself, with a patch and with server-side apply', async () => {
    const made = await plane.make<{ metadata: { uid: string } }>('ConfigMap shop/own');
    const itself = { ...owner('v1', 'ConfigMap', { name: 'own' }), uid: made.metadata.uid };
    const metadata = { name: 'own', namespace: 'shop', ownerReferences: [itself] };
    const refused = /an object cannot own itself, and would never be collected: v1 ConfigMap own/;
    const body = JSON.stringify({ metadata });
    expect(await kubectl(`patch configmap own -n shop --type=merge -p ${body}`)).toMatch(refused);
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    expect(await kubectl('apply --server-side -f -', manifest)).toMatch(refused);
  });
});

test('what is wrong already can be labelled, applied, reported on, released and deleted', async () => {
  expect(await kubectl('label clusterrole wrong seen=true')).toBe(
    'clusterrole.rbac.authorization.k8s.io/wrong labeled\n',
  );
  const metadata = { name: 'wrong', annotations: { seen: 'true' } };
  const manifest = JSON.stringify({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: [] },
  });
  expect(await kubectl('apply --server-side -f -', manifest)).toBe(
    'clusterrole.rbac.authorization.k8s.io/wrong serverside-applied\n',
  );
  const status = '{"status":{"message":"seen"}}';
  expect(
    await kubectl(`patch persistentvolume wrong --subresource=status --type=merge -p ${status}`),
  ).toBe('persistentvolume/wrong patched\n');
  expect(await kubectl('delete persistentvolume wrong --timeout=90s')).toBe(
    'persistentvolume "wrong" deleted\n',
  );
  await plane.request(`${roles}/wrong`, { method: 'DELETE' });
  await plane.patch(`${roles}/wrong`, { metadata: { finalizers: [] } });
  await untilGone(plane, `${roles}/wrong`);
});

describe('a deletion', () => {
  const user = plane.kubeconfigFor({ user: 'alice', groups: ['system:masters'] });
  const approve = (what: string, name: string, until: string) =>
    kubectl(
      `annotate ${what} --overwrite kubectl-gc.io/deletion-approved-for=${name} kubectl-gc.io/deletion-approved-until=${until}`,
    );
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');

  beforeAll(async () => {
    await plane.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...customDefinition('Thing', 'example.com'),
    });
    for (const path of [shop, '/api/v1/namespaces/team']) {
      const labels = { 'kubectl-gc.io/protected': 'true' };
      await plane.create(`${path}/configmaps`, { metadata: { name: 'kept', labels } });
    }
  });

  test.each([
    ['namespace team', 'namespaces team'],
    ['crd things.example.com', 'customresourcedefinitions things.example.com'],
    ['configmap kept -n shop', 'configmaps kept'],
  ])('of %s needs an approval for who asks, that is not over', async (what, words) => {
    const remove = () => kubectl(`delete ${what} --timeout=90s`, '', user);
    expect(await remove()).toContain(
      `denied request: the deletion of ${words} is not approved for alice: annotate it with`,
    );
    const [kind = '', name = '', ...where] = what.split(' ');
    const target = [kind, name, ...where].join(' ');
    await approve(target, 'bob', inAnHour);
    expect(await remove()).toContain('is not approved for alice');
    for (const until of ['2026-01-01T00:00:00Z', 'tomorrow']) {
      await approve(target, 'alice', until);
      expect(await remove()).toContain('the approval of the deletion is over, or');
    }
    await approve(target, 'alice', inAnHour);
    expect(await remove()).toMatch(new RegExp(`"${name}" deleted`));
  });

  test('of a collection spares what is protected, and the garbage collector is let pass', async () => {
    const labels = { 'kubectl-gc.io/protected': 'true', set: 'one' };
    const root = await plane.make<{ metadata: { uid: string } }>('ConfigMap shop/root');
    const ownerReferences = [owner('v1', 'ConfigMap', { name: 'root', uid: root.metadata.uid })];
    await plane.make('ConfigMap shop/child', { metadata: { labels, ownerReferences } });
    const path = `${shop}/configmaps?labelSelector=set%3Done`;
    expect((await plane.request(path, { method: 'DELETE' })).body).toContain('is not approved for');
    expect(await kubectl('delete configmap root -n shop')).toContain('"root" deleted');
    await untilGone(plane, `${shop}/configmaps/child`);
  });
});

test('controllers work, and none of their requests is refused', async () => {
  const namespace = '/api/v1/namespaces/busy';
  await plane.make('Namespace busy');
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  };
  await plane.make('Deployment busy/web', {
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  });
  await plane.make('Job busy/once', {
    spec: {
      template: { spec: { ...template.spec, restartPolicy: 'Never' } },
    },
  });
  await plane.make('Service busy/web', {
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await eventually('pods of both', async () => {
    const { items } = await plane.get<{ items: unknown[] }>(`${namespace}/pods`);
    return items.length === 2;
  });
  await kubectl('scale deployment web -n busy --replicas=3');
  const until = '2099-01-01T00:00:00Z';
  await plane.patch(namespace, {
    metadata: {
      annotations: {
        'kubectl-gc.io/deletion-approved-for': 'admin',
        'kubectl-gc.io/deletion-approved-until': until,
      },
    },
  });
  expect(await kubectl('delete namespace busy --timeout=90s')).toBe('namespace "busy" deleted\n');
  const refusals = plane
    .controllerLog()
    .split('\n')
    .filter((line) => line.includes('denied'));
  expect(refusals).toEqual([]);
  const byPolicies = auditEvents().filter(({ responseStatus }) =>
    responseStatus?.message?.includes('ValidatingAdmissionPolicy'),
  );
  expect(byPolicies.length).toBeGreaterThan(0);
  expect(byPolicies.filter(({ user }) => user.username.includes(':kube-system:'))).toEqual([]);
});

test('the policies can be changed and removed while they refuse, and then warn or are silent', async () => {
  const clusterRole = JSON.stringify({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
    ...withOwners('new', owner('v1', 'ConfigMap')),
  });
  await install('Warn');
  expect(await kubectl('create --dry-run=server -f -', clusterRole)).toBe(
    [
      "Warning: Validation failed for ValidatingAdmissionPolicy 'kubectl-gc-namespaced-owner-of-cluster-object' with binding 'kubectl-gc-namespaced-owner-of-cluster-object': a cluster-scoped object cannot have a namespaced owner, and would never be collected: v1 ConfigMap owner",
      'clusterrole.rbac.authorization.k8s.io/new created (server dry run)\n',
    ].join('\n'),
  );
  await install('Audit');
  expect(await kubectl('create --dry-run=server -f -', clusterRole)).toBe(
    'clusterrole.rbac.authorization.k8s.io/new created (server dry run)\n',
  );
  const failures = await eventually('the entry in the audit log', async () => {
    const written = auditEvents().findLast(({ objectRef }) => objectRef?.name === 'new');
    return written?.annotations?.['validation.policy.admission.k8s.io/validation_failure'];
  });
  expect(JSON.parse(failures)).toEqual([
    expect.objectContaining({
      policy: 'kubectl-gc-namespaced-owner-of-cluster-object',
      validationActions: ['Audit'],
    }),
  ]);
  await install('Deny');
  const selector = '-l app.kubernetes.io/managed-by=kubectl-gc';
  const removed = await kubectl(
    `delete validatingadmissionpolicies,validatingadmissionpolicybindings ${selector}`,
  );
  expect(removed.match(/deleted$/gm)).toHaveLength(16);
  expect((await plane.get<{ items: unknown[] }>(policies)).items).toEqual([]);
});
