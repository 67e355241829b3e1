// Small questions, where the start of the process counts: beside node and kubectl on the same machine.
//   npm run build && node bench/start-up.ts [--rounds 30]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { requestsOf } from './count-requests.ts';
import { type Command, inTurns, report } from './in-turns.ts';
import { startLoaded } from './loaded-control-plane.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string' } } });
const rounds = Number(values.rounds ?? 30);
const root = new URL('..', import.meta.url).pathname;
const gc = (...args: string[]): Command['argv'] => [
  process.execPath,
  join(root, 'bin/kubectl-gc.cjs'),
  ...args,
];

await offline();
const plane = await startLoaded(0.0025);
try {
  await live();
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

async function live() {
  const path = '/api/v1/namespaces/team-0/pods';
  const { items } = await plane.get<{ items: { metadata: { name: string } }[] }>(path);
  const pod = items[0]?.metadata.name ?? '';
  // As people have it: block style, with the authority's certificate in base64.
  const config = join(plane.directory, 'bench-kubeconfig');
  writeFileSync(config, stringify(kubeconfig(), { lineWidth: 0 }), { mode: 0o600 });
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
    console.log(`${name}: ${requests.length} requests: ${requests.join(', ')}`);
  }
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
