import { expect, test } from 'vitest';
import { controlPlanePodsIn } from '../../src/settings/control-plane-pods.ts';

const manager = 'kube-controller-manager';

/** What is read of a container that starts this, KCM for kube-controller-manager: its flags, and why others may have been missed. */
function started(start: object): string {
  const [pod] = controlPlanePodsIn(
    { metadata: { name: 'p' }, spec: { containers: [{ name: manager, ...start }] } },
    undefined,
  );
  const { flags = new Map<string, (string | null)[]>(), unclear } = pod?.program.commandLine ?? {};
  const written = [...flags].map(
    ([name, values]) => `${name}: ${values.map((text) => text ?? 'missing').join(' + ')}`,
  );
  return [...written, ...(unclear === undefined ? [] : [unclear])].join(', ');
}

/** Words, with spaces for the underscores that stand between quotes. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll('KCM', manager)
    .split(' ')
    .map((word) => word.replace(/^'(.*)'$/, (_, quoted: string) => quoted.replaceAll('_', ' ')));
}

const odd = (flag: string) => `${flag} is no flag: flags have two dashes`;

test.each([
  ['KCM --concurrent-gc-syncs=5', 'concurrent-gc-syncs: 5'],
  ['KCM --concurrent-gc-syncs 5', 'concurrent-gc-syncs: 5'],
  ['KCM --concurrent_gc_syncs=5', 'concurrent-gc-syncs: 5'],
  // A switch takes no value from the next word.
  ['KCM --leader-elect --concurrent-gc-syncs 5', 'leader-elect: true, concurrent-gc-syncs: 5'],
  ['KCM --leader-elect x --v=2', 'leader-elect: true, v: 2'],
  ['KCM --enable-garbage-collector=false', 'enable-garbage-collector: false'],
  ['KCM --controllers=* --controllers -ttl', 'controllers: * + -ttl'],
  ['KCM --terminated-pod-gc-threshold -1', 'terminated-pod-gc-threshold: -1'],
  ['KCM --concurrent-gc-syncs', 'concurrent-gc-syncs: missing'],
  // What looks like a flag is the value, as upstream takes it.
  ['KCM --concurrent-gc-syncs --v=2', 'concurrent-gc-syncs: --v=2'],
  ['KCM --feature-gates --v=2', 'feature-gates: --v=2'],
  // Flags that decide nothing here.
  ['KCM --unheard-of x --v=2', 'unheard-of: x, v: 2'],
  ['KCM --unheard-of --v=2 --other x- --last', 'unheard-of: true, v: 2, other: x-, last: true'],
  // Told with its own name as a value, and in one.
  ['KCM --v=2 --resource-name KCM --x=1', `v: 2, resource-name: ${manager}, x: 1`],
  ['KCM --v=2 --log-file=/var/KCM --x=5s', `v: 2, log-file: /var/${manager}, x: 5s`],
  ['KCM --v=2 -- --concurrent-gc-syncs=5', 'v: 2'],
  // A wrapper.
  ['/go-runner --log-file=/x KCM --v=2', 'v: 2'],
  ['/wrapper --name KCM /usr/bin/KCM --v=2', 'v: 2'],
  // One dash, with which it does not start, but for two shorthands.
  ['KCM -concurrent-gc-syncs=5 -v=2 -v 2 -v4', odd('-concurrent-gc-syncs')],
  ['KCM -v=2 -v 2 -v4 --v=3', 'v: 3'],
  ['KCM -vv', odd('-vv')],
  ['KCM -h -x-v --v=3', `v: 3, ${odd('-x-v')}`],
  ['KCM -help', odd('-help')],
  ["KCM x--v=1 x-y '--v_2' --v=3", 'v: 3'],
  ['KCM --v=2 -c echo', `v: 2, ${odd('-c')}`],
  // Shells, whose scripts are not read, and other programs.
  ['/bin/sh /start.sh', `it starts /bin/sh, which is not ${manager}`],
  ["/bin/sh -ec 'exec_KCM_--v=2' KCM --v=3", expect.stringMatching(/^a shell starts it/)],
  ['--concurrent-gc-syncs=5', `it starts --concurrent-gc-syncs=5, which is not ${manager}`],
  ['/opt/start', `it starts /opt/start, which is not ${manager}`],
])('the command %s', (command, expected) => {
  expect(started({ command: wordsOf(command) })).toEqual(expected);
});

test.each([
  ['--concurrent-gc-syncs=5', 'concurrent-gc-syncs: 5'],
  ['--log-file=/var/KCM --v=2', `log-file: /var/${manager}, v: 2`],
  ['serve', `it starts serve, which is not ${manager}`],
])('the arguments %s alone', (args, expected) => {
  expect(started({ args: wordsOf(args) })).toBe(expected);
});

test('a command with arguments, and neither', () => {
  const command = [`/usr/bin/${manager}`];
  expect(started({ command, args: ['--concurrent-gc-syncs=5'] })).toBe('concurrent-gc-syncs: 5');
  const unclear = [started({}), started({ command: wordsOf("sh -c 'exec_KCM'") })];
  expect(unclear.join('\n')).toMatchInlineSnapshot(`
    "the image decides how it is started
    a shell starts it, and scripts are not read"
  `);
});
