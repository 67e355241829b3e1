import { describe, expect, test } from 'vitest';
import { controlPlanePodsIn } from '../../../src/controllers/settings/control-plane-pods.ts';

const manager = 'kube-controller-manager';

interface Start {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

/** The flags of a container with what was written, and why others may have been missed. */
function started(start: Start): Record<string, unknown> {
  const [pod] = controlPlanePodsIn(
    { metadata: { name: 'p' }, spec: { containers: [{ name: manager, ...start }] } },
    undefined,
  );
  const { flags = new Map<string, string[]>(), unclear } = pod?.program.commandLine ?? {};
  const written = [...flags].map(([name, values]) => [
    name,
    values.map((text) => text ?? '<missing>').join(' + '),
  ]);
  return { ...Object.fromEntries(written), ...(unclear !== undefined && { unclear }) };
}

describe('forms of flags', () => {
  test.each<[string, Start, Record<string, unknown>]>([
    ['with =', { command: [manager, '--concurrent-gc-syncs=5'] }, { 'concurrent-gc-syncs': '5' }],
    ['apart', { command: [manager, '--concurrent-gc-syncs', '5'] }, { 'concurrent-gc-syncs': '5' }],
    [
      'in args',
      { command: [`/usr/local/bin/${manager}`], args: ['--concurrent-gc-syncs=5'] },
      { 'concurrent-gc-syncs': '5' },
    ],
    [
      'for the program of the image',
      { args: ['--concurrent-gc-syncs=5'] },
      { 'concurrent-gc-syncs': '5' },
    ],
    [
      'for the program of the image, with its name in a value',
      { args: [`--log-file=/var/log/${manager}`, '--v=2'] },
      { 'log-file': `/var/log/${manager}`, v: '2' },
    ],
    [
      'with underscores',
      { command: [manager, '--concurrent_gc_syncs=5'] },
      { 'concurrent-gc-syncs': '5' },
    ],
    [
      'a switch by itself',
      { command: [manager, '--leader-elect', '--concurrent-gc-syncs', '5'] },
      { 'leader-elect': 'true', 'concurrent-gc-syncs': '5' },
    ],
    [
      'a switch before a word',
      { command: [manager, '--leader-elect', 'x', '--v=2'] },
      { 'leader-elect': 'true', v: '2' },
    ],
    [
      'a switch turned off',
      { command: [manager, '--enable-garbage-collector=false'] },
      { 'enable-garbage-collector': 'false' },
    ],
    [
      'repeated',
      { command: [manager, '--controllers=*', '--controllers', '-ttl'] },
      { controllers: '* + -ttl' },
    ],
    [
      'a negative number',
      { command: [manager, '--terminated-pod-gc-threshold', '-1'] },
      { 'terminated-pod-gc-threshold': '-1' },
    ],
    [
      'without a value',
      { command: [manager, '--concurrent-gc-syncs'] },
      { 'concurrent-gc-syncs': '<missing>' },
    ],
    [
      'what looks like a flag, as upstream takes it',
      { command: [manager, '--concurrent-gc-syncs', '--v=2'] },
      { 'concurrent-gc-syncs': '--v=2' },
    ],
    [
      'a flag that decides nothing here',
      { command: [manager, '--unheard-of', 'x', '--v=2'] },
      { 'unheard-of': 'x', v: '2' },
    ],
    [
      'a flag that decides nothing here, before another one',
      { command: [manager, '--unheard-of', '--v=2', '--other', 'x-', '--last'] },
      { 'unheard-of': 'true', v: '2', other: 'x-', last: 'true' },
    ],
    [
      'with its own name as a value',
      { command: [manager, '--v=2', '--leader-elect-resource-name', manager, '--x=1'] },
      { v: '2', 'leader-elect-resource-name': manager, x: '1' },
    ],
    [
      'after a wrapper that is told its name',
      { command: ['/wrapper', '--name', manager, `/usr/bin/${manager}`, '--v=2'] },
      { v: '2' },
    ],
    [
      'gates, whatever they look like',
      { command: [manager, '--feature-gates', '--v=2'] },
      { 'feature-gates': '--v=2' },
    ],
    [
      'with its own name in a value',
      { command: [manager, '--v=2', `--log-file=/var/log/${manager}`, '--log-flush-frequency=5s'] },
      { v: '2', 'log-file': `/var/log/${manager}`, 'log-flush-frequency': '5s' },
    ],
    ['after --', { command: [manager, '--v=2', '--', '--concurrent-gc-syncs=5'] }, { v: '2' }],
    [
      'behind a wrapper',
      { command: ['/go-runner', '--log-file=/x', manager, '--v=2'] },
      { v: '2' },
    ],
  ])('%s', (_, start, expected) => {
    expect(started(start)).toEqual(expected);
  });
});

describe('unknown forms', () => {
  test.each<[string, Start, Record<string, unknown>]>([
    [
      'one dash, with which it does not start',
      { command: [manager, '-concurrent-gc-syncs=5', '-v=2', '-v', '2', '-v4'] },
      { unclear: '-concurrent-gc-syncs is no flag: flags have two dashes' },
    ],
    ['its only shorthand', { command: [manager, '-v=2', '-v', '2', '-v4', '--v=3'] }, { v: '3' }],
    [
      'a repeated shorthand',
      { command: [manager, '-vv'] },
      { unclear: '-vv is no flag: flags have two dashes' },
    ],
    [
      'other shorthands',
      { command: [manager, '-h', '-x-v', '--v=3'] },
      { v: '3', unclear: '-x-v is no flag: flags have two dashes' },
    ],
    [
      'a shorthand with more',
      { command: [manager, '-help'] },
      { unclear: '-help is no flag: flags have two dashes' },
    ],
    [
      'words that are no flags',
      { command: [manager, 'x--v=1', 'x-y', '--v 2', '--v=3'] },
      { v: '3' },
    ],
    [
      'a shell without a script in its arguments',
      { command: ['/bin/sh', '/start.sh'] },
      { unclear: `it starts /bin/sh, which is not ${manager}` },
    ],
    [
      'a script for a shell, whatever it starts',
      { command: ['/bin/sh', '-ec', `exec ${manager} --v=2`, manager, '--v=3'] },
      { unclear: 'a shell starts it, and scripts are not read' },
    ],
    [
      '-c without a shell',
      { command: [manager, '--v=2', '-c', 'echo'] },
      { v: '2', unclear: '-c is no flag: flags have two dashes' },
    ],
    [
      'a command that is a flag',
      { command: ['--concurrent-gc-syncs=5'] },
      { unclear: `it starts --concurrent-gc-syncs=5, which is not ${manager}` },
    ],
    ['nothing at all', {}, { unclear: 'the image decides how it is started' }],
    [
      'another program',
      { command: ['/opt/start'] },
      { unclear: `it starts /opt/start, which is not ${manager}` },
    ],
    [
      'arguments that are no flags',
      { args: ['serve'] },
      { unclear: `it starts serve, which is not ${manager}` },
    ],
  ])('%s', (_, start, expected) => {
    expect(started(start)).toEqual(expected);
  });
});
