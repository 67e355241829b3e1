// Every aim of docs/performance.md beside the program that it names, in one run.
//   npm run build && node bench/aims.ts [--rounds 15] [--scale 0.1] [--objects 1000000]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ControlPlane } from '../test/support/control-plane.ts';
import { customDefinition } from '../test/support/custom-resources.ts';
import { curlConfig, programTypes } from './curl-config.ts';
import { type Command, inTurns, median, type Run } from './in-turns.ts';
import { jars, readyNode, stuckNamespace, team } from './loaded-cluster.ts';
import { load, startLoaded } from './loaded-control-plane.ts';
import { startSmall } from './small-control-plane.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    scale: { type: 'string', default: '1' },
    objects: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-aims-'));
const root = new URL('..', import.meta.url).pathname;
const bin = join(root, 'bin/kubectl-gc.cjs');
const shop = join(root, 'examples/clusters/shop.json.gz');
const gc = (line: string, ...more: string[]): Command['argv'] => [
  process.execPath,
  bin,
  ...line.split(' '),
  ...more,
];
const header = ['what', 'beside', 'median', 'ratio', 'of the best', 'of CPU', 'peak', 'aim'];
console.log(`| ${header.join(' | ')} |\n| ${header.map(() => '---').join(' | ')} |`);
try {
  await offline();
  await small();
  await large();
  await million();
} finally {
  rmSync(folder, { recursive: true });
}

/** Times commands in turns, and prints each but the last beside the last, with its aim. */
async function rows(commands: readonly (Command & { readonly aim?: string })[]): Promise<void> {
  const runs = await inTurns(commands, rounds);
  const [beside, ...others] = commands.toReversed();
  if (!beside) return;
  const base = runs.get(beside.name) ?? [];
  for (const { name, aim = '' } of others.reverse()) {
    const own = runs.get(name) ?? [];
    const ratios = own.map(
      ({ milliseconds }, at) => milliseconds / (base[at]?.milliseconds ?? NaN),
    );
    const best = (some: readonly Run[]) => Math.min(...some.map((run) => run.milliseconds));
    const cpu = (some: readonly Run[]) => some.reduce((sum, run) => sum + run.cpu, 0);
    const cells = [
      name,
      beside.name,
      `${median(own.map((run) => run.milliseconds)).toFixed(0)} ms`,
      `${median(ratios).toFixed(2)} ×`,
      `${(best(own) / best(base)).toFixed(2)} ×`,
      `${(cpu(own) / cpu(base)).toFixed(2)} ×`,
      `${Math.max(...own.map((run) => run.peakMiB)).toFixed(0)} MiB`,
      aim,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

async function offline() {
  const from = `-n shop --from ${shop}`;
  const tree = { name: '`tree`, from a file', argv: gc(`tree deployment/web ${from}`) };
  await rows([
    {
      name: '`delete --preview` of 10 of 358 objects, from a file',
      argv: gc(`delete deployment/web ${from} --preview`),
      aim: '1.8 ×',
    },
    tree,
  ]);
  await rows([
    { name: '`--version`', argv: gc('--version'), aim: '1.5 ×' },
    { ...tree, aim: '3.2 ×' },
    { name: '`node -e 0`', argv: [process.execPath, '-e', '0'] },
  ]);
}

async function small() {
  const { plane, gc, kubectl, line, makeDeployment, makeConfigMap } = await startSmall();
  try {
    await rows([
      {
        ...gc('', 'delete configmap/one --yes', makeConfigMap),
        name: '`delete` of a ConfigMap',
        aim: '2.2 ×',
      },
      { ...kubectl('', 'delete configmap/one', makeConfigMap), name: '`kubectl delete`' },
    ]);
    const tree = 'deployment/web --cascade=foreground';
    await rows([
      {
        ...gc('', `delete ${tree} --yes --no-backup`, makeDeployment),
        name: '`delete` of a Deployment',
        aim: '1.6 ×',
      },
      { ...kubectl('', `delete ${tree}`, makeDeployment), name: '`kubectl delete`' },
    ]);
    for (const name of ['kubectl-gc', 'kubectl_complete-gc'])
      symlinkSync(join(root, 'bin', `${name}.cjs`), join(plane.directory, name));
    const KUBECONFIG = asKubectlWrites(plane);
    const tab = (...words: string[]): Command => {
      const argv = [join(plane.binaries, 'kubectl'), '__complete', ...words] as const;
      const command = line(`\`kubectl ${words[0]} … <TAB>\``, argv);
      const PATH = `${plane.directory}:${dirname(process.execPath)}:${process.env.PATH}`;
      return { ...command, env: { KUBECONFIG, PATH } };
    };
    await rows([
      { ...tab('gc', 'tree', '-n', 'bench', 'pod', ''), aim: '220 ms' },
      tab('get', '-n', 'bench', 'pod', ''),
    ]);
  } finally {
    await plane.stop();
  }
}

/** Files that kubectl wrote are read without a reader of all YAML. */
function asKubectlWrites({ binaries, kubeconfigPath }: ControlPlane): string {
  const path = join(folder, 'kubeconfig');
  const args = ['config', 'view', '--raw', '--flatten', '--kubeconfig', kubeconfigPath];
  writeFileSync(path, execFileSync(join(binaries, 'kubectl'), args), { mode: 0o600 });
  return path;
}

async function large() {
  const plane = await startLoaded(Number(values.scale));
  try {
    await load(plane, [readyNode()].values());
    const at = ['--kubeconfig', asKubectlWrites(plane)];
    const live = (name: string, line: string, aim = '') => ({ name, argv: gc(line, ...at), aim });
    const orphans = live('`orphans -A`', 'orphans -A -o name', '1.15 × before, 220 MB');
    const one = 'deployment/app-3 -n team-7';
    await rows([
      live('`delete --preview` of a Deployment, live', `delete ${one} --preview`, '1.5 ×'),
      live('`tree`, live', `tree ${one}`),
    ]);
    const saved = join(folder, 'saved.json.zst');
    execFileSync(process.execPath, gc(`snapshot save ${saved}`, ...at).slice(1), {
      stdio: 'ignore',
    });
    await rows([
      live('preview of a namespace of 240 objects', 'delete ns/team-7 --preview', '1.1 ×'),
      live('`status -A`', 'status -A', '1.3 ×'),
      live('`forecast`', 'forecast -o json', '1.6 ×'),
      live('`audit -A`', 'audit -A --no-config --fail-on never -o json', '1.6 ×'),
      live('`snapshot save`', `snapshot save ${saved}`, '1.3 ×'),
      {
        name: '`orphans -A --from` it',
        argv: gc(`orphans -A -o name --from ${saved}`),
        aim: '1.6 ×',
      },
      orphans,
    ]);
    const whole = await curlConfig(plane, '', join(folder, 'whole.conf'));
    await rows([orphans, { name: 'curl, the same lists', argv: ['curl', '--config', whole] }]);
    await firstBytes(orphans.argv, gc('delete ns/team-7 --preview', ...at));

    await plane.create(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      customDefinition('Jar', 'bench.example.com'),
    );
    await load(plane, jars(5_000 * Number(values.scale)));
    await load(plane, stuckNamespace('stuck', 1_000));
    const list = '/apis/bench.example.com/v1/jars';
    const kubectl = [join(plane.binaries, 'kubectl'), 'get', '--raw', list, ...at] as const;
    await rows([
      live(
        'preview of a definition of 5,000 in 400 namespaces',
        'delete crd/jars.bench.example.com --preview',
        '2 × listing them',
      ),
      { name: '`kubectl get --raw` of them', argv: kubectl },
      orphans,
    ]);
    const stuck = await curlConfig(plane, 'stuck', join(folder, 'stuck.conf'), programTypes);
    await rows([
      live('`why` of a stuck namespace of 1,000', 'why ns/stuck', '0.3 s more'),
      { name: 'curl, its lists', argv: ['curl', '--config', stuck] },
    ]);
    await load(plane, team('big', 2_000 * Number(values.scale)));
    await rows([
      live('preview of a namespace of 24,000 objects', 'delete ns/big --preview', '1.5 ×'),
      orphans,
    ]);
  } finally {
    await plane.stop();
  }
}

/** How long a person at a terminal waits until there is something to see. */
async function firstBytes(...commands: Command['argv'][]): Promise<void> {
  for (const argv of commands) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const line = `stty cols 100 rows 24; exec ${argv.map((word) => `'${word}'`).join(' ')}`;
      const { CI: _, ...env } = process.env;
      const child = spawn('script', ['-qec', line, '/dev/null'], { env });
      let first = 0;
      child.stdout.on('data', () => {
        first ||= performance.now() - start;
      });
      await new Promise((resolve) => child.once('close', resolve));
      times.push(first);
    }
    const cells = [`first byte of \`${argv.slice(2, 4).join(' ')}\` on a terminal`, ''];
    const time = `${median(times).toFixed(0)} ms`;
    console.log(`| ${[...cells, time, '', '', '', '', '300 ms'].join(' | ')} |`);
  }
}

/** As much in a file, in a process of its own. */
async function million(): Promise<void> {
  const argv = [join(root, 'bench/large-snapshot.ts'), '--objects', values.objects];
  console.log(`\n${values.objects} objects in a file: aim 20 s, 1.7 GB`);
  const child = spawn(process.execPath, argv, { stdio: 'inherit' });
  await new Promise((resolve) => child.once('close', resolve));
}
