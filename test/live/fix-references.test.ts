import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { undoFolder, undoLine, withoutFolder } from '../support/undo-line.ts';
import { startWatching } from '../support/watching.ts';
import { workload } from '../support/workload.ts';
import { missingOwnerChoices } from './missing-owner-choices.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** Wrong references on a real API server without controllers, which would act on them first. */
const plane = await ownControlPlane({ controllers: 'none' });
let proxy: TestProxy;
let owner: KubeObject;
const folder = temporaryFolder();
const configMaps = '/api/v1/namespaces/fix/configmaps';

interface Report {
  readonly coverage: {
    readonly complete: boolean;
    readonly problems: readonly { reason: string; apiVersion?: string; message: string }[];
  };
  readonly items: readonly {
    readonly class: string;
    readonly object: { readonly name: string };
    readonly writer?: { readonly manager: string };
  }[];
  readonly unknown: readonly { readonly object: { readonly name: string } }[];
}

const env = () => ({ KUBECONFIG: plane.kubeconfigPath });
const run = (line: string) => gc(line, { env: env() });

async function reportOf(line = 'invalid-ownerrefs -n fix'): Promise<Report> {
  const { code, stdout, stderr } = await run(`${line} -o json`);
  expect([code, stderr.includes('error')], stderr).toEqual([0, false]);
  return JSON.parse(stdout);
}

function create(name: string, references: readonly object[], manager: string) {
  const metadata = { name, ownerReferences: references };
  return plane.create<KubeObject>(`${configMaps}?fieldManager=${manager}`, { metadata });
}

const reference = (changes: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'web',
  uid: owner.metadata.uid,
  ...changes,
});

/** Without the list's own resourceVersion, which any write to the cluster changes. */
const listed = async () => (await plane.get<{ items: KubeObject[] }>(configMaps)).items;

async function stored(): Promise<Record<string, unknown>> {
  const { items } = await plane.get<{ items: KubeObject[] }>(configMaps);
  return Object.fromEntries(
    items.map(({ metadata }) => [
      metadata.name,
      (metadata.ownerReferences as { name: string; uid: string }[] | undefined)?.map(
        ({ name, uid }) => `${name} ${uid === owner.metadata.uid ? 'now' : uid}`,
      ),
    ]),
  );
}

beforeAll(async () => {
  proxy = await startProxy(plane);
  await plane.make('Namespace fix');
  await permit(plane, 'eve', [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]);
  owner = await plane.create<KubeObject>(
    '/apis/apps/v1/namespaces/fix/deployments',
    workload('web'),
  );
});
afterAll(() => proxy.close());

beforeEach(async () => {
  proxy.before = () => undefined;
  await plane.request(configMaps, { method: 'DELETE' });
  await create('sound', [reference({})], 'helm');
  await create('recreated', [reference({ uid: 'old' })], 'restore-tool');
  await create('renamed', [reference({ name: 'web-v1' }), reference({ uid: 'x' })], 'rename-tool');
  await create('lost', [reference({ name: 'gone', uid: 'gone' })], 'some-operator');
});

const mended = {
  sound: ['web now'],
  recreated: undefined,
  renamed: ['web now'],
  lost: undefined,
};
/** After a restoration of what the fix kept: an owner that is gone does not come back. */
const givenBack = { ...mended, recreated: ['web now'] };
const broken = {
  sound: ['web now'],
  recreated: ['web old'],
  renamed: ['web-v1 now', 'web x'],
  lost: ['gone gone'],
};

test('what is wrong, and who wrote it', async () => {
  const { items, coverage } = await reportOf();
  expect(items.map((item) => [item.object.name, item.class, item.writer?.manager])).toEqual([
    ['lost', 'missing-owner', 'some-operator'],
    ['recreated', 'owner-uid-mismatch', 'restore-tool'],
    ['renamed', 'owner-name-mismatch', 'rename-tool'],
    ['renamed', 'owner-uid-mismatch', 'rename-tool'],
  ]);
  expect(coverage.complete).toBe(true);
  const everywhere = await reportOf('invalid-ownerrefs -A');
  expect(everywhere.items).toEqual(items);
  const { items: some } = await reportOf(
    'invalid-ownerrefs configmaps -n fix --field-selector metadata.name=lost',
  );
  expect(some.map(({ object }) => object.name)).toEqual(['lost']);
});

describe('--fix', () => {
  const asking = 'invalid-ownerrefs -n fix --fix --missing-owner=keep -o name';
  const kept = `configmap/lost in namespace fix, configmap/recreated in namespace fix, configmap/renamed in namespace fix: keep it: remove the reference; it then stays until it is deleted by hand.
`;
  const rehearsed = `configmap/lost in namespace fix patched (server dry run)
configmap/recreated in namespace fix patched (server dry run)
configmap/renamed in namespace fix patched (server dry run)
`;

  /** What the fixes change, as it is shown before the question. */
  const changes = () => `configmap/lost in namespace fix:
- metadata:
-   ownerReferences:
-     - apiVersion: apps/v1
-       kind: Deployment
-       name: gone
-       uid: gone
configmap/recreated in namespace fix:
- metadata:
-   ownerReferences:
-     - apiVersion: apps/v1
-       kind: Deployment
-       name: web
-       uid: old
configmap/renamed in namespace fix:
  metadata:
    ownerReferences:
      - apiVersion: apps/v1
        kind: Deployment
-       name: web-v1
-       uid: ${owner.metadata.uid}
-     - apiVersion: apps/v1
-       kind: Deployment
        name: web
-       uid: x
+       uid: ${owner.metadata.uid}
`;

  test('what a fix changes is shown and kept, and restore gives back the owners that live', async () => {
    const asked = await onTerminal(asking, { typed: 'y\r', env: env() });
    const shown = asked.shown.replaceAll('\r\n', '\n');
    expect(stripVTControlCharacters(shown)).toContain(`${changes()}Fix these 3 objects? (y/N): `);
    expect([asked.code, await stored()]).toEqual([0, mended]);
    const directory = undoFolder(shown);
    const unasked = await run(`restore ${directory} -o name`);
    expect([unasked.code, await stored()]).toEqual([2, mended]);
    const back = await run(`restore ${directory} --yes`);
    expect([back.code, await stored()]).toEqual([0, givenBack]);
    expect(back.stdout).toMatch(/ lost +exists +Deployment\/gone \(dropped\) +it is still there$/m);
    // Once more, nothing is to do.
    expect((await run(`restore ${directory} --yes`)).stderr).toBe('Done: 3 there already.\n');
  });

  test('for recipients of the environment it is kept encrypted, and the key takes it back', async () => {
    const identity = await generateX25519Identity();
    const files = { recipients: join(folder, 'recipients.txt'), key: join(folder, 'key.txt') };
    writeFileSync(files.recipients, await identityToRecipient(identity));
    writeFileSync(files.key, identity);
    const fixed = await gc('invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name', {
      env: { ...env(), KUBECTL_GC_BACKUP_RECIPIENTS: files.recipients },
    });
    const undo = /^To undo it: kubectl gc (restore --identity) KEY_FILE (\S+)$/m;
    const [, command, directory = ''] = undo.exec(fixed.stderr) ?? [];
    expect([fixed.code, command, await stored()]).toEqual([0, 'restore --identity', mended]);
    const manifests = join(directory, 'objects', 'fix', 'configmaps');
    expect(readdirSync(manifests).filter((name) => !name.endsWith('.age'))).toEqual([]);
    expect((await run(`restore ${directory} --yes`)).code).toBe(3);
    expect(await stored()).toEqual(mended);
    const back = await run(`restore --identity ${files.key} ${directory} --yes`);
    expect([back.code, await stored()]).toEqual([0, givenBack]);
  });

  test('restore removes no reference that an object got since its fix', async () => {
    const fixed = await run('invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name');
    await plane.patch(`${configMaps}/recreated`, {
      metadata: { ownerReferences: [reference({ uid: 'newer' })] },
    });
    expect((await run(`restore ${undoFolder(fixed.stderr)} --yes`)).code).toBe(0);
    expect(await stored()).toEqual({ ...givenBack, recreated: ['web newer', 'web now'] });
  });

  test('what cannot be kept is not changed', async () => {
    const before = await listed();
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const { code, stderr } = await gc(
      'invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name',
      {
        env: { ...env(), KUBECTL_GC_BACKUP_DIR: file },
      },
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining('error: cannot write the backup ')]);
    expect(await listed()).toEqual(before);
  });

  test.each([
    ['n', 'n\r', 0, 'Nothing was changed. Add --yes to apply the fixes.'],
    ['only Enter', '\r', 0, 'Nothing was changed. Add --yes to apply the fixes.'],
    ['Ctrl-D', '\u0004', 0, 'Nothing was changed. Add --yes to apply the fixes.'],
    ['Ctrl-C', '\u0003', 130, 'error: interrupted\r\n  Nothing was changed.'],
  ])('on a terminal asks, and takes no for an answer: %s', async (_, typed, code, said) => {
    const run = await onTerminal(asking, { typed, env: env() });
    expect(run.shown).toContain('Fix these 3 objects? (y/N): ');
    expect(run.shown).toContain(`\r\n${said}\r\n`);
    expect([run.code, await stored()]).toEqual([code, broken]);
  });

  test('--yes mends, and then nothing is wrong any more', async () => {
    expect(await stored()).toEqual(broken);
    const { code, stdout, stderr } = await run(
      'invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name',
    );
    expect([code, stdout, withoutFolder(stderr)]).toEqual([
      0,
      'configmap/lost\nconfigmap/recreated\nconfigmap/renamed\n',
      `${kept}${rehearsed}${rehearsed.replaceAll(' (server dry run)', '')}${undoLine}\n`,
    ]);
    expect(await stored()).toEqual(mended);
    expect((await reportOf()).items).toEqual([]);
    expect((await run('invalid-ownerrefs -n fix --fix --missing-owner=keep --yes')).stderr).toBe(
      'No invalid owner references found in fix namespace.\nNo finding can be fixed by an edit.\n',
    );
  });
});

const hold = 'example.com/hold';
const stuck = `why configmap/stuck -n fix --fix --yes --remove-finalizer ${hold}`;
const references = 'invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name';

describe('a fix', () => {
  beforeEach(async () => {
    await plane.make('ConfigMap fix/stuck', { metadata: { finalizers: [hold] } });
    await plane.request(`${configMaps}/stuck`, { method: 'DELETE' });
    proxy.forget();
  });
  afterEach(async () => {
    const path = `${configMaps}/stuck`;
    if (await plane.isHealthy(path)) await plane.patch(path, { metadata: { finalizers: null } });
  });

  test('keeps what a step let go, and restore creates it again', async () => {
    const fixed = await run(stuck);
    expect([fixed.code, await plane.isHealthy(`${configMaps}/stuck`)]).toEqual([0, false]);
    const { code, stderr } = await run(`restore ${undoFolder(fixed.stderr)} --yes`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done: 1 created.')]);
    const { metadata } = await plane.get<KubeObject>(`${configMaps}/stuck`);
    expect([metadata.finalizers, metadata.deletionTimestamp]).toEqual([[hold], undefined]);
    await plane.request(`${configMaps}/stuck`, { method: 'DELETE' });
  });

  const later = { status: 429, headers: { 'retry-after': '1' } };
  const putOff = 'not-sent: the server answered with HTTP status 429';
  const saved = 'The state before is saved in DIR';
  const lines = 'Nothing was changed but what the lines above say.';
  test.each([
    [references, /selfsubjectaccessreviews/, later, ['Nothing was sent.']],
    [stuck, /selfsubjectaccessreviews/, later, ['Nothing was sent.']],
    [references, /PATCH.*dryRun/, later, ['Nothing was changed.']],
    [
      references,
      /PATCH(?!.*dryRun)/,
      undefined,
      ['configmap/lost in namespace fix patched', undoLine, lines],
    ],
    [
      references,
      /PATCH(?!.*dryRun)/,
      later,
      [`configmap/lost in namespace fix not patched: ${putOff}`, saved, lines],
    ],
    [stuck, /PATCH(?!.*dryRun)/, later, [`Done: ${putOff}`, saved, lines]],
  ] as const)(
    '%s, on Ctrl-C at %s with the answer %j, sends nothing more',
    async (line, moment, answer, said) => {
      const command = startWatching(`${line} -s ${proxy.address}`, {});
      proxy.before = async ({ method, path }) => {
        if (!moment.test(`${method} ${path}`)) return undefined;
        command.child.kill('SIGINT');
        await sleep(300);
        return answer;
      };
      const { code, stderr } = await command.ended();
      const told = withoutFolder(stderr)
        .split('\n')
        .filter((one) => one !== 'error: interrupted');
      expect([code, told.map((one) => one.trim()).slice(-said.length - 1)]).toEqual([
        130,
        [...said, ''],
      ]);
      const patches = proxy.requests.filter(
        ({ method, path }) => method === 'PATCH' && !path.includes('dryRun'),
      );
      expect(patches).toHaveLength(said.length === 1 ? 0 : 1);
      expect(await stored()).toEqual({
        ...broken,
        stuck: undefined,
        ...(answer === undefined && { lost: undefined }),
      });
    },
  );

  test.each([
    [references, '"lost" in namespace "fix"'],
    [stuck, '"stuck" in namespace "fix"'],
  ])('is not even rehearsed for who may not patch: %s', async (line, what) => {
    const KUBECONFIG = plane.kubeconfigFor({ user: 'eve', namespace: 'fix' });
    const { code, stderr } = await gc(line, { env: { KUBECONFIG } });
    const refusal = `error: patch is not permitted on configmaps ${what}; nothing was sent\n`;
    expect([code, stderr]).toEqual([3, expect.stringContaining(refusal)]);
    expect(stderr).not.toContain('dry run');
  });
});

describe('what becomes of objects whose owners are gone', () => missingOwnerChoices(plane));
