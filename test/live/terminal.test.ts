import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { onTerminal } from './on-terminal.ts';
import { proxyOfFile } from './proxy.ts';

/** A person waits at a terminal for a server that takes its time. */
const plane = sharedControlPlane();
const env = { KUBECONFIG: plane.kubeconfigPath, TERM: 'xterm' };
const proxy = await proxyOfFile(plane);
const line = `orphans -n kube-public -s ${proxy.address}`;

beforeEach(() => {
  proxy.before = ({ path }) => (path.includes('/configmaps') ? sleep(1500, undefined) : undefined);
});

test('what is being read is told meanwhile, and taken away in the end', async () => {
  const { code, shown } = await onTerminal(line, { env, columns: 80 });
  expect(code).toBe(0);
  expect(stripVTControlCharacters(shown)).toMatch(
    /Reading the cluster: \d+ of \d+ kinds, \d+ objects.*No orphans found in kube-public namespace\.\r\n$/s,
  );
  // The line is cleared, and the cursor is back, before the answer.
  expect(shown).toContain('\u001b[0K\u001b[?25hNo orphans found');
});

test('Ctrl-C ends the waiting at once: 130', async () => {
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
  expect([code, shown]).toEqual([0, 'No orphans found in kube-public namespace.\r\n']);
});
