import { expect, test } from 'vitest';
import type { StatusReport } from '../../src/questions/status/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { askingOf } from '../support/asking.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { permit } from '../support/permissions.ts';
import { gcHere } from '../support/run-here.ts';

/** A cluster of its own: what other tests leave behind would be on the screen. */
const plane = await ownControlPlane({
  controllers: ['*'],
  controllerArgs: ['--leader-elect=true'],
});
const env = { KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1' };

await showManager(plane, ['--leader-elect=true', '--controllers=*']);

test('of a healthy cluster, six lines say that all is well, and --exit-code is 0', async () => {
  const run = await eventually('quiet', async () => {
    const one = await gcHere('status --exit-code', env, 80);
    return one.code === 0 ? one : undefined;
  });
  const lines = run.stdout.trimEnd().split('\n');
  expect(lines.filter((line) => !/^NEXT HOUR|^ {2}/.test(line))).toEqual([
    'SCOPE              all namespaces',
    'DELETIONS          nothing is being deleted',
    'WRONG REFERENCES   none',
    'GARBAGE COLLECTOR  works',
    expect.stringMatching(/^NOT READ {11}nothing: \d+ objects read$/),
  ]);
  expect(run.stderr).toBe('');
});

test('it names what is stuck, wrong and due, and says what the other commands say', async () => {
  await plane.make('Namespace team');
  await plane.make('ConfigMap team/held', { metadata: { finalizers: ['team.example.com/drain'] } });
  await plane.remove('ConfigMap team/held');
  await plane.make('ClusterRole kept', {
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'held', uid: 'no-such-uid' }],
    },
  });
  const { stdout, stderr, code } = await gcHere('status --exit-code', env, 80);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout.split('\n').length).toBeLessThanOrEqual(23);
  expect(stdout).toMatch(/ConfigMap\/held in team, blocked\s+by finalizer\s+\S*\/drain/);
  expect(stdout).toContain('  $ kubectl gc why -A\n');
  expect(stdout).toContain('owner is namespaced: ClusterRole/kept');

  const { json } = askingOf(plane);
  const status: StatusReport = validDocument('status', JSON.stringify(await json('status')));
  const stuck = await json<{ items: StatusReport['deletions']['worst'] }>('why -A');
  expect(status.deletions.worst.map(({ object, state }) => [object.name, state])).toEqual(
    stuck.items.map(({ object, state }) => [object.name, state]),
  );
  const references = await json<{ items: unknown[] }>('invalid-ownerrefs -A');
  expect(status.references.total).toBe(references.items.length);
  const gc = await json<{ health: string }>('why --gc');
  expect([status.garbageCollector.health, gc.health]).toEqual(['works', 'works']);
});

test('a user who may read one namespace gets that one, and a list of what is unknown', async () => {
  const reading = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
  await permit(plane, 'ann', [reading], 'team');
  const { stdout, stderr, code } = await gcHere('status -n team --as ann --exit-code', env, 80);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout.split('\n').length).toBeLessThanOrEqual(23);
  expect(stdout).toMatch(/ConfigMap\/held in team, blocked\s+by finalizer\s+\S*\/drain/);
  expect(stdout).toMatch(/^GARBAGE COLLECTOR {2}unknown: not checked with -n$/m);
  expect(stdout).toMatch(/^NOT READ {11}\S/m);
  expect(stdout).toContain('  $ kubectl gc rbac status');
});

test('what a user may not list is unknown, and is no all-clear', async () => {
  await plane.make('Namespace quiet');
  const heads = async (line: string) => {
    const { stdout } = await gcHere(`status ${line}`, env);
    const { deletions, due, references }: StatusReport = validDocument(
      'status',
      (await gcHere(`status ${line} -o json`, env)).stdout,
    );
    const parts = [deletions, due, references];
    const lines = stdout.split('\n').filter((one) => /^(DELETIONS|NEXT HOUR|WRONG REF)/.test(one));
    return {
      complete: parts.map(({ complete }) => complete),
      words: [...new Set(lines.map((one) => one.slice('GARBAGE COLLECTOR  '.length)))],
    };
  };
  await permit(plane, 'eve', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }], 'quiet');
  const none = [false, false, false];
  expect(await heads('--as eve')).toEqual({
    complete: none,
    words: ['unknown: nothing could be read'],
  });
  expect(await heads('-n quiet --as eve')).toEqual({
    complete: none,
    words: ['none found in what could be read'],
  });
  expect((await heads('-n quiet')).complete).toEqual([true, true, true]);
  const { code, stdout } = await gcHere('status -n nosuch', env);
  expect([code, stdout]).toEqual([3, '']);
});
