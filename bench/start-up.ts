// Small questions, where the start of the process counts: beside node and kubectl on the same machine.
//   npm run build && node bench/start-up.ts [--rounds 30] [--tab]
// With --tab only the Tab key is timed.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { buildExecutable } from '../scripts/release/executable.ts';
import { platforms } from '../scripts/release/platforms.ts';
import { type Command, inTurns, report } from './in-turns.ts';
import { startLoaded } from './loaded-control-plane.ts';
import { requestsOf } from './sent-requests.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, tab: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds ?? 30);
const root = new URL('..', import.meta.url).pathname;
const gc = (...args: string[]): Command['argv'] => [
  process.execPath,
  join(root, 'bin/kubectl-gc.cjs'),
  ...args,
];

if (!values.tab) {
  await offline();
  await executable();
}
const plane = await startLoaded(0.0025);
try {
  writeKubeconfig();
  if (!values.tab) await live();
  await completion();
} finally {
  await plane.stop();
}

async function offline() {
  const example = join(root, 'examples/clusters/shop.json.gz');
  console.log('\nwithout a cluster');
  report(
    await inTurns(
      [
        { name: 'kubectl gc --version', argv: gc('--version') },
        {
          name: 'kubectl gc tree, from a file',
          argv: gc('tree', 'deployment/web', '-n', 'shop', '--from', example),
        },
        { name: 'node -e 0', argv: [process.execPath, '-e', '0'] },
      ],
      rounds,
    ),
  );
}

/** The single executable for this machine, beside the package: both do the same, with the same compiled code. */
async function executable() {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const platform = platforms.find((one) => one.os === process.platform && one.arch === arch);
  if (platform === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-bench-'));
  try {
    const file = buildExecutable(platform, folder);
    const example = join(root, 'examples/clusters/shop.json.gz');
    const tree = ['tree', 'deployment/web', '-n', 'shop', '--from', example];
    for (const args of [['--version'], tree]) {
      console.log(`\nthe single executable, kubectl gc ${args[0]}`);
      const commands: Command[] = [
        { name: 'the executable', argv: [file, ...args] },
        { name: 'the package', argv: gc(...args) },
      ];
      report(await inTurns(commands, rounds));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the Tab key costs: the program that kubectl starts, all that kubectl does, and its own answer to a like question. */
async function completion() {
  const config = join(plane.directory, 'bench-kubeconfig');
  const complete = (...words: string[]): Command['argv'] =>
    gc('__complete', ...words.slice(0, -1), '--kubeconfig', config, ...words.slice(-1));
  const kubectl = (...words: string[]): Command['argv'] => [
    join(plane.binaries, 'kubectl'),
    '__complete',
    ...words,
  ];
  for (const name of ['kubectl-gc', 'kubectl_complete-gc']) {
    symlinkSync(join(root, 'bin', `${name}.cjs`), join(plane.directory, name));
  }
  const env = {
    KUBECONFIG: config,
    PATH: `${plane.directory}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
  const podNames = ['-n', 'team-0', 'pod', ''];
  console.log('\nthe Tab key');
  report(
    await inTurns(
      [
        { name: 'kubectl-gc: a command', argv: complete('tr') },
        { name: 'kubectl-gc: a type', argv: complete('tree', 'deplo') },
        { name: 'kubectl-gc: the names of pods', argv: complete('tree', ...podNames) },
        { name: 'kubectl gc: the same', argv: kubectl('gc', 'tree', ...podNames), env },
        { name: 'kubectl get: the same', argv: kubectl('get', ...podNames), env },
        {
          name: 'kubectl version --client',
          argv: [join(plane.binaries, 'kubectl'), 'version', '--client'],
        },
        { name: 'node -e 0', argv: [process.execPath, '-e', '0'] },
      ],
      rounds,
    ),
  );
}

async function live() {
  const path = '/api/v1/namespaces/team-0/pods';
  const { items } = await plane.get<{ items: { metadata: { name: string } }[] }>(path);
  const pod = items[0]?.metadata.name ?? '';
  const config = join(plane.directory, 'bench-kubeconfig');
  const connection = ['--kubeconfig', config];
  const kubectl = (...args: string[]): Command['argv'] => [
    join(plane.binaries, 'kubectl'),
    ...args,
    ...connection,
  ];
  const commands: Command[] = [
    { name: 'kubectl gc owners', argv: gc('owners', `pod/${pod}`, '-n', 'team-0', ...connection) },
    { name: 'kubectl get pod', argv: kubectl('get', 'pod', pod, '-n', 'team-0') },
    { name: 'kubectl get --raw', argv: kubectl('get', '--raw', `${path}/${pod}`) },
  ];
  console.log('\none pod of a cluster, three objects deep');
  report(await inTurns(commands, rounds));
  for (const { name, argv } of commands) {
    const requests = await requestsOf(plane, argv);
    const named = requests.map(({ method, url }) => `${method} ${url}`);
    console.log(`${name}: ${named.length} requests: ${named.join(', ')}`);
  }
}

/** As people have it: block style, with the authority's certificate in base64. */
function writeKubeconfig() {
  const config = join(plane.directory, 'bench-kubeconfig');
  writeFileSync(config, stringify(kubeconfig(), { lineWidth: 0 }), { mode: 0o600 });
}

function kubeconfig() {
  const authority = Buffer.from(plane.authority.certificate).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'bench',
        cluster: { server: plane.server, 'certificate-authority-data': authority },
      },
    ],
    users: [{ name: 'bench', user: { token: plane.adminToken } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  };
}
