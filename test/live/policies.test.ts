import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { pathOf } from '../support/object-address.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';

/** What `policies` prints, on a real API server with all of its controllers, each with an account of its own. */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
writeFileSync(
  join(folder, 'audit-policy.json'),
  JSON.stringify({
    ...{ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] },
    rules: [{ level: 'Request', verbs: ['create', 'update', 'patch', 'delete'] }],
  }),
);
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: [...exampleDefinitions, customDefinition('Thing', 'example.com')],
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

const uid = '00000000-0000-4000-8000-000000000000';

type Reference = Readonly<Record<string, unknown>>;

const owner = (apiVersion: string, kind: string, more: Reference = {}): Reference => ({
  ...{ apiVersion, kind, name: 'owner', uid, ...more },
});
const ofConfigMap = { metadata: { ownerReferences: [owner('v1', 'ConfigMap')] } };

/** As kubectl prints: what was refused, what was warned of, and what was done. */
async function kubectl(line: string, input: object | string = '', kubeconfig?: string) {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const options = { input: text, kubeconfig: kubeconfig ?? plane.kubeconfigPath };
  const { stdout, stderr } = await plane.kubectl(line.split(' '), options);
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
async function install(action: 'Deny' | 'Warn' | 'Audit'): Promise<void> {
  const { code, stdout } = await gcHere(
    `policies --action ${action} -o json --kubeconfig ${plane.kubeconfigPath}`,
  );
  expect(code).toBe(0);
  const applied = await kubectl('apply --server-side --force-conflicts -f -', stdout);
  expect(applied).not.toMatch(/error|warning|denied/i);
  expect(applied.match(/serverside-applied/g)).toHaveLength(16);
  const shown = {
    Deny: /denied request/,
    Warn: /^Warning: Validation failed/,
    Audit: /^namespace/,
  };
  await eventually(`the policies to ${action}`, async () =>
    shown[action].test(await kubectl('delete namespace shop --dry-run=server')),
  );
}

/** An answer without an object is a refusal; of it only the text counts. */
async function tried(object: string, ...ownerReferences: readonly Reference[]): Promise<string> {
  const { status, body } = await plane.request(`${pathOf(object)}?dryRun=All`, {
    method: 'POST',
    body: { metadata: { name: 'new', ownerReferences } },
  });
  if (status < 300) return 'passes';
  const { message } = JSON.parse(body) as { message: string };
  return message.replace(/^.* with binding '.*' denied request: /s, 'refused: ');
}

beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('Namespace team');
  // Wrong already, when the policies come.
  await plane.make('ClusterRole wrong', ofConfigMap);
  await plane.patch('ClusterRole wrong', { metadata: { finalizers: ['example.com/hold'] } });
  await plane.make('PersistentVolume wrong', { ...ofConfigMap, spec: volumeSpec('data') });
  await install('Deny');
});

describe('a reference that is added', () => {
  const neverCollected =
    'a cluster-scoped object cannot have a namespaced owner, and would never be collected';
  const notServed =
    'no API serves the kind of this owner in this version, so it cannot be looked up';
  const sameUid = 'two references name the same uid, and removing one would remove both';
  const expires = 'an Event expires by itself, and the garbage collector does not watch its end';

  test.each<[of: string, owner: string, what: string, refusal?: string]>([
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
    const where = of === 'ConfigMap' ? 'shop/' : '';
    expect(await tried(`${of} ${where}`, ...owners)).toBe(
      refusal === undefined ? 'passes' : `refused: ${refusal}: ${kinds.replace(/,.*/, '')} owner`,
    );
  });

  test('several controllers, and an Event of the core group, are refused without a policy', async () => {
    const two = ['ConfigMap', 'Secret'].map((kind, at) =>
      owner('v1', kind, { controller: true, uid: `${uid.slice(0, -1)}${at}` }),
    );
    expect(await tried('ConfigMap shop/', ...two)).toMatch(
      /^ConfigMap "new" is invalid: .*Only one reference can have Controller set to true/,
    );
    expect(await tried('ConfigMap shop/', owner('v1', 'Event'))).toMatch(
      /^ConfigMap "new" is invalid: .*Event is disallowed from being an owner/,
    );
  });

  test('the object itself, with a patch and with server-side apply', async () => {
    const made = await plane.make('ConfigMap shop/own');
    const itself = owner('v1', 'ConfigMap', { name: 'own', uid: made.metadata.uid });
    const metadata = { name: 'own', namespace: 'shop', ownerReferences: [itself] };
    const refused = /an object cannot own itself, and would never be collected: v1 ConfigMap own/;
    const body = JSON.stringify({ metadata });
    expect(await kubectl(`patch configmap own -n shop --type=merge -p ${body}`)).toMatch(refused);
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    expect(await kubectl('apply --server-side -f -', manifest)).toMatch(refused);
  });
});

test('what is wrong already can be labelled, applied, reported on, released and deleted', async () => {
  const role = 'clusterrole.rbac.authorization.k8s.io/wrong';
  expect(await kubectl('label clusterrole wrong seen=true')).toBe(`${role} labeled\n`);
  const metadata = { name: 'wrong', annotations: { seen: 'true' } };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const manifest = { apiVersion, kind: 'ClusterRole', metadata, rules: [] };
  expect(await kubectl('apply --server-side -f -', manifest)).toBe(`${role} serverside-applied\n`);
  const status = '{"status":{"message":"seen"}}';
  const volume = 'persistentvolume wrong';
  expect(await kubectl(`patch ${volume} --subresource=status --type=merge -p ${status}`)).toBe(
    'persistentvolume/wrong patched\n',
  );
  expect(await kubectl(`delete ${volume} --timeout=90s`)).toBe(
    'persistentvolume "wrong" deleted\n',
  );
  await plane.remove('ClusterRole wrong');
  await plane.patch('ClusterRole wrong', { metadata: { finalizers: [] } });
  await untilGone(plane, 'ClusterRole wrong');
});

const approval = (who: string, until: string) => ({
  'kubectl-gc.io/deletion-approved-for': who,
  'kubectl-gc.io/deletion-approved-until': until,
});
const isProtected = { 'kubectl-gc.io/protected': 'true' };

describe('a deletion', () => {
  const user = plane.kubeconfigFor({ user: 'alice', groups: ['system:masters'] });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');

  beforeAll(async () => {
    for (const namespace of ['shop', 'team'])
      await plane.make(`ConfigMap ${namespace}/kept`, { metadata: { labels: isProtected } });
  });

  test.each([
    ['namespace team', 'Namespace team', 'namespaces team'],
    [
      'crd things.example.com',
      'CustomResourceDefinition things.example.com',
      'customresourcedefinitions things.example.com',
    ],
    ['configmap kept -n shop', 'ConfigMap shop/kept', 'configmaps kept'],
  ])('of %s needs a valid approval, for the same user', async (what, path, words) => {
    const remove = () => kubectl(`delete ${what} --timeout=90s`, '', user);
    const approve = (who: string, until: string) =>
      plane.patch(path, { metadata: { annotations: approval(who, until) } });
    expect(await remove()).toContain(
      `denied request: the deletion of ${words} is not approved for alice: annotate it with`,
    );
    await approve('bob', inAnHour);
    expect(await remove()).toContain('not approved for alice');
    for (const until of ['2026-01-01T00:00:00Z', 'tomorrow']) {
      await approve('alice', until);
      expect(await remove()).toContain('the deletion is over, or');
    }
    await approve('alice', inAnHour);
    expect(await remove()).toContain(`"${what.split(' ')[1]}" deleted`);
  });

  test('of a collection spares what is protected, and the garbage collector is let pass', async () => {
    const root = await plane.make('ConfigMap shop/root');
    const ownerReferences = [owner('v1', 'ConfigMap', { name: 'root', uid: root.metadata.uid })];
    const labels = { ...isProtected, set: 'one' };
    await plane.make('ConfigMap shop/child', { metadata: { labels, ownerReferences } });
    const all = `${pathOf('ConfigMap shop/')}?labelSelector=set%3Done`;
    expect((await plane.remove(all)).body).toContain('is not approved for');
    expect(await kubectl('delete configmap root -n shop')).toContain('"root" deleted');
    await untilGone(plane, 'ConfigMap shop/child');
  });
});

test('controllers work, and none of their requests is refused', async () => {
  await plane.make('Namespace busy');
  await plane.make('Deployment busy/web', workload('web'));
  const spec = { containers: [{ name: 'main', image: 'nginx' }], restartPolicy: 'Never' };
  await plane.make('Job busy/once', { spec: { template: { spec } } });
  await plane.make('Service busy/web', {
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await eventually('pods of both', async () => (await plane.names('Pod busy/')).length === 2);
  await kubectl('scale deployment web -n busy --replicas=3');
  const annotations = approval('admin', '2099-01-01T00:00:00Z');
  await plane.patch('Namespace busy', { metadata: { annotations } });
  expect(await kubectl('delete namespace busy --timeout=90s')).toBe('namespace "busy" deleted\n');
  const log = plane.controllerLog().split('\n');
  expect(log.filter((line) => line.includes('denied'))).toEqual([]);
  const byPolicies = auditEvents().filter(({ responseStatus }) =>
    responseStatus?.message?.includes('ValidatingAdmissionPolicy'),
  );
  expect(byPolicies.length).toBeGreaterThan(0);
  expect(byPolicies.filter(({ user }) => user.username.includes(':kube-system:'))).toEqual([]);
});

test('the policies can be changed and removed while they refuse, and then warn or are silent', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ...ofConfigMap };
  const manifest = { ...role, metadata: { ...role.metadata, name: 'new' } };
  const policy = 'kubectl-gc-namespaced-owner-of-cluster-object';
  const created = 'clusterrole.rbac.authorization.k8s.io/new created (server dry run)\n';
  const create = () => kubectl('create --dry-run=server -f -', manifest);
  await install('Warn');
  expect(await create()).toBe(
    `Warning: Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}': a cluster-scoped object cannot have a namespaced owner, and would never be collected: v1 ConfigMap owner\n${created}`,
  );
  await install('Audit');
  expect(await create()).toBe(created);
  const failures = await eventually('an entry of the audit log', async () => {
    const written = auditEvents().findLast(({ objectRef }) => objectRef?.name === 'new');
    return written?.annotations?.['validation.policy.admission.k8s.io/validation_failure'];
  });
  expect(JSON.parse(failures)).toEqual([
    expect.objectContaining({ policy, validationActions: ['Audit'] }),
  ]);
  await install('Deny');
  const kinds = 'validatingadmissionpolicies,validatingadmissionpolicybindings';
  const removed = await kubectl(`delete ${kinds} -l app.kubernetes.io/managed-by=kubectl-gc`);
  expect(removed.match(/deleted$/gm)).toHaveLength(16);
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  expect(await plane.names(policies)).toEqual([]);
});
