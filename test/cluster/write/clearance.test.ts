import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/cluster/connection/connect.ts';
import {
  Clearance,
  ClearedWrite,
  rehearsal,
  review,
} from '../../../src/cluster/write/clearance.ts';
import { DryRunServer } from '../../../src/cluster/write/dry-run-server.ts';
import { sendWrite } from '../../../src/cluster/write/send-write.ts';
import { updateOf, type WriteRequest } from '../../../src/cluster/write/write-request.ts';
import { sourceFiles } from '../../support/architecture/source-files.ts';
import { nowhere } from '../../support/nowhere.ts';

const path = '/api/v1/namespaces/shop/configmaps/a';
const deletion = { verb: 'delete', path, guards: { uid: 'u' } } as const;
const body = { metadata: { name: 'a' } };
const creation = { verb: 'create', path: '/api/v1/namespaces/shop/configmaps', body } as const;
const agreed = 'flag';
/** Nothing listens there. */
const open = () => connect({ server: 'http://127.0.0.1:1' }, nowhere);

const grounds = { uids: ['u'], refusals: [], agreed, saved: 'declined' } as const;

test('every place that grants a clearance is known, and no other module speaks HTTP to a server', () => {
  const granted: string[] = [];
  const speakers: string[] = [];
  for (const [file, text] of sourceFiles('src')) {
    for (const [, purpose] of text.matchAll(/Clearance\.grant\(\s*'(\w+)'/g))
      granted.push(`${purpose}: ${file}`);
    expect([file, text.match(/\.grant\b/g)?.length ?? 0]).toEqual([
      file,
      text.match(/Clearance\.grant\(\s*'/g)?.length ?? 0,
    ]);
    if (/from '[^']*\/http-exchange\.ts'/.test(text)) speakers.push(file);
  }
  expect(granted.sort()).toEqual([
    'certificate: src/guard/trusted-certificates.ts',
    'controller: src/runner/run-controllers.ts',
    'deletion: src/commands/delete/as-kubectl.ts',
    'deletion: src/perform/perform-plan.ts',
    'fix: src/shell/fix/send-fixes.ts',
    'probe: src/why/ask/canary.ts',
    'raw: src/commands/delete/delete-raw.ts',
    'report: src/commands/report/publish.ts',
    'restoration: src/commands/restore/restore.ts',
  ]);
  expect(speakers).toEqual(['src/cluster/connection/connect.ts']);
});

const writes: Readonly<Record<string, WriteRequest>> = {
  creation,
  'the object': deletion,
  'another object': { ...deletion, guards: { uid: 'v' } },
  'another creation': { ...creation, body: { metadata: { name: 'b' } } },
  'another place': { ...deletion, path: '/api/v1/namespaces/shop/configmaps/b' },
  'no uid': { verb: 'delete', path, guards: { uid: '' } },
  'no guards': { verb: 'delete', path },
  'a path below': { verb: 'delete', path: `${path}/status` },
};

/** Which of these requests a clearance covers. */
const coveredBy = (clearance: { covers(write: never): ClearedWrite }) =>
  Object.entries(writes).flatMap(([name, write]) => {
    try {
      return ClearedWrite.is(clearance.covers(write as never)) ? name : [];
    } catch {
      return [];
    }
  });

describe('a clearance', () => {
  test('covers what it was granted for, and nothing else', () => {
    const bound = { uids: ['u'], agreed } as const;
    const raw = Clearance.grant('raw', { path, refusals: [] });
    expect({
      deletion: coveredBy(Clearance.grant('deletion', grounds)),
      fix: coveredBy(Clearance.grant('fix', { ...bound, saved: new Map() })),
      certificate: coveredBy(Clearance.grant('certificate', bound)),
      report: coveredBy(Clearance.grant('report', bound)),
      probe: coveredBy(Clearance.grant('probe', { uids: [], agreed })),
      restoration: coveredBy(Clearance.grant('restoration', { paths: [path], agreed })),
      raw: coveredBy(raw),
    }).toEqual({
      deletion: ['the object', 'another place'],
      fix: ['the object', 'another place'],
      certificate: ['the object', 'another place'],
      report: ['creation', 'the object', 'another creation', 'another place'],
      probe: ['creation', 'another creation'],
      restoration: ['creation', 'the object', 'another object'],
      raw: ['the object', 'another object', 'no uid', 'no guards'],
    });
  });

  test('of a probe covers what the probe has created', () => {
    const probe = Clearance.grant('probe', { uids: [], agreed });
    probe.created('u');
    expect(coveredBy(probe)).toEqual([
      'creation',
      'the object',
      'another creation',
      'another place',
    ]);
  });
});

test('a restoration covers an object that is named status, and its status', () => {
  const named = path.replace(/a$/, 'status');
  const restoration = Clearance.grant('restoration', { paths: [named], agreed });
  const changed = (at: string) =>
    restoration.covers({ verb: 'delete', path: at, guards: { uid: 'u' } }).write.path;
  expect([named, `${named}/status`].map(changed)).toEqual([named, `${named}/status`]);
  expect(() => changed(`${named}/scale`)).toThrow('no clearance');
});

describe('a dry run', () => {
  const crd = '/apis/example.com/v1/namespaces/shop/widgets/a';
  const shown = (of: string, apiService?: object) =>
    DryRunServer.behind(of, async () => apiService as never);

  test('needs a server that is known to store nothing', async () => {
    const service = { spec: { service: { name: 'widgets', namespace: 'ops' } } };
    const servers = [
      shown(path),
      shown('/apis/apps/v1/namespaces/shop/deployments/a'),
      shown(crd, { spec: {} }),
      shown(crd, service),
      shown(crd),
    ];
    const known = (await Promise.all(servers)).map((server) => server !== undefined);
    expect(known).toEqual([true, true, true, false, false]);
  });

  test('is one whatever the request says, and only of the server that was asked about', async () => {
    const server = await shown(crd, { spec: {} });
    if (!server) throw new Error('a definition is served by kube-apiserver');
    const { write, purpose } = rehearsal({ verb: 'delete', path: crd, dryRun: false }, server);
    expect([write.dryRun, purpose]).toEqual([true, 'rehearsal']);
    for (const other of [path, '/apis/example.com/v2/widgets/a', '/apis/example.com.evil/v1/a'])
      expect(() => rehearsal({ verb: 'delete', path: other }, server)).toThrow(/another server/);
  });
});

test('a connection sends no write without a clearance, even if a cast hides that from the compiler', async () => {
  const client = await open();
  const { write } = Clearance.grant('deletion', grounds).covers(deletion);
  const look: unknown = { write, purpose: 'deletion' };
  const other = review('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} });
  for (const cleared of [undefined, look, structuredClone(other), { ...other }, other]) {
    const request = { method: 'DELETE', path, cleared } as never;
    await expect(client.request(request)).rejects.toThrow(`DELETE ${path} was not cleared`);
  }
  client.close();
});

test('a PUT keeps all that was read, and takes nothing that was not read whole', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '7', labels: { a: 'b' } };
  const read = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: ['a', 'b'] } };
  const update = updateOf(`${path}/finalize`, read, { spec: { finalizers: ['b'] } });
  expect(update).toEqual({
    verb: 'update',
    path: `${path}/finalize`,
    body: { ...read, spec: { finalizers: ['b'] } },
    guards: { uid: 'u', resourceVersion: '7' },
  });
  for (const lacking of ['uid', 'resourceVersion']) {
    const part = { ...read, metadata: { ...metadata, [lacking]: undefined } };
    expect(() => updateOf(path, part, {})).toThrow(/not read whole/);
  }
});

test('a write that the compiler refuses is not sent at run time either', async () => {
  const client = await open();
  const clearance = Clearance.grant('deletion', grounds);
  const requests: (() => Promise<unknown>)[] = [
    // @ts-expect-error: a request that was not cleared
    () => sendWrite(client, deletion),
    // @ts-expect-error: the same past sendWrite
    () => client.request({ method: 'DELETE', path }),
    // @ts-expect-error: what only looks as if it was cleared
    () => sendWrite(client, { write: deletion, purpose: 'deletion' }),
    // @ts-expect-error: nothing but the gate makes it
    () => sendWrite(client, new ClearedWrite(Symbol('gate'), deletion, 'deletion')),
    // @ts-expect-error: without a uid
    async () => clearance.covers({ verb: 'delete', path }),
    // @ts-expect-error: a part of an object, which a PUT would leave of it
    async () => clearance.covers({ verb: 'update', path, guards: { uid: 'v' }, body: {} }),
    // @ts-expect-error: a dry run of a server of which nothing is known
    async () => rehearsal(deletion, undefined),
  ];
  const ends = await Promise.allSettled(requests.map(async (request) => request()));
  const sent = ends.filter(
    ({ status, ...end }) => status === 'fulfilled' && !JSON.stringify(end).includes('not cleared'),
  );
  expect(sent).toEqual([]);
  client.close();
});

test('the compiler takes no grounds of which a part was not settled', () => {
  const clearances = [
    // @ts-expect-error: what speaks against it
    Clearance.grant('deletion', { uids: [], agreed, saved: 'declined' }),
    // @ts-expect-error: something speaks against it
    Clearance.grant('deletion', { ...grounds, uids: [], refusals: ['it is protected'] }),
    // @ts-expect-error: whether it was agreed to
    Clearance.grant('deletion', { uids: [], refusals: [], saved: 'declined' }),
    // @ts-expect-error: whether it was saved
    Clearance.grant('fix', { uids: [], agreed }),
    // @ts-expect-error: of another purpose
    Clearance.grant('fix', { agreed }),
  ];
  expect(clearances.flatMap(coveredBy)).toEqual([]);
});
