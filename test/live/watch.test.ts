import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching, type Watching } from '../support/watching.ts';
import { onTerminal } from './on-terminal.ts';
import { isWatch, proxyOfFile } from './proxy.ts';

/** Answers that are kept up to date by watches, on pipes and on a terminal. */
const plane = sharedControlPlane();
const namespace = 'watched';
const proxy = await proxyOfFile(plane);
let running: Watching[] = [];

const watching = (line: string) => {
  const started = startWatching(`${line} -w -n ${namespace} -s ${proxy.address}`, {});
  running.push(started);
  return started;
};

const configMap = (name: string, ...owners: KubeObject[]) => {
  const ownerReferences = owners.map(({ metadata }) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid };
  });
  return plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { ownerReferences } });
};
const remove = (name: string) => plane.remove(`ConfigMap ${namespace}/${name}`);
const hold = (finalizers: readonly string[] | null) =>
  plane.patch(`ConfigMap ${namespace}/second`, { metadata: { finalizers } });

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
});
afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
  running = [];
});

test('a tree is shown again with what came, changed and went; Ctrl-C ends it with 130', async () => {
  const root = await configMap('root');
  await configMap('first', root);
  const tree = watching('tree cm/root');
  await tree.shows('ConfigMap/first');
  await configMap('second', root);
  await tree.shows(/^\+ +└─ ConfigMap\/second/m);
  await remove('first');
  await tree.shows(/^- +├─ ConfigMap\/first/m);
  await hold(['example.com/hold']);
  await tree.shows(/^~ +└─ ConfigMap\/second .*finalizers: example.com\/hold/m);
  await hold(null);
  await tree.shows(/^~ +└─ ConfigMap\/second/m);
  const { code, stderr } = await tree.end();
  expect([code, stderr]).toEqual([130, '']);
  // Each kind was listed once, and is watched since.
  const lists = proxy.requests.filter(
    (request) => request.path.includes('/configmaps?') && !isWatch(request),
  );
  expect(lists).toHaveLength(1);
});

test('watches that break are opened again, which is said, and nothing is missed', async () => {
  const root = await configMap('cut');
  const tree = watching('tree cm/cut');
  await tree.shows('ConfigMap/cut');
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await tree.tells(/The watch of \S+ and of \d+ other kinds broke, and is tried again: /);
  await configMap('meanwhile', root);
  proxy.before = () => undefined;
  await tree.tells('Watching again, and no change was missed.');
  await tree.shows(/^\+ +└─ ConfigMap\/meanwhile/m);
  await tree.end();
});

test('what the server has forgotten meanwhile is listed again, which is said', async () => {
  const root = await configMap('expired');
  await configMap('gone-meanwhile', root);
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

test('on a terminal the picture is drawn in its place, and the last one stays', async () => {
  const root = await configMap('drawn');
  await configMap('leaf', root);
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
