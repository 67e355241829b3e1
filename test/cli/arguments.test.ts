import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml -n shop';
const tree = ['replicaset.apps/web-6c4f9d', 'pod/web-6c4f9d-abcde', 'pod/web-6c4f9d-fghij'];

describe('arguments are read as kubectl reads them', () => {
  const cases: readonly [string, string][] = [
    ['a boolean flag set to false', `tree rs/web-6c4f9d -o name -A=false -n shop ${cluster}`],
    ['a boolean flag set to true', `tree rs/web-6c4f9d -o name --all-namespaces=true ${cluster}`],
    ['the last of repeated booleans wins', `tree rs/web-6c4f9d -o name -n no -A=0 -A ${cluster}`],
    ['flags before the command', `-n shop -o name ${cluster} tree rs/web-6c4f9d`],
    ['a flag whose value is a command', `-n owners -n shop tree rs/web-6c4f9d -o name ${cluster}`],
    [
      'the last of repeated values wins',
      `tree rs/web-6c4f9d -o json -oname -n x -n shop ${cluster}`,
    ],
    ['repeatable flags take one value each', `tree --as-group a rs/web-6c4f9d -o=name ${cluster}`],
    ['TYPE NAME', `tree rs web-6c4f9d -o name ${cluster}`],
    ['TYPE.GROUP/NAME', `tree replicasets.apps/web-6c4f9d -o name ${cluster}`],
    ['TYPE.VERSION.GROUP/NAME', `tree ReplicaSet.v1.apps/web-6c4f9d -o name ${cluster}`],
    ['arguments after --', `tree -o name ${cluster} -- rs/web-6c4f9d`],
    ['a bare -v at the end', `tree rs/web-6c4f9d -o name ${cluster} -v`],
    ['a log level', `tree -v 6 rs/web-6c4f9d -o name ${cluster} --v=4`],
    ['a flag with underscores', `tree rs/web-6c4f9d -o name --all_namespaces ${cluster}`],
    [
      'connection flags, which files do not need',
      `tree rs/web-6c4f9d -o name --context x ${cluster}`,
    ],
  ];
  test.each(cases)('%s', async (_, line) => {
    expect(await gcHere(line)).toEqual({ code: 0, stdout: `${tree.join('\n')}\n`, stderr: '' });
  });

  test('commands of a topic, with flags in between', async () => {
    const line = `snapshot -o name info test/fixtures/clusters/orphaned-replicaset.yaml`;
    const kinds = 'deployments.apps\npods\nreplicasets.apps\n';
    expect(await gcHere(line)).toEqual({ code: 0, stdout: kinds, stderr: '' });
  });

  test('an argument that is named like a command of a topic stays an argument', async () => {
    const { code, stderr } = await gcHere(`owners snapshot info ${cluster}`);
    expect([code, stderr]).toEqual([
      2,
      'error: the input doesn\'t have a resource type "snapshot"\n  See what the input holds: kubectl gc snapshot info FILE\n',
    ]);
  });

  test('--from may be repeated, and stdin is one of several', async () => {
    const input = 'apiVersion: v1\nkind: Secret\nmetadata: {name: tls, namespace: shop, uid: u}\n';
    const run = await gc(`snapshot info ${cluster.slice(7)} --from - -o name`, { input });
    expect(run).toEqual({
      code: 0,
      stdout: 'deployments.apps\npods\nreplicasets.apps\nsecrets\n',
      stderr: '',
    });
  });
});
