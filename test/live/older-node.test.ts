import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { olderNode } from '../support/older-node.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { interruptGc } from './interrupt-gc.ts';
import { onTerminal } from './on-terminal.ts';
import { proxyOfFile } from './proxy.ts';

/** Under an older Node the launcher starts another process, and a cancelled run must stop all the same. */
const plane = sharedControlPlane();
const namespace = 'older-node';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const env = { ...olderNode(), KUBECONFIG: plane.kubeconfigPath, TERM: 'xterm' };
const held = ['example.com/hold'];
const proxy = await proxyOfFile(plane);

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
});

async function release(name: string): Promise<void> {
  await plane.patch(`${path}/${name}`, { metadata: { finalizers: null } });
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s to the first process ends the deletion: what was done is told, exit 130',
  async (signal) => {
    const name = signal.toLowerCase();
    await plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { finalizers: held } });
    const { code, stdout, stderr } = await interruptGc(
      `delete cm/${name} -n ${namespace} --no-backup`,
      `configmap "${name}" deleted`,
      env,
      signal,
    );
    expect([code, stdout]).toEqual([
      130,
      `configmap "${name}" deleted from ${namespace} namespace\n`,
    ]);
    expect(stderr).toMatch(/^interrupted: 1 sent/m);
    expect(stderr).toContain(`kubectl gc why configmap/${name} -n ${namespace}\n`);
    await release(name);
  },
);

test('after the signal nothing more is sent', async () => {
  const names = ['a', 'b', 'c'];
  for (const name of names)
    await plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { finalizers: held } });
  const deleted = () =>
    proxy.requests.filter(({ method }) => method === 'DELETE').map((request) => request.path);
  // Each request waits for the one before; the second is answered long after the signal.
  let asked = 0;
  proxy.before = ({ method }) =>
    method === 'DELETE' && ++asked > 1 ? sleep(4000, undefined) : undefined;
  const { code, stderr } = await interruptGc(
    `delete cm a b c -n ${namespace} --yes --no-backup --wait=false -s ${proxy.address}`,
    'configmap "a" deleted',
    env,
    'SIGTERM',
  );
  expect(code).toBe(130);
  const sent = deleted();
  expect(sent.length).toBeLessThan(3);
  expect(stderr).toContain('the run ended before');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(deleted()).toEqual(sent);
  for (const name of names) await release(name);
});

test('Ctrl-C on a terminal is one press, although both processes hear of it', async () => {
  await plane.make(`ConfigMap ${namespace}/pressed`, { metadata: { finalizers: held } });
  const { code, shown } = await onTerminal(`delete cm/pressed -n ${namespace} --yes --no-backup`, {
    env,
    columns: 100,
    typed: '\u0003',
    at: 'configmap "pressed" deleted',
  });
  expect(code).toBe(130);
  expect(shown).toContain('interrupted: 1 sent');
  await release('pressed');
});
