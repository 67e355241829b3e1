// How much of a command's time any program on Node would take: beside each of them a bare script that only sends the
// requests of a recorded run, or that only parses the lines of a file.
//   npm run build && node bench/floor.ts [--rounds 15] [--objects 200000] [--scale 1]
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import type { ControlPlane } from '../test/support/control-plane.ts';
import { curlConfig, programTypes } from './curl-config.ts';
import { type Command, inTurns, report } from './in-turns.ts';
import { busyCluster, readyNode, stuckNamespace } from './loaded-cluster.ts';
import { load, startLoaded } from './loaded-control-plane.ts';
import { findPeer } from './peers.ts';
import { requestsOf, type SentRequest } from './sent-requests.ts';
import { namespace, type SmallControlPlane, startSmall } from './small-control-plane.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    objects: { type: 'string', default: '200000' },
    scale: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const onlyNode: Command = { name: 'node -e 0', argv: [process.execPath, '-e', '0'] };

/** What a command sends in one go; lists only so many at a time. */
const kinds = {
  discovery: /^GET \/apis?$/,
  version: /^GET \/version$/,
  watches: /watch=true/,
  lists: new RegExp(`^GET .*/namespaces/${namespace}/\\w+(\\?|$)`),
  objects: /^GET /,
  'access reviews': /^POST /,
  deletion: /^DELETE /,
};
/** Of a server on this machine a tree asks for its short lists two at a time, a deletion for new ones eight at a time. */
const listsAtOnce = { tree: 2, delete: 8 };

interface Deleted {
  readonly path: string;
  /** How many objects go with it, itself included. */
  readonly objects: number;
  readonly make: () => Promise<void>;
}

await live();
await loaded();
await fromFile();

async function live() {
  const small = await startSmall();
  const { gc, kubectl, line, makeConfigMap, makeDeployment } = small;
  const peer = findPeer('kubectl-tree');
  try {
    await turns(small, gc('tree', 'tree deployment/web'), [
      ...(peer ? [line('kubectl-tree', [peer, 'deployment', 'web', '-n', namespace])] : []),
    ]);
    await turns(
      small,
      gc('delete', 'delete configmap/one --yes --no-backup', makeConfigMap),
      [kubectl('delete', 'delete configmap/one', makeConfigMap)],
      { path: `/api/v1/namespaces/${namespace}/configmaps/one`, objects: 1, make: makeConfigMap },
    );
    const foreground = 'deployment/web --cascade=foreground';
    await turns(
      small,
      gc('delete', `delete ${foreground} --yes --no-backup`, makeDeployment),
      [kubectl('delete', `delete ${foreground}`, makeDeployment)],
      {
        path: `/apis/apps/v1/namespaces/${namespace}/deployments/web`,
        objects: 5,
        make: makeDeployment,
      },
    );
  } finally {
    await small.plane.stop();
  }
}

/** What reads a whole cluster, beside a script that only receives the same lists. */
async function loaded() {
  const plane = await startLoaded(Number(values.scale));
  try {
    await load(plane, [readyNode()].values());
    await load(plane, stuckNamespace('stuck', 1_000));
    const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
    const script = new URL('only-requests.mjs', import.meta.url).pathname;
    const saved = join(plane.directory, 'saved.json.zst');
    const lines = ['status -A', `snapshot save ${saved}`, 'why ns/stuck', 'orphans -A -o name'];
    const commands: Command[] = [];
    for (const line of lines) {
      const words = [...line.split(' '), '--kubeconfig', plane.kubeconfigPath];
      const argv = [process.execPath, bin, ...words] as const;
      const requests = await requestsOf(plane, argv);
      const file = join(plane.directory, `requests-${commands.length}.json`);
      // Of a server that is near, long answers are asked for as they are.
      const headers = { 'accept-encoding': 'identity' };
      const plain = requests.map((one) => ({ ...one, headers: { ...one.headers, ...headers } }));
      const { server, adminToken: token, authority } = plane;
      const steps = [{ kind: 'lists', requests: plain, atOnce: 6 }];
      const content = { server, ca: authority.certificate, token, steps, deletions: 0 };
      writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
      commands.push(
        { name: `node, only the requests of ${line}`, argv: [process.execPath, script, file] },
        { name: `kubectl gc ${line}`, argv },
      );
    }
    const stuck = await curlConfig(plane, 'stuck', join(plane.directory, 'stuck'), programTypes);
    const curl: Command = { name: 'curl, lists of why', argv: ['curl', '--config', stuck] };
    report(await inTurns([...commands, curl], rounds));
  } finally {
    await plane.stop();
  }
}

async function turns(
  { plane, line }: SmallControlPlane,
  command: Command,
  peers: readonly Command[],
  deleted?: Deleted,
) {
  await command.prepare?.();
  const requests = await requestsOf(plane, command.argv);
  const steps = stepsOf(requests, deleted ? listsAtOnce.delete : listsAtOnce.tree);
  const file = join(plane.directory, 'requests.json');
  const prepare = async () => {
    await deleted?.make();
    const adjusted = deleted ? await adjust(steps, plane, deleted) : steps;
    const { server, adminToken: token, authority } = plane;
    // What goes alone is read again, and not watched.
    const isWatched = requests.some(({ url }) => kinds.watches.test(url));
    const deletions = isWatched ? (deleted?.objects ?? 0) : 0;
    const content = { server, ca: authority.certificate, token, steps: adjusted, deletions };
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  };
  const script = new URL('only-requests.mjs', import.meta.url).pathname;
  const floor = line('node, only its requests', [process.execPath, script, file], prepare);
  console.log(`\n${command.argv.slice(2).join(' ')}: ${requests.length} requests`);
  report(await inTurns([command, onlyNode, floor, ...peers], rounds));
}

/** Requests that follow each other, of one kind. */
interface Step {
  readonly kind: string;
  readonly requests: SentRequest[];
  readonly atOnce: number;
}

function stepsOf(requests: readonly SentRequest[], atOnce: number): readonly Step[] {
  const steps: Step[] = [];
  for (const request of requests) {
    const line = `${request.method} ${request.url}`;
    const kind = Object.entries(kinds).find(([, lines]) => lines.test(line))?.[0] ?? '';
    const step = steps.at(-1);
    if (step?.kind === kind) step?.requests.push(request);
    else
      steps.push({
        kind,
        requests: [request],
        atOnce: kind === 'lists' ? atOnce : requests.length,
      });
  }
  return steps;
}

/** An object that was made again has another uid, and is watched from another version on. */
async function adjust(
  steps: readonly Step[],
  plane: ControlPlane,
  { path }: Deleted,
): Promise<readonly Step[]> {
  const { uid } = (await plane.get<KubeObject>(path)).metadata;
  const collection = path.slice(0, path.lastIndexOf('/'));
  const { metadata } = await plane.get<KubeObject>(collection);
  return steps.map((step) => ({
    ...step,
    requests: step.requests.map((request) => ({
      ...request,
      url: request.url.replace(/(watch=.*&resourceVersion=)\d+/, `$1${metadata.resourceVersion}`),
      body: request.body.replace(/("preconditions":\{"uid":)"[^"]*"/, `$1"${uid}"`),
    })),
  }));
}

async function fromFile() {
  const directory = mkdtempSync(join(tmpdir(), 'gc-floor-'));
  try {
    const file = join(directory, 'objects.ndjson');
    await pipeline(Readable.from(lines(Number(values.objects))), createWriteStream(file));
    console.log(
      `\nabout ${values.objects} objects, ${(statSync(file).size / 1e6).toFixed(0)} MB of NDJSON`,
    );
    const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
    const script = new URL('only-parse.mjs', import.meta.url).pathname;
    const orphans = ['orphans', '-A', '-o', 'name', '--from', file];
    report(
      await inTurns(
        [
          { name: 'kubectl gc orphans -A --from', argv: [process.execPath, bin, ...orphans] },
          { name: 'node, JSON.parse of each line', argv: [process.execPath, script, file] },
        ],
        rounds,
      ),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** As `kubectl get -o json` prints objects, which is without managedFields. */
function* lines(objects: number): Iterable<string> {
  for (const object of busyCluster(objects / 96_400)) {
    const { managedFields, ...metadata } = object.metadata;
    yield `${JSON.stringify({ ...object, metadata })}\n`;
  }
}
