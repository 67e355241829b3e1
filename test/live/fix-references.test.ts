import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { InvalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import { askingOf } from '../support/asking.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { permit } from '../support/permissions.ts';
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

const { run, json } = askingOf(plane);
const reportOf = (line = 'invalid-ownerrefs -n fix') => json<InvalidReferencesReport>(line);

function create(name: string, references: readonly object[], manager: string) {
  const metadata = { name, ownerReferences: references };
  return plane.create(`${configMaps}?fieldManager=${manager}`, { metadata });
}

const reference = (changes: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'web',
  uid: owner.metadata.uid,
  ...changes,
});

async function stored(): Promise<Record<string, unknown>> {
  const found = await plane.list('ConfigMap fix/');
  return Object.fromEntries(
    found.map(({ metadata }) => [
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
  owner = await plane.make('Deployment fix/web', { ...workload('web'), metadata: {} });
});
afterAll(() => proxy.close());

beforeEach(async () => {
  proxy.before = () => undefined;
  await plane.remove(configMaps);
  await create('sound', [reference({})], 'helm');
  await create('recreated', [reference({ uid: 'old' })], 'restore-tool');
  await create('renamed', [reference({ name: 'web-v1' }), reference({ uid: 'x' })], 'rename-tool');
  await create('lost', [reference({ name: 'gone', uid: 'gone' })], 'some-operator');
});

const hold = 'example.com/hold';
const stuck = `why configmap/stuck -n fix --fix --yes --remove-finalizer ${hold}`;
const references = 'invalid-ownerrefs -n fix --fix --missing-owner=keep --yes -o name';

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
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const kept = `configmap/lost in namespace fix, configmap/recreated in namespace fix, configmap/renamed in namespace fix: keep it: remove the reference; it then remains until someone deletes it.
`;
  const rehearsed = `configmap/lost in namespace fix patched (server dry run)
configmap/recreated in namespace fix patched (server dry run)
configmap/renamed in namespace fix patched (server dry run)
`;

  test('what a fix changes is shown and kept, and restore gives back the owners that live', async () => {
    const asked = await onTerminal(asking, { typed: 'y\r', env });
    const shown = asked.shown.replaceAll('\r\n', '\n');
    expect(stripVTControlCharacters(shown)).toContain(`-       uid: x
+       uid: ${owner.metadata.uid}
Fix these 3 objects? (y/N): `);
    expect([asked.code, await stored()]).toEqual([0, mended]);
    const directory = undoFolder(shown);
    const unasked = await run(`restore ${directory} -o name`);
    expect([unasked.code, await stored()]).toEqual([2, mended]);
    const back = await run(`restore ${directory} --yes`);
    expect([back.code, await stored()]).toEqual([0, givenBack]);
    expect(back.stdout).toMatch(
      / lost +exists +Deployment\/gone \(dropped\) +it is still there; no reference to Deployment gone /,
    );
    // Once more, nothing is to do.
    expect((await run(`restore ${directory} --yes`)).stderr).toBe('Done: 3 there already.\n');
  });

  test('restore removes no reference that an object got since its fix', async () => {
    const fixed = await run(references);
    await plane.patch('ConfigMap fix/recreated', {
      metadata: { ownerReferences: [reference({ uid: 'newer' })] },
    });
    expect((await run(`restore ${undoFolder(fixed.stderr)} --yes`)).code).toBe(0);
    expect(await stored()).toEqual({ ...givenBack, recreated: ['web newer', 'web now'] });
  });

  test('what cannot be kept is not changed', async () => {
    const before = await plane.list('ConfigMap fix/');
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const nowhere = askingOf(plane, { KUBECTL_GC_BACKUP_DIR: file });
    const { code, stderr } = await nowhere.run(references);
    expect([code, stderr]).toEqual([3, expect.stringContaining('error: cannot write the backup ')]);
    expect(await plane.list('ConfigMap fix/')).toEqual(before);
  });

  test.each([
    ['n', 'n\r', 0, 'Nothing was changed. Add --yes to apply the fixes.'],
    ['Ctrl-C', '\u0003', 130, 'error: interrupted\r\n  Nothing was changed.'],
  ])('on a terminal asks, and accepts a no: %s', async (_, typed, code, said) => {
    const run = await onTerminal(asking, { typed, env });
    expect(run.shown).toContain('Fix these 3 objects? (y/N): ');
    expect(run.shown).toContain(`\r\n${said}\r\n`);
    expect([run.code, await stored()]).toEqual([code, broken]);
  });

  test('--yes mends, and then nothing is wrong any more', async () => {
    expect(await stored()).toEqual(broken);
    const { code, stdout, stderr } = await run(references);
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

describe('a fix', () => {
  beforeEach(async () => {
    await plane.make('ConfigMap fix/stuck', { metadata: { finalizers: [hold] } });
    await plane.remove('ConfigMap fix/stuck');
    proxy.forget();
  });
  afterEach(async () => {
    await plane.merge('ConfigMap fix/stuck', { metadata: { finalizers: null } });
  });

  test('saves objects that a step releases, and restore creates them again', async () => {
    const fixed = await run(stuck);
    expect([fixed.code, await plane.isHealthy('ConfigMap fix/stuck')]).toEqual([0, false]);
    const { code, stderr } = await run(`restore ${undoFolder(fixed.stderr)} --yes`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done: 1 created.')]);
    const { metadata } = await plane.get('ConfigMap fix/stuck');
    expect([metadata.finalizers, metadata.deletionTimestamp]).toEqual([[hold], undefined]);
    await plane.remove('ConfigMap fix/stuck');
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
      ['configmap/lost in namespace fix patched', saved, lines],
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
  ])('is refused without patch permission: %s', async (line, what) => {
    const eve = plane.kubeconfigFor({ user: 'eve', namespace: 'fix' });
    const { code, stderr } = await run(line, eve);
    const refusal = `error: patch is not permitted on configmaps ${what}; nothing was sent\n`;
    expect([code, stderr]).toEqual([3, expect.stringContaining(refusal)]);
    expect(stderr).not.toContain('dry run');
  });
});

describe('the choices for objects whose owners do not exist', () => missingOwnerChoices(plane));
