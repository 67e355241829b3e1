import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { olderNode } from '../support/older-node.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { interruptGc } from '../support/watching.ts';
import { onTerminal } from './on-terminal.ts';
import { proxyOfFile } from './proxy.ts';

/** A person waits at a terminal for a server that takes its time. */
const plane = sharedControlPlane();
const env = { KUBECONFIG: plane.kubeconfigPath, TERM: 'xterm' };
const proxy = await proxyOfFile(plane);
const line = `orphans -n kube-public -s ${proxy.address}`;

beforeAll(() => plane.make('Namespace terminal'));
beforeEach(() => {
  proxy.before = ({ path }) => (path.includes('/configmaps') ? sleep(1500, undefined) : undefined);
});

test('progress is drawn while reading, and removed in the end', async () => {
  const { code, shown } = await onTerminal(line, { env, columns: 80 });
  expect(code).toBe(0);
  expect(stripVTControlCharacters(shown)).toMatch(
    /Reading the cluster: \d+ of \d+ kinds, \d+ objects.*No orphans found in kube-public namespace\.\r\nLeft without owner references: kubectl gc orphans [^\n]+\n$/s,
  );
  // The line is cleared, and the cursor is back, before the answer.
  expect(shown).toContain('\u001b[0K\u001b[?25hNo orphans found');
});

test('Ctrl-C ends the waiting immediately: 130', async () => {
  proxy.before = ({ path }) =>
    path.includes('/configmaps') ? new Promise(() => undefined) : undefined;
  const at = 'Reading the cluster';
  const { code, shown } = await onTerminal(line, { env, columns: 80, typed: '\u0003', at });
  expect(code).toBe(130);
  expect(stripVTControlCharacters(shown)).not.toContain('No orphans found');
  expect(shown.endsWith('\u001b[?25h')).toBe(true);
});

test('a terminal without a size gets the answer alone', async () => {
  const { code, shown } = await onTerminal(line, { env });
  const [answer, next, ...others] = shown.split('\r\n');
  expect([code, answer, others]).toEqual([0, 'No orphans found in kube-public namespace.', ['']]);
  expect(next).toMatch(/^Left without owner references: kubectl gc orphans /);
});

/** Under an older Node the launcher starts another process, and a cancelled run must stop all the same. */
const namespace = 'terminal';
const old = { ...env, ...olderNode() };
const held = (name: string) =>
  plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { finalizers: ['example.com/hold'] } });
const release = (name: string) =>
  plane.patch(`ConfigMap ${namespace}/${name}`, { metadata: { finalizers: null } });

test('by an older Node: after the signal nothing more is sent', async () => {
  const names = ['a', 'b', 'c'];
  for (const name of names) await held(name);
  const deleted = () =>
    proxy.requests.filter(({ method }) => method === 'DELETE').map((request) => request.path);
  // Each request waits for the one before; the second is answered long after the signal.
  let asked = 0;
  proxy.before = ({ method }) =>
    method === 'DELETE' && ++asked > 1 ? sleep(4000, undefined) : undefined;
  const { code, stderr } = await interruptGc(
    `delete cm a b c -n ${namespace} --yes --no-backup --wait=false -s ${proxy.address}`,
    'configmap "a" deleted',
    old,
    'SIGTERM',
  );
  expect(code).toBe(130);
  const sent = deleted();
  expect(sent.length).toBeLessThan(3);
  expect(stderr).toContain('the run ended before');
  await sleep(1500);
  expect(deleted()).toEqual(sent);
  for (const name of names) await release(name);
});

test('by an older Node: Ctrl-C on a terminal is one press, although both processes hear of it', async () => {
  await held('pressed');
  const { code, shown } = await onTerminal(`delete cm/pressed -n ${namespace} --yes --no-backup`, {
    env: old,
    columns: 100,
    typed: '\u0003',
    at: 'configmap "pressed" deleted',
  });
  expect(code).toBe(130);
  expect(shown).toContain('interrupted: 1 sent');
  await release('pressed');
});
