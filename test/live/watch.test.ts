import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { bareEnvironment, bin } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching, type Watching } from '../support/watching.ts';
import { onTerminal } from './on-terminal.ts';
import { isWatch, proxyOfFile } from './proxy.ts';

/** Answers that are kept up to date by watches, on pipes and on a terminal. */
const plane = sharedControlPlane();
const namespace = 'watched';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const proxy = await proxyOfFile(plane);
let running: Watching[] = [];

const watching = (line: string) => {
  const started = startWatching(`${line} -w -n ${namespace} -s ${proxy.address}`, {});
  running.push(started);
  return started;
};

function owned(name: string, { metadata }: KubeObject, more: object = {}) {
  const { name: owner, uid } = metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }];
  return plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { ownerReferences, ...more } });
}

const configMap = (name: string, more: object = {}) =>
  plane.make(`ConfigMap ${namespace}/${name}`, { metadata: more });
const remove = (name: string, policy = 'Background') =>
  plane.request(`${configMaps}/${name}`, {
    method: 'DELETE',
    body: { propagationPolicy: policy },
    headers: { 'content-type': 'application/json' },
  });
const release = (name: string) =>
  plane.patch(`${configMaps}/${name}`, { metadata: { finalizers: null } });
const held = { finalizers: ['example.com/hold'] };

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
});
afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
  running = [];
});

test('a tree is shown again with what came, changed and went; Ctrl-C ends it with 130', async () => {
  const root = await configMap('root');
  await owned('first', root);
  const tree = watching('tree cm/root');
  await tree.shows('ConfigMap/first');
  await owned('second', root);
  await tree.shows(/^\+ +└─ ConfigMap\/second/m);
  await remove('first');
  await tree.shows(/^- +├─ ConfigMap\/first/m);
  await plane.patch(`${configMaps}/second`, { metadata: held });
  await tree.shows(/^~ +└─ ConfigMap\/second .*finalizers: example.com\/hold/m);
  await release('second');
  await tree.shows(/^~ +└─ ConfigMap\/second/m);
  const { code, stderr } = await tree.end();
  expect([code, stderr]).toEqual([130, '']);
  // Each kind was listed once, and is watched since.
  const lists = proxy.requests.filter(
    (request) => request.path.includes('/configmaps?') && !isWatch(request),
  );
  expect(lists).toHaveLength(1);
});

test('a root that goes is said to be gone, and is shown again when it comes back', async () => {
  await configMap('phoenix');
  const tree = watching('tree cm/phoenix');
  await tree.shows('ConfigMap/phoenix');
  await remove('phoenix');
  await tree.tells('configmaps "phoenix" not found');
  await configMap('phoenix');
  await tree.shows(/ConfigMap\/phoenix/);
  expect((await tree.end('SIGTERM')).code).toBe(130);
});

test('JSON has one document a line, the first before anything changed', async () => {
  const orphans = watching('orphans -o json');
  await orphans.shows('"items":[]');
  const owner = await configMap('owner');
  // Only an owner that is not the last one may be gone for longer than a moment.
  const other = await configMap('other');
  const references = [owner, other].map(({ metadata: { name, uid } }) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', name, uid },
  }));
  await configMap('left', { ownerReferences: references, ...held });
  await remove('owner', 'Orphan');
  await remove('left');
  await remove('other');
  await orphans.shows('"name":"left"');
  await release('left');
  await orphans.shows('"items":[]');
  const { stdout } = await orphans.end();
  const documents = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(documents.every(({ kind }) => kind === 'Orphans')).toBe(true);
});

test('why follows the chain until the object is gone', async () => {
  await configMap('stuck', held);
  const why = watching('why cm/stuck');
  await why.shows('ConfigMap/stuck in watched is alive');
  await remove('stuck');
  await why.shows('waiting for finalizer example.com/hold');
  await release('stuck');
  await why.shows('ConfigMap/stuck in watched does not exist');
  expect((await why.end()).code).toBe(130);
});

test('a forecast prints a line for what is new', async () => {
  const forecast = watching('forecast');
  await forecast.tells('No deletions found');
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await plane.make(`Job ${namespace}/done`, {
    spec: {
      ttlSecondsAfterFinished: 7200,
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
    },
  });
  const lastTransitionTime = new Date().toISOString();
  const conditions = ['FailureTarget', 'Failed'].map((type) => {
    return { type, status: 'True', reason: 'DeadlineExceeded', lastTransitionTime };
  });
  const status = { startTime: lastTransitionTime, conditions };
  await plane.patch(`${jobs}/done/status`, { status });
  await forecast.shows(/Job\/done +will be deleted/);
  await plane.request(`${jobs}/done`, { method: 'DELETE' });
  await forecast.shows(/^- .*Job\/done/m);
  await forecast.end();
});

test('watches that break are opened again, which is said, and nothing is missed', async () => {
  const root = await configMap('cut');
  const tree = watching('tree cm/cut');
  await tree.shows('ConfigMap/cut');
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await tree.tells(/The watch of \S+ and of \d+ other kinds broke, and is tried again: /);
  await owned('meanwhile', root);
  proxy.before = () => undefined;
  await tree.tells('Watching again, and no change was missed.');
  await tree.shows(/^\+ +└─ ConfigMap\/meanwhile/m);
  await tree.end();
});

test('what the server has forgotten meanwhile is listed again, which is said', async () => {
  const root = await configMap('expired');
  await owned('gone-meanwhile', root);
  const tree = watching('tree cm/expired');
  await tree.shows('ConfigMap/gone-meanwhile');
  let refused = 0;
  proxy.before = (request) => {
    if (!isWatch(request) || !request.path.includes('/configmaps') || refused++ > 0)
      return undefined;
    return { status: 410 };
  };
  await remove('gone-meanwhile');
  proxy.cutWatches();
  await tree.tells('after listing 1 kind again');
  await tree.shows(/^- +└─ ConfigMap\/gone-meanwhile/m);
  await tree.end();
});

test('many changes at a time are shown together, which is said', async () => {
  const root = await configMap('busy');
  await owned('counter', root);
  const tree = watching('tree cm/busy -o json');
  await tree.shows('"name":"counter"');
  // All of them arrive at once, however slow the machine is.
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await tree.tells('broke');
  for (let at = 0; at < 100; at++) {
    await plane.patch(`${configMaps}/counter`, { metadata: { labels: { at: String(at) } } });
  }
  await plane.patch(`${configMaps}/counter`, { metadata: held });
  proxy.before = () => undefined;
  await tree.shows('example.com/hold');
  await release('counter');
  const { stdout, stderr } = await tree.end();
  expect(stderr).toMatch(
    /^Note: \d+ changes in \d+\.\d s are shown together; what was in between is skipped\.$/m,
  );
  expect(stdout.trimEnd().split('\n').length).toBeLessThan(20);
});

test('it ends when the reader of the pipe has gone', async () => {
  const root = await configMap('short');
  const line = `"${process.execPath}" "${bin}" tree cm/short -w -n ${namespace} -s ${proxy.address}`;
  const child = spawn('bash', ['-c', `set -o pipefail; ${line} | head -n 2`], {
    env: { ...bareEnvironment },
  });
  child.stdout.once('data', () => void owned('late', root));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});

test('on a terminal the picture is drawn in its place, and the last one stays', async () => {
  const root = await configMap('drawn');
  await owned('leaf', root);
  const { code, shown } = await onTerminal(`tree cm/drawn -w -n ${namespace}`, {
    env: { KUBECONFIG: plane.kubeconfigPath, TERM: 'xterm' },
    columns: 80,
    at: 'Ctrl-C ends.',
    typed: '\u0003',
  });
  expect(code).toBe(130);
  const [before = '', drawn = '', after = ''] = shown
    .replace('\u001b[?1049l', '\u001b[?1049h')
    .split('\u001b[?1049h');
  expect(before).not.toContain('ConfigMap/drawn');
  expect(stripVTControlCharacters(drawn)).toMatch(
    /^ {2}NAME +READY.*ConfigMap\/drawn.*ConfigMap\/leaf.*\r\nAs of \S+Z\. Ctrl-C ends\./s,
  );
  expect(stripVTControlCharacters(after)).toMatch(
    /^NAME +READY[^\n]*\nConfigMap\/drawn[^\n]*\n└─ ConfigMap\/leaf[^\n]*\n$/,
  );
});
