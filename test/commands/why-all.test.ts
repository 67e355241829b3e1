import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const stuck = '--from examples/clusters/stuck.yaml --now 2026-01-31T12:00:00Z';
const shop = '--from examples/clusters/shop.json.gz';

async function names(line: string): Promise<string[]> {
  const { code, stdout } = await gcHere(`why ${line} -o name`);
  expect(code).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

describe('why without an object', () => {
  test('lists every deletion that has not ended: stuck before unknown, namespaces first, then the oldest', async () => {
    expect(await names(`-A ${stuck} --complete`)).toEqual([
      'namespace/orders',
      'persistentvolumeclaim/data-db-0',
      'pod/db-0',
      'configmap/lost',
    ]);
    // What a file does not say is no proof that it is stuck.
    const { stdout } = await gcHere(`why -A ${stuck} -o json`);
    const { items, coverage } = JSON.parse(stdout);
    const states = items.map(
      ({ object, state }: never) => `${(object as { name: string }).name} ${state}`,
    );
    expect(states).toEqual(['orders stuck', 'data-db-0 stuck', 'db-0 stuck', 'lost unknown']);
    expect(coverage.complete).toBe(false);
  });

  test('takes a namespace, with the namespace itself', async () => {
    expect(await names(`-n orders ${stuck} --complete`)).toEqual([
      'namespace/orders',
      'persistentvolumeclaim/data-db-0',
      'pod/db-0',
    ]);
  });

  test('takes kinds with -A', async () => {
    expect(await names(`pods,configmaps -A ${stuck} --complete`)).toEqual([
      'pod/db-0',
      'configmap/lost',
    ]);
    expect(await names(`namespaces -A ${stuck} --complete`)).toEqual(['namespace/orders']);
  });

  test('names the command that says what to do about the worst', async () => {
    const { stdout, stderr } = await gcHere(`why -n orders ${stuck} --complete`);
    expect(stdout).toMatch(/^3 deletions have not ended: 3 stuck\.\n\nSTATE .*\nstuck .*\n$/);
    expect(stderr).toBe(
      [
        'What to do: kubectl gc why namespace/orders --from examples/clusters/stuck.yaml --complete --now 2026-01-31T12:00:00Z',
        '',
      ].join('\n'),
    );
  });

  test('says that nothing was found, where nothing is being deleted and where nothing is', async () => {
    const quiet = await gcHere(`why -n platform ${shop}`);
    expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([
      0,
      '',
      'No unfinished deletions found in platform namespace.\nThe input also holds 7 other namespaces: choose with -n, or all with -A.\n',
    ]);
    const nowhere = await gcHere(`why -n old ${shop}`);
    expect(nowhere.stderr).toBe(
      'No resources found in old namespace.\nThe input also holds 8 other namespaces: choose with -n, or all with -A.\n',
    );
  });

  test('takes no step: --fix wants one object', async () => {
    const { code, stderr } = await gcHere(`why -A --fix ${stuck}`);
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      'error: --fix takes one step at a time: name the object',
    ]);
  });
});

describe('why of one object', () => {
  test('begins with since when it is terminating and what it waits for; rules are left to wide', async () => {
    const line = `why configmap/lost -n orders-archive ${stuck} --complete`;
    const [first, ...rest] = (await gcHere(line)).stdout.split('\n');
    expect(first).toBe(
      'ConfigMap/lost in orders-archive is stuck: Terminating for 60m, waiting for finalizer finalizer.keda.sh',
    );
    expect(rest.join('\n')).not.toContain('[GC-');
    expect((await gcHere(`${line} -o wide`)).stdout).toContain('[GC-41]');
  });
});
