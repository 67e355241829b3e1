import { expect, test } from 'vitest';
import { commandPlaceOf, withoutConnection } from '../../src/shell/flags/flags.ts';
import { placeOfCall } from '../../src/shell/oclif/run-line.ts';
import { gcHere } from '../support/run-here.ts';

const everyFlag = [
  ...['--kubeconfig=/home/me/k', '--context=live', '--cluster=c', '--user=u', '--username=jane'],
  ...['--as=alice', '--as-group=a', '--as-group=b', '--as-uid=1', '--as-user-extra=k=v'],
  ...['--certificate-authority=ca.crt', '--client-certificate=me.crt', '--client-key=me.key'],
  ...['--tls-server-name=api', '--kuberc=rc', '--server=https://host:6443/p'],
  ...['--insecure-skip-tls-verify', '--token=TOKEN', '--password=PASSWORD'],
];

const isSecret = (flag: string) => /^--(token|password)=/.test(flag);

test('a place has every flag that says which cluster and as whom, and names secrets only', async () => {
  const given = everyFlag.map((flag) =>
    flag
      .replace('TOKEN', 'hidden-token')
      .replace('PASSWORD', 'hidden-password')
      .replace('host:6443', 'hidden-user:hidden-p@ss@host:6443'),
  );
  const { connection, files } = await placeOfCall(['why', '-A', ...given]);
  const words = everyFlag.flatMap((flag) => (isSecret(flag) ? flag : flag.split(/=(.*)/, 2)));
  expect({ connection, files }).toEqual({ connection: words, files: [] });
});

test.each([
  ['https://user:pw@host', 'https://host'],
  ['user:pw@host:8443/path', 'host:8443/path'],
  ['https://host/a@b', 'https://host/a@b'],
])('of the server %s a command has %s', (server, printed) => {
  expect(commandPlaceOf({ server }).connection).toEqual(['--server', printed]);
});

test('files come with what says how to read them, and a clock without files does not', () => {
  const now = '2026-01-01T00:00:00Z';
  expect([
    commandPlaceOf({ from: ['a', 'b'], complete: true, now }),
    commandPlaceOf({ now, complete: true }),
  ]).toEqual([
    { connection: [], files: ['--from', 'a', '--from', 'b', '--complete', '--now', now] },
    { connection: [], files: [] },
  ]);
});

test.each([
  ['flags before the command', ['--context', 'live', 'why', '-A'], ['--context', 'live']],
  ['a short flag', ['why', '-s', 'https://h', '-A'], ['--server', 'https://h']],
  ['the last of two', ['why', '--context=a', '--context=b'], ['--context', 'b']],
  ['what comes after --', ['delete', '--', '--context=a'], []],
  ['an invalid line', ['nothing-like-it', '--context=a'], []],
])('reads the connection of %s', async (_, argv, connection) => {
  expect(await placeOfCall(argv)).toEqual({ connection, files: [] });
});

test('a call without its connection keeps everything else, also what only looks like a flag', () => {
  const argv = ['pod/a', '--token=hidden', '--context=a', '-n=b', '--', '--token=name'];
  expect(withoutConnection(argv)).toEqual(['pod/a', '-n=b', '--', '--token=name']);
});

const snapshot = 'examples/clusters/shop.json.gz';

test('suggested commands read the same files', async () => {
  const { stderr } = await gcHere(`why -A --from ${snapshot} --context live`);
  const [command] = /kubectl gc .*/.exec(stderr) ?? [];
  expect(command).toMatch(
    /^kubectl gc why \S+( -n \S+)? --context live --from examples\/clusters\/shop.json.gz$/,
  );
  const again = await gcHere((command ?? '').replace('kubectl gc ', ''));
  expect(again.code).toBe(0);
});

test('a command that removes a wrong reference names the cluster of the object', async () => {
  const file = 'docs/rules/orphaned-job-pods.yaml';
  const line = `invalid-ownerrefs -A --from ${file} --complete --context live -o json`;
  const { items } = JSON.parse((await gcHere(line)).stdout);
  expect(items[0].fix).toMatch(/^delete the pod: kubectl delete \S+ -n \S+ --context live$/);
});
