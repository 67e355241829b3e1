import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { commands } from '../../../src/commands/index.ts';
import { sealPlan } from '../../../src/deletion/saved-plan.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

const folder = temporaryFolder('offline');
const server = await mockHttpServer();
afterAll(() => server.close());
const env = {
  NO_COLOR: '1',
  KUBECONFIG: writeKubeconfig(join(folder, 'kubeconfig'), { server: server.url }, { token: 't' }),
  KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
};

const objects = join(folder, 'objects.yaml');
const object = (kind: string, name: string, more = '') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop, uid: ${name}-uid${more}}\n`;
const deleting = ', deletionTimestamp: 2026-01-01T00:00:00Z, finalizers: [example.com/drain]';
const owned = ', ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: owner-uid}]';
const input = [
  object('ConfigMap', 'owner', deleting),
  object('ConfigMap', 'owned', owned),
  object('Pod', 'pod'),
].join('---\n');
writeFileSync(objects, input);
// What is asked is still about these objects.
afterEach(() => expect(readFileSync(objects, 'utf8')).toBe(input));

/** What each command is about. */
const argumentsOf: Readonly<Record<keyof typeof commands, string>> = {
  status: '',
  owners: 'configmap/owned -n shop',
  tree: 'configmap/owner -n shop',
  view: '-A',
  orphans: '',
  'invalid-ownerrefs': '',
  delete: 'configmap/owner -n shop',
  restore: join(folder, 'backups'),
  backups: '',
  deleted: '-A',
  simulate: '',
  'podgc-preview': '',
  forecast: '',
  images: 'node-1',
  containers: 'node-1',
  'run-controllers': '',
  guard: '',
  why: 'configmap/owner -n shop',
  settings: '',
  audit: '',
  report: '',
  completion: 'bash',
  mcp: '',
  policies: '',
  rbac: 'delete',
  'snapshot:save': join(folder, 'snapshot.json.gz'),
  'snapshot:info': objects,
  'snapshot:diff': `${objects} ${objects}`,
  'snapshot:export': `${objects} --to ${join(folder, 'tables')} --force`,
  options: '',
  version: '',
};

/** Values by what help says of a flag; of any other, a word. */
const valuesOf: Readonly<Record<string, string>> = {
  DURATION: '1h',
  TIME: '2026-06-01T00:00:00Z',
  '[=TIME]': '',
  N: '1',
  SECONDS: '1',
  PORT: '0',
  SELECTOR: 'app=web',
  JSONPATH: '{.metadata.name}',
  PATH: objects,
  FILE: objects,
  DIR: folder,
  URI: '/api/v1/namespaces/shop/configmaps/owner',
  'TYPE/NAME': 'configmap/owner',
  TYPE: 'configmaps',
};

/** Files that flags write. */
const written: Readonly<Record<string, string>> = { 'metrics-file': join(folder, 'metrics') };

/** A plan that was made for this server, as it would be performed. */
const plan = join(folder, 'plan.json');
await gcHere(`delete configmap/owned -n shop --from ${objects} --plan ${plan}`, env);
const made = JSON.parse(readFileSync(plan, 'utf8'));
const cluster = { server: server.url, uid: 'kube-system-uid' };
writeFileSync(plan, JSON.stringify(sealPlan({ ...made, cluster })));

/** Flags that keep a command running, and one that the line has in any case. */
const leftOut = new Set(['watch', 'serve', 'from']);

interface Flag {
  readonly type: 'boolean' | 'option';
  readonly helpGroup?: string;
  readonly helpValue?: string | string[];
  readonly options?: readonly string[];
  readonly exclusive?: readonly string[];
}

async function flagsOf(id: string): Promise<readonly (readonly [string, Flag])[]> {
  const { default: command } = await (commands[id] as (typeof commands)[string])();
  return Object.entries({ ...command.baseFlags, ...command.flags } as Record<string, Flag>);
}

/** Each way in which the flag can be given. */
function givenAs([name, { type, options, helpValue }]: readonly [string, Flag]): string[] {
  if (type === 'boolean') return [`--${name}`];
  const values = options ?? [written[name] ?? valuesOf[`${helpValue}`] ?? 'word'];
  return values.map((value) => (value === '' ? `--${name}` : `--${name}=${value}`));
}

/** The line alone, with each flag, and with each two flags. */
function linesOf(line: string, flags: readonly (readonly [string, Flag])[]): string[] {
  const given = flags.map(givenAs);
  const pairs = given.flatMap((one, at) =>
    given.slice(at + 1).flatMap((other) => one.flatMap((a) => other.map((b) => `${a} ${b}`))),
  );
  return ['', ...given.flat(), ...pairs].map((more) => `${line} ${more}`.trimEnd());
}

/** What is compared with a cluster or restored to it is read from files all the same. */
const besideFiles = ['restore', '--against-cluster'];

const ids = Object.keys(commands);
/** These serve until they are stopped, and are asked below. */
const serving = ['view', 'mcp'];
const answering = ids.filter((id) => !serving.includes(id));

test('the offline contract covers each command', () => {
  expect(Object.keys(argumentsOf).sort()).toEqual(Object.keys(commands).sort());
});

test.each(answering)('%s contacts no server with --from and any two flags', async (id) => {
  const flags = await flagsOf(id);
  if (!flags.some(([name]) => name === 'from')) return;
  const own = flags.filter(([name, { helpGroup }]) => helpGroup !== 'GLOBAL' && !leftOut.has(name));
  const line = `${id.replace(':', ' ')} ${argumentsOf[id]} --from ${objects}`;
  const contacted: string[] = [];
  for (const each of linesOf(line, own)) {
    if (besideFiles.some((word) => each.includes(word))) continue;
    await gcHere(each, env);
    if (server.take().length > 0) contacted.push(each);
  }
  expect(contacted).toEqual([]);
});

test.each(answering)(
  '%s contacts no server with --from and any flag for the connection',
  async (id) => {
    const flags = await flagsOf(id);
    if (!flags.some(([name]) => name === 'from')) return;
    const connecting = flags.filter(
      ([name, { helpGroup }]) => helpGroup === 'GLOBAL' && !leftOut.has(name),
    );
    const line = `${id.replace(':', ' ')} ${argumentsOf[id]} --from ${objects}`;
    const contacted: string[] = [];
    for (const flag of connecting.flatMap(givenAs)) {
      const each = `${line} ${flag.startsWith('--server=') ? `--server=${server.url}` : flag}`;
      if (besideFiles.some((word) => each.includes(word))) continue;
      await gcHere(each, env);
      if (server.take().length > 0) contacted.push(each);
    }
    expect(contacted).toEqual([]);
  },
);

/** Commands that can change a cluster; the others take the flags for a connection from the same place. */
const writing = ['delete', 'why', 'forecast', 'podgc-preview', 'invalid-ownerrefs'];

test.each(writing)(
  '%s contacts no server with --from, a flag of its own and one for the connection',
  async (id) => {
    const flags = (await flagsOf(id)).filter(([name]) => !leftOut.has(name));
    const [connecting = [], own = []] = [true, false].map((isGlobal) =>
      flags
        .filter(([, { helpGroup }]) => (helpGroup === 'GLOBAL') === isGlobal)
        .flatMap((flag) => givenAs(flag).slice(0, 1)),
    );
    const line = `${id} ${argumentsOf[id]} --from ${objects}`;
    const contacted: string[] = [];
    for (const one of own) {
      for (const flag of connecting) {
        const to = flag.startsWith('--server=') ? `--server=${server.url}` : flag;
        const each = `${line} ${one} ${to}`;
        if (besideFiles.some((word) => each.includes(word))) continue;
        await gcHere(each, env);
        if (server.take().length > 0) contacted.push(each);
      }
    }
    expect(contacted).toEqual([]);
  },
);

test('view contacts no server with --from', async () => {
  const view = startWatching(`view ${argumentsOf.view} --from ${objects}`, env);
  await view.shows('\n');
  const url = new URL(view.stdout().trim());
  const page = await fetch(new URL(`/page.json${url.search}`, url));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('owned')]);
  expect([(await view.end()).code, server.take()]).toEqual([0, []]);
});

test('mcp contacts no server with --from', async () => {
  const mcp = startWatching(`mcp --from ${objects}`, env, 'pipe');
  const send = (message: object) =>
    mcp.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const client = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', ...client } });
  send({ method: 'notifications/initialized' });
  await mcp.shows('"id":1');
  send({ id: 2, method: 'tools/list' });
  await mcp.shows('"id":2');
  const { result } = JSON.parse(mcp.stdout().trim().split('\n').at(-1) ?? '');
  const tools: readonly { name: string; inputSchema: { required?: string[] } }[] = result.tools;
  for (const [at, { name, inputSchema }] of tools.entries()) {
    const about = inputSchema.required?.includes('object') ? { object: 'configmap/owner' } : {};
    send({
      id: at + 3,
      method: 'tools/call',
      params: { name, arguments: { namespace: 'shop', ...about } },
    });
    await mcp.shows(`"id":${at + 3}`);
  }
  mcp.child.stdin?.end();
  expect([(await mcp.ended()).code, tools.length > 5, server.take()]).toEqual([0, true, []]);
});

test('a saved plan is performed on no server with --from', async () => {
  // Beside what is to be planned, the file is where the plan is written.
  const planned = new Set(['plan', 'filename', 'kustomize']);
  const own = (await flagsOf('delete')).filter(
    ([name, { helpGroup }]) => helpGroup !== 'GLOBAL' && !leftOut.has(name) && !planned.has(name),
  );
  const contacted: string[] = [];
  for (const each of linesOf(`delete --plan=${plan} --yes --from ${objects}`, own)) {
    await gcHere(each, env);
    if (server.take().length > 0) contacted.push(each);
  }
  expect(contacted).toEqual([]);
});

test.each(ids)('%s contacts no server with --help', async (id) => {
  const own = (await flagsOf(id)).filter(([, { helpGroup }]) => helpGroup !== 'GLOBAL');
  const line = `${id.replace(':', ' ')} ${argumentsOf[id]}`;
  for (const flag of own.flatMap(givenAs)) {
    expect([flag, (await gcHere(`${line} ${flag} --help`, env)).code]).toEqual([flag, 0]);
  }
  expect(server.take()).toEqual([]);
});
