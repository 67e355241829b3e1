import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { deny, webhookFor } from '../support/admission.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground, referenceTo } from './delete-playground.ts';
import { startDenyingWebhook } from './denying-webhook.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy } from './proxy.ts';

/** What the API server itself refuses to delete, and what a preview says of it. */
const plane = sharedControlPlane();
const { env, folder, run, familyIn, namesIn, remove } = playground(plane);

const made: string[] = [];

const inNamespace = (namespace: string) => ({
  matchLabels: { 'kubernetes.io/metadata.name': namespace },
});

/** Nobody may delete a ConfigMap of this name there. */
async function denyDeletion(namespace: string, name: string, message: string): Promise<void> {
  const policy = `${namespace}-${name}`;
  made.push(`ValidatingAdmissionPolicy ${policy}`, `ValidatingAdmissionPolicyBinding ${policy}`);
  await deny(plane, policy, {
    operation: 'DELETE',
    resource: 'configmaps',
    expression: `oldObject.metadata.name != '${name}'`,
    message,
    namespaceSelector: inNamespace(namespace),
  });
  await refusedBy(`ConfigMap ${namespace}/${name}`);
}

/** Resolves when the API server refuses to delete what is there. */
async function refusedBy(path: string): Promise<void> {
  await eventually(`${path} is refused`, async () => {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    const { status } = await plane.remove(path, body);
    return status >= 400;
  });
}

const previewOf = async (line: string) => {
  const { code, stdout } = await run(`${line} --preview -o json`);
  expect(code).toBe(0);
  const { requests, objects, refusals = [], remarks }: Plan = validDocument('plan', stdout);
  return {
    requests: requests.map(({ name }) => name),
    fates: objects.map(({ name, fate, then }) => `${name} ${fate}${then ? `, then ${then}` : ''}`),
    refusals: refusals.map(({ code: why, message }) => `${why}: ${message}`),
    remarks: remarks.flatMap(({ code: about, message }) =>
      about.includes('refus') ? message : [],
    ),
  };
};

/** A ConfigMap whose owner does not exist. */
async function makeGarbage(namespace: string): Promise<string> {
  const uid = '0a000000-0000-4000-8000-000000000000';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid }];
  const garbage = `ConfigMap ${namespace}/garbage`;
  await plane.make(garbage, { metadata: { ownerReferences } });
  return garbage;
}

/** What `why` says of a living object that refuses its deletion. */
async function refusalLinksOf(object: string): Promise<string[]> {
  const { stdout } = await gc(`why ${object} -o json`, { env });
  const { items }: DiagnosisReport = validDocument('why', stdout);
  expect(items.map(({ state }) => state)).toEqual(['alive']);
  return items
    .flatMap(({ chain }) => chain.links)
    .filter(({ cause }) => ['admission-webhook-down', 'deletion-refused'].includes(cause))
    .map(({ cause, state: how, object: { kind, name } }) => `${cause} ${how} ${kind}/${name}`);
}

afterAll(async () => {
  for (const path of made.reverse()) await plane.remove(path);
  await remove();
});

const denied = (policy: string, name: string, words: string) =>
  `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${words}`;

test('a policy that denies it keeps what was named and all below it, in the words of the server', async () => {
  const namespace = 'refused-policy';
  const path = await familyIn(namespace);
  await denyDeletion(namespace, 'top', 'keep \u001b[31mthis');
  const words = denied(`${namespace}-top`, 'top', 'keep \u001b[31mthis');
  expect(await previewOf(`cm/top -n ${namespace}`)).toEqual({
    requests: [],
    fates: ['top kept'],
    refusals: [
      `refused-by-server: the API server refuses this: ConfigMap ${namespace}/top: ${words}`,
    ],
    remarks: [],
  });
  const table = await run(`cm/top -n ${namespace} --preview`);
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(
    /^Would be refused: the API server refuses this: .*\n\n1 stays: 1 ConfigMap\.\n$/ms,
  );
  expect(table.stdout).toContain('keep ^[[31mthis');
  expect(table.stdout + table.stderr).not.toContain('\u001b');
  expect(table.stderr).not.toContain('Delete:');
  const compared = await run(`cm/top -n ${namespace} --compare -o json`);
  const { policies } = validDocument('deletion-comparison', compared.stdout);
  expect(policies.foreground).toMatchObject({ deleted: 0, kept: 1 });
  expect(compared.stderr).toContain('Warning: would be refused: the API server refuses this: ');
  expect(await refusalLinksOf(`cm/top -n ${namespace}`)).toEqual([
    'deletion-refused holds ConfigMap/top',
  ]);
  const ended = await run(`cm/top -n ${namespace} --yes`);
  expect([ended.code, ended.stdout]).toEqual([3, '']);
  expect(ended.stderr).toContain('denied request: keep');
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
});

test('of several each is refused or accepted by itself, and a question is asked about the rest', async () => {
  const namespace = 'refused-some';
  const path = await familyIn(namespace);
  await plane.create(path, { metadata: { name: 'alone' } });
  await denyDeletion(namespace, 'top', 'keep this');
  const line = `cm/top cm/alone -n ${namespace}`;
  const { fates, requests } = await previewOf(line);
  expect([requests, fates]).toEqual([['alone'], ['top kept', 'alone deleted']]);
  const { code, shown } = await onTerminal(`delete ${line}`, { env, typed: 'y\r' });
  expect(shown).toContain('Delete this object? (y/N)');
  expect(shown).toContain('configmap "alone" deleted');
  expect(shown).toContain('denied request: keep this');
  expect(code).toBe(4);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
  const nothing = await onTerminal(`delete cm/top -n ${namespace}`, { env, typed: 'y\r' });
  expect(nothing.code).toBe(3);
  expect(nothing.shown).toContain(': 1 ConfigMap.');
  expect(nothing.shown).not.toContain('(y/N)');
});

test('a saved plan is performed in full or not at all', async () => {
  const namespace = 'refused-saved';
  const path = await familyIn(namespace);
  await plane.create(path, { metadata: { name: 'alone' } });
  const file = join(folder, `${namespace}.json`);
  expect((await run(`cm/top cm/alone -n ${namespace} --plan ${file}`)).code).toBe(0);
  await denyDeletion(namespace, 'top', 'keep this');
  const { requests, fates } = await previewOf(`--plan ${file}`);
  expect([requests, fates]).toEqual([['alone'], ['top kept', 'alone deleted']]);
  const { code, shown } = await onTerminal(`delete --plan ${file}`, { env, typed: 'y\r' });
  expect(code).toBe(3);
  expect(shown).toMatch(/^error: the API server refuses this: ConfigMap .*; nothing was sent/m);
  expect(await namesIn(path)).toHaveLength(5);
});

test('a webhook without its Service refuses, and is named for dependents', async () => {
  const namespace = 'refused-webhook';
  const path = await familyIn(namespace);
  const held = `Secret ${namespace}/held`;
  const webhook = webhookFor('DELETE', '*', {
    name: 'gone.example.com',
    clientConfig: { service: { namespace, name: 'gone' } },
    namespaceSelector: inNamespace(namespace),
    objectSelector: { matchLabels: { guarded: 'yes' } },
  });
  made.push(`ValidatingWebhookConfiguration ${namespace}`);
  await plane.make(`ValidatingWebhookConfiguration ${namespace}`, webhook);
  const ownerReferences = [referenceTo(await plane.get(`${path}/top`))];
  const labels = { guarded: 'yes' };
  await plane.make(held, { metadata: { labels, ownerReferences } });
  await refusedBy(held);
  const along = await previewOf(`cm/top -n ${namespace}`);
  expect(along).toEqual({
    requests: ['top'],
    fates: expect.arrayContaining(['held kept, then deleted', 'top deleted']),
    refusals: [],
    remarks: [
      `The API server refuses to delete Secret held: the admission webhook gone.example.com has no server (Service ${namespace}/gone), and its failurePolicy is Fail. First bring its server back, or delete ValidatingWebhookConfiguration ${namespace}.`,
    ],
  });
  const service = { spec: { ports: [{ port: 443 }], selector: { app: 'gone' } } };
  await plane.make(`Service ${namespace}/gone`, service);
  expect((await previewOf(`cm/top -n ${namespace}`)).fates).toContain('held kept, then deleted');
  await plane.remove(`Service ${namespace}/gone`);
  const whole = (await previewOf(`ns/${namespace}`)).fates;
  expect(whole.filter((fate) => /^(held|refused-webhook) /.test(fate))).toEqual([
    `${namespace} terminating, then deleted`,
    'held kept, then deleted',
  ]);
  expect(await refusalLinksOf(`secret/held -n ${namespace}`)).toEqual([
    `admission-webhook-down holds ValidatingWebhookConfiguration/${namespace}`,
  ]);
  const root = await previewOf(`secret/held -n ${namespace}`);
  expect([root.requests, root.fates]).toEqual([[], ['held kept']]);
  expect(root.refusals.join()).toMatch(
    /^refused-by-server: the API server refuses this: Secret refused-webhook\/held: Internal error occurred: failed calling webhook "gone\.example\.com": .*service "gone" not found$/,
  );
  const ended = await run(`secret/held -n ${namespace} --yes`);
  expect(ended.code).toBe(3);
  expect(ended.stderr).toContain('failed calling webhook "gone.example.com"');
  expect(await plane.isHealthy(held)).toBe(true);
});

test('of a namespace that is being deleted a forecast says what a webhook without its Service keeps', async () => {
  const namespace = 'refused-forecast';
  await familyIn(namespace);
  const configuration = `ValidatingWebhookConfiguration ${namespace}`;
  const webhook = webhookFor('DELETE', 'configmaps', {
    name: 'gone.example.com',
    clientConfig: { service: { namespace, name: 'gone' } },
    namespaceSelector: inNamespace(namespace),
  });
  made.push(configuration);
  await plane.make(configuration, webhook);
  await refusedBy(`ConfigMap ${namespace}/top`);
  await plane.remove(`Namespace ${namespace}`);
  const { code, stdout } = await gc(`forecast -n ${namespace} -o json`, { env });
  expect(code).toBe(0);
  const { items }: ForecastReport = validDocument('forecast', stdout);
  const of = (kind: string) => items.filter(({ object }) => object.kind === kind);
  const maps = of('ConfigMap').filter(({ action }) => action === 'delete');
  expect(maps.map(({ object }) => object.name)).toEqual(expect.arrayContaining(['bottom', 'top']));
  expect(maps.filter(({ held, gone }) => held === undefined || gone !== undefined)).toEqual([]);
  expect(of('Namespace').map(({ confidence }) => confidence)).not.toContain('certain');
  expect(await plane.isHealthy(`ConfigMap ${namespace}/top`)).toBe(true);
  await plane.remove(configuration);
  await eventually(
    `${namespace} is deleted`,
    async () => !(await plane.isHealthy(`Namespace ${namespace}`)),
  );
});

test('what the garbage collector was refused may be deleted with the webhook that has no server, and is', async () => {
  const namespace = 'refused-lifted';
  await familyIn(namespace);
  const configuration = `ValidatingWebhookConfiguration ${namespace}`;
  made.push(configuration);
  await plane.make(
    configuration,
    webhookFor('DELETE', 'configmaps', {
      name: 'gone.example.com',
      clientConfig: { service: { namespace, name: 'gone' } },
      namespaceSelector: inNamespace(namespace),
    }),
  );
  await refusedBy(`ConfigMap ${namespace}/top`);
  const garbage = await makeGarbage(namespace);
  const target = `validatingwebhookconfiguration/${namespace}`;
  const { fates } = await previewOf(target);
  expect(fates).toEqual([`${namespace} deleted`, 'garbage unknown']);
  expect(await plane.isHealthy(garbage)).toBe(true);
  expect((await run(`${target} --yes`)).code).toBe(0);
  await eventually('garbage is deleted', async () => !(await plane.isHealthy(garbage)));
});

test.each(['service/hook', 'namespace'])(
  'what a webhook refuses may be deleted with its %s where it is passed over without an answer, and is',
  async (what) => {
    const [kind] = what.split('/');
    const [hooks, namespace] = [`refused-hooks-${kind}`, `refused-passed-${kind}`];
    await familyIn(namespace);
    await plane.make(`Namespace ${hooks}`);
    const webhook = await startDenyingWebhook(plane, hooks);
    const configuration = `ValidatingWebhookConfiguration ${namespace}`;
    made.push(configuration, `Namespace ${hooks}`);
    await plane.make(
      configuration,
      webhookFor('DELETE', 'configmaps', {
        clientConfig: webhook.clientConfig,
        failurePolicy: 'Ignore',
        namespaceSelector: inNamespace(namespace),
      }),
    );
    await refusedBy(`ConfigMap ${namespace}/top`);
    const garbage = await makeGarbage(namespace);
    const before = webhook.asked();
    await eventually('the garbage collector was refused', async () => webhook.asked() > before);
    const line = what === 'namespace' ? `namespace/${hooks}` : `${what} -n ${hooks}`;
    expect((await previewOf(line)).fates).toContain('garbage unknown');
    expect(await plane.isHealthy(garbage)).toBe(true);
    expect((await run(`${line} --yes`)).code).toBe(0);
    // The garbage collector waits longer after each attempt.
    await eventually('garbage is deleted', async () => !(await plane.isHealthy(garbage)));
    webhook.stop();
  },
);

test.each(['--dry-run=server', '--preview', '--yes'])(
  'delete %s names a namespace that does not exist',
  async (how) => {
    const { code, stderr } = await run(`cm/top -n refused-nowhere ${how}`);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('namespaces "refused-nowhere" not found'),
    ]);
  },
);

test('a preview sends nothing but questions and dry runs of what was named', async () => {
  const namespace = 'refused-wire';
  const path = await familyIn(namespace);
  const proxy = await startProxy(plane);
  const changing: string[] = [];
  proxy.before = ({ method, path: at }, body) => {
    if (method !== 'GET' && !at.endsWith('/selfsubjectaccessreviews'))
      changing.push(`${method} ${at} ${JSON.stringify(JSON.parse(body).dryRun)}`);
    return undefined;
  };
  const through = `-n ${namespace} --server ${proxy.address}`;
  for (const named of ['cm/top', `ns/${namespace}`, 'cm --all']) {
    for (const how of ['--preview', '--preview -o json', '--compare', '--dry-run=client -o json']) {
      const { code } = await run(`${named} ${through} ${how}`);
      expect([named, how, code]).toEqual([named, how, 0]);
    }
  }
  await onTerminal(`delete cm/top ${through}`, { env, typed: 'n\r' });
  await proxy.close();
  const named = `DELETE ${path}/top?dryRun=All ["All"]`;
  expect(changing.filter((each) => each === named)).toHaveLength(4 + 3);
  const dryRun = /^DELETE \S+\?dryRun=All \["All"\]$/;
  expect(changing.filter((each) => !dryRun.test(each))).toEqual([]);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
});
