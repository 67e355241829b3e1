import { join } from 'node:path';
import { expect, test } from 'vitest';
import { customDefinition } from '../support/custom-resources.ts';
import { untilGone } from '../support/eventually.ts';
import { pathOf } from '../support/object-address.ts';
import { gcHere } from '../support/run-here.ts';
import { serveKind } from '../support/served-kinds.ts';
import { restoreStage } from './restore-stage.ts';

/** What a restoration leaves out, and what the command that a deletion prints brings back. */
const namespace = 'restore-left-out';
const { cluster, folder, backUp, restoreOf, remove } = restoreStage(namespace, 'restore-closing');
const configMap = (name: string) => `ConfigMap ${namespace}/${name}`;
const finalizers = ['example.com/hold'];
const release = async (path: string) => {
  await cluster.merge(path, { metadata: { finalizers: null } });
  await untilGone(cluster, path);
};

test('what was being deleted already is left out, unless it is asked for', async () => {
  await cluster.make(configMap('going'), { metadata: { finalizers } });
  await cluster.remove(configMap('going'));
  const stays = await cluster.make(configMap('stays'));
  const directory = await backUp('going', [await cluster.get(configMap('going'))], [stays]);
  const early = await restoreOf(`${directory} --yes`, 4);
  expect(early.ends).toEqual({ 'ConfigMap going': 'cannot', 'ConfigMap stays': 'exists' });
  await release(configMap('going'));
  await remove(configMap('stays'));
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({ 'ConfigMap going': 'skip', 'ConfigMap stays': 'created' });
  const asked = await restoreOf(`${directory} --yes --terminating`);
  expect(asked.ends).toEqual({ 'ConfigMap going': 'created', 'ConfigMap stays': 'exists' });
});

test('all that is in a namespace that is being deleted cannot be restored, also what is still there', async () => {
  const made = await cluster.make('ConfigMap restore-closing/app');
  const gone = await cluster.make('ConfigMap restore-closing/gone');
  const closing = await cluster.get('Namespace restore-closing');
  const directory = await backUp('closing', [closing], [made], [gone]);
  await remove('ConfigMap restore-closing/gone');
  // Its content is deleted five seconds later (namespaceDeletionGracePeriod, namespace_controller.go).
  await cluster.remove('Namespace restore-closing');
  const { ends } = await restoreOf(`${directory} --yes`, 4);
  expect(await cluster.isHealthy('ConfigMap restore-closing/app')).toBe(true);
  expect(new Set(Object.values(ends))).toEqual(new Set(['cannot']));
});

test('the command that is printed after Pods were deleted that had ended creates them again', async () => {
  for (const name of ['one', 'two']) {
    const pod = `Pod ${namespace}/${name}`;
    await cluster.make(pod, { spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } });
    const status = { phase: 'Failed', reason: 'Evicted' };
    await cluster.merge(`${pathOf(pod)}/status`, { status });
  }
  const place = `--kubeconfig ${cluster.kubeconfigPath}`;
  const directory = join(folder, 'evicted');
  const deleted = await gcHere(
    `delete pods --evicted -n ${namespace} --yes --backup ${directory} ${place}`,
  );
  const [, command = ''] = /: kubectl gc (restore .*)/.exec(deleted.stderr) ?? [];
  expect(command).toBe(`restore --finished ${directory} ${place}`);
  const { code, stdout } = await gcHere(`${command} --yes -o json`);
  const ends = JSON.parse(stdout).objects.map(({ outcome }: { outcome: string }) => outcome);
  expect([code, ends]).toEqual([0, ['created', 'created']]);
});

test('a token is left out without its ServiceAccount: the token controller deletes it', async () => {
  const [account, token] = [`ServiceAccount ${namespace}/robot`, `Secret ${namespace}/token`];
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const content = { metadata: { annotations }, type: 'kubernetes.io/service-account-token' };
  const robot = await cluster.make(account);
  const made = await cluster.make(token, content);
  const alone = await backUp('token', [made]);
  const both = await backUp('token-and-account', [made], [robot]);
  await remove(account);
  await untilGone(cluster, token);
  const { ends } = await restoreOf(`${alone} --yes`, 4);
  expect(ends).toEqual({ 'Secret token': 'cannot' });
  await cluster.make(token, content);
  await untilGone(cluster, token);
  const whole = await restoreOf(`${both} secret/token --yes`);
  expect(whole.ends).toEqual({ 'ServiceAccount robot': 'created', 'Secret token': 'created' });
  expect(Object((await cluster.get(token)).data).token).toBeDefined();
});

test('the status of a custom resource is restored, with a status subresource and without', async () => {
  const group = 'status.example.com';
  const [plain, split] = ['Plain', 'Split'].map((kind) => customDefinition(kind, group));
  const definition = Object(split);
  definition.spec.versions[0].subresources = { status: {} };
  const definitions = [
    await serveKind(cluster, Object(plain)),
    await serveKind(cluster, definition),
  ];
  const status = { balance: 7 };
  const objects = [];
  for (const kind of ['Plain', 'Split']) {
    const path = `${group}/v1 ${kind} ${namespace}/account`;
    await cluster.make(path, { status });
    if (kind === 'Split') await cluster.merge(`${pathOf(path)}/status`, { status });
    const made = await cluster.get(path);
    expect(made.status).toEqual(status);
    objects.push({ path, made });
  }
  const directory = await backUp('status', ...objects.map(({ made }) => [made] as [typeof made]));
  for (const { path } of objects) await remove(path);
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({ 'Plain account': 'created', 'Split account': 'created' });
  const after = await Promise.all(objects.map(({ path }) => cluster.get(path)));
  expect(after.map((one) => one.status)).toEqual([status, status]);
  expect(new Set(Object.values((await restoreOf(`${directory} --yes`)).ends))).toEqual(
    new Set(['exists']),
  );
  for (const path of definitions) await remove(path);
});
