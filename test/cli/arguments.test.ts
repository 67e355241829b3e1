import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml -n shop';
const tree = ['replicaset.apps/web-6c4f9d', 'pod/web-6c4f9d-abcde', 'pod/web-6c4f9d-fghij'];

describe('arguments are read as kubectl reads them', () => {
  /** What normalize-argv.test.ts rewrites is read by oclif, and what names objects by the parser of targets. */
  test.each([
    ['booleans and repeated flags', `tree rs/web-6c4f9d -o json -oname -A=false -n x ${cluster}`],
    ['flags before the command', `-n owners -o name ${cluster} tree rs/web-6c4f9d -v`],
    [
      'TYPE.VERSION.GROUP NAME after --',
      `tree -o name ${cluster} -- ReplicaSet.v1.apps web-6c4f9d`,
    ],
    ['flags of a connection', `tree --as-group a rs/web-6c4f9d -o=name --context x ${cluster}`],
  ])('%s', async (_, line) => {
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
