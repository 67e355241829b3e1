import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../../src/commands/index.ts';
import { kube } from '../../support/kube.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answersWith, objectsWith } from './planted.ts';

const folder = temporaryFolder();
const backup = join(folder, 'backup');

/** Lines that change a cluster, for each command that can also only show or rehearse that. */
const linesOf: Readonly<Record<string, string>> = {
  delete: 'delete configmap/settings -n shop --yes --wait=false',
  'podgc-preview': 'podgc-preview --apply --yes --allow-protected --wait=false',
  forecast:
    'forecast --apply --yes --allow-protected --wait=false --collector=pod-garbage-collector',
  why: 'why configmap/stuck -n shop --fix --yes --remove-finalizer acme.test/wait',
  'invalid-ownerrefs': 'invalid-ownerrefs -n shop --fix --yes',
  restore: `restore ${backup} --yes`,
};

/** One more than the threshold of the pod garbage collector there. */
const ended = Array.from({ length: 5 }, (_, at) =>
  kube(
    `v1 Pod ended-${at}`,
    { creationTimestamp: '2026-01-01T00:00:00Z' },
    { status: { phase: 'Succeeded' } },
  ),
);
const answers = answersWith([...objectsWith('nothing'), ...ended]);
const gone = new Set<string>();
let writes: string[] = [];

/** Everything may be done there, and all that would be stored is noted. */
const answer: RequestListener = async (request, response) => {
  const { method = 'GET', url = '' } = request;
  const [path = '', query = ''] = url.split('?');
  const body = await text(request);
  response.setHeader('content-type', 'application/json');
  const send = (status: number, object: object) =>
    response.writeHead(status).end(JSON.stringify(object));
  if (path.endsWith('accessreviews'))
    return send(201, { kind: 'Review', status: { allowed: true } });
  const found = gone.has(path) ? undefined : answers[path];
  if (method !== 'GET' && !query.includes('dryRun=All')) writes.push(`${method} ${path}`);
  if (method === 'POST') return send(201, JSON.parse(body));
  if (query.includes('watch=true')) return send(200, {});
  const details = { name: path.split('/').at(-1) };
  if (!found) return send(404, { kind: 'Status', code: 404, reason: 'NotFound', details });
  return send(200, found);
};
const server = await mockHttpServer(answer);
afterAll(() => server.close());

/** The writes of a line, other than questions. */
async function writesOf(line: string): Promise<string[]> {
  writes = [];
  await gcHere(`${line} -s ${server.url}`);
  return writes;
}

interface Flag {
  readonly type: 'boolean' | 'option';
  readonly helpGroup?: string;
  readonly helpValue?: string | string[];
  readonly options?: readonly string[];
}

async function flagsOf(id: string): Promise<Readonly<Record<string, Flag>>> {
  const { default: command } = await (commands[id] as (typeof commands)[string])();
  return command.flags as Readonly<Record<string, Flag>>;
}

/** Each way in which a command is told to show or to rehearse only. */
function showing(flags: Readonly<Record<string, Flag>>): string[] {
  const { preview, compare, 'dry-run': dryRun } = flags ?? {};
  return [
    '--help',
    ...(preview ? ['--preview', '--preview -o json'] : []),
    ...(compare ? ['--compare'] : []),
    ...(dryRun?.type === 'boolean' ? ['--dry-run'] : []),
    ...(dryRun?.type === 'option' ? ['--dry-run=client', '--dry-run=server'] : []),
    ...(dryRun?.type === 'option' ? ['--dry-run=client -o yaml'] : []),
  ];
}

/** Beside these, each two other flags are given. */
const inPairs = ['--help', '--preview', '--dry-run', '--dry-run=client'];

/** Flags that keep a command running, or ask. */
const leftOut = new Set(['watch', 'interactive']);

/** What is deleted by other ways than a name. */
const otherTargets = [
  '--raw /api/v1/namespaces/shop/configmaps/settings',
  `-f ${join(folder, 'settings.json')}`,
];
const values: Readonly<Record<string, string>> = {
  N: '1',
  DURATION: '1h',
  DIR: join(folder, 'new'),
};

/** Of each flag, the ways in which it can be given. */
function givenAs(flags: Readonly<Record<string, Flag>>): string[][] {
  return Object.entries(flags).flatMap(([name, { type, helpGroup, options, helpValue }]) => {
    if (helpGroup === 'GLOBAL' || leftOut.has(name)) return [];
    if (type === 'boolean') return [[`--${name}`]];
    return [(options ?? [values[`${helpValue}`] ?? 'word']).map((value) => `--${name}=${value}`)];
  });
}

/** Each two flags, as they are first given. */
function pairsOf(given: readonly string[][]): string[] {
  const firsts = given.flatMap(([first]) => first ?? []);
  return firsts.flatMap((one, at) => firsts.slice(at + 1).map((other) => `${one} ${other}`));
}

beforeAll(async () => {
  const line = 'delete configmap/settings -n shop --yes --wait=false';
  expect(await writesOf(`${line} --backup ${backup}`)).toHaveLength(1);
});

test('a server of these tests finds each write that is bound to no object', async () => {
  const other = await mockHttpServer();
  const send = (method: string, body: object) =>
    fetch(`${other.url}/api/v1/namespaces/shop/pods/a`, { method, body: JSON.stringify(body) });
  await send('DELETE', { preconditions: { uid: 'of-a' } });
  await send('POST', { metadata: { name: 'a' } });
  await send('PUT', { metadata: { uid: 'of-a' } });
  await send('DELETE', { kind: 'DeleteOptions' });
  await expect(other.close()).rejects.toThrow(
    /^unbound writes:\nupdate \S+ without a resourceVersion\ndelete \S+ without a uid$/,
  );
});

test('each command that can only show what it would do is covered here', async () => {
  const ids = Object.keys(commands);
  const shown = await Promise.all(ids.map(async (id) => showing(await flagsOf(id)).length > 1));
  expect(ids.filter((_, at) => shown[at]).sort()).toEqual(Object.keys(linesOf).sort());
});

test.each(Object.entries(linesOf))('%s changes a cluster', async (id, line) => {
  if (id === 'restore') gone.add('/api/v1/namespaces/shop/configmaps/settings');
  expect(await writesOf(line)).not.toEqual([]);
  gone.clear();
});

test.each(otherTargets)(
  'delete %s changes nothing where it only shows or rehearses',
  async (target) => {
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify(kube('v1 ConfigMap settings', { namespace: 'shop' })),
    );
    const line = `delete ${target} -n shop`;
    expect(
      await writesOf(target.startsWith('-f') ? `${line} --yes --wait=false` : line),
    ).toHaveLength(1);
    const changing: string[] = [];
    for (const shown of showing(await flagsOf('delete'))) {
      if ((await writesOf(`${line} ${shown}`)).length > 0) changing.push(shown);
    }
    expect(changing).toEqual([]);
  },
);

test.each(Object.entries(linesOf))(
  '%s changes nothing where it only shows or rehearses, with any other flag',
  async (id, line) => {
    const flags = await flagsOf(id);
    if (id === 'restore') gone.add('/api/v1/namespaces/shop/configmaps/settings');
    const changing: string[] = [];
    for (const shown of showing(flags)) {
      const given = givenAs(flags);
      const pairs = inPairs.includes(shown) ? pairsOf(given) : [];
      for (const more of ['', ...given.flat(), ...pairs]) {
        const each = `${line} ${shown} ${more}`.trimEnd();
        if ((await writesOf(each)).length > 0) changing.push(each);
      }
    }
    gone.clear();
    expect(changing).toEqual([]);
  },
);
