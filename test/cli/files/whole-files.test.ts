import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bin, gc, mounted } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

/** However a save ends, the old file is whole or the new one is. */
const scratch = temporaryFolder();
const folder = join(scratch, 'folder');
const file = join(folder, 'cluster.json');
const big = join(scratch, 'big.json');
const old = 'test/fixtures/clusters/orphaned-replicaset.yaml';

beforeAll(() => {
  const items = Array.from({ length: 40_000 }, (_, number) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `settings-${number}`, namespace: 'shop', uid: `uid-${number}` },
  }));
  writeFileSync(big, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const drafts = () => readdirSync(folder).filter((name) => name.endsWith('.partial'));

interface Ended {
  readonly end: number | NodeJS.Signals | null;
  readonly stderr: string;
}

/** Saves the big file, and sends a signal while the draft of the new file lies beside the old one. */
async function saveAnd(signal: NodeJS.Signals): Promise<Ended> {
  const { child, stderr } = startWatching(`snapshot save ${file} --from ${big}`, {});
  const watcher = watch(folder);
  const send = (name: NodeJS.Signals) => child.kill(name);
  watcher.on('change', () => {
    if (drafts().length === 0) return;
    watcher.close();
    // While it stands still, it can be said whether this is the middle of it.
    send('SIGSTOP');
    if (drafts().length > 0) send(signal);
    send('SIGCONT');
  });
  const [code, name] = await once(child, 'close');
  watcher.close();
  return { end: name ?? code, stderr: stderr() };
}

describe('a save in the middle of which', () => {
  let before: Buffer;
  beforeEach(async () => {
    expect((await gc(`snapshot save ${file} --from ${old}`)).code).toBe(0);
    before = readFileSync(file);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s arrives keeps the old file: 130',
    async (signal) => {
      expect(await saveAnd(signal)).toEqual({
        end: 130,
        stderr: expect.stringContaining(`error: interrupted\n  Nothing was saved to ${file}.\n`),
      });
      expect(readdirSync(folder)).toEqual(['cluster.json']);
      expect(readFileSync(file)).toEqual(before);
    },
  );

  test('it is killed leaves the old file, and a draft that does no harm and goes in time', async () => {
    expect((await saveAnd('SIGKILL')).end).toBe('SIGKILL');
    expect(readFileSync(file)).toEqual(before);
    const [draft = ''] = drafts();
    expect(draft).toMatch(/^\.kubectl-gc-[0-9a-f]{16}\.partial$/);
    expect(statSync(join(folder, draft)).mode & 0o777).toBe(0o600);
    const question = 'orphans -A -o name --from';
    expect(await gc(`${question} ${folder}`)).toEqual(await gc(`${question} ${file}`));
    // Another run may be writing it: it is kept for an hour.
    const save = `snapshot save ${file} --from ${old}`;
    expect((await gc(save)).code).toBe(0);
    expect(drafts()).toEqual([draft]);
    const longAgo = Date.now() / 1000 - 3601;
    utimesSync(join(folder, draft), longAgo, longAgo);
    expect((await gc(save)).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['cluster.json']);
  });
});

test('a disk that gets full while a file is saved keeps the old file', async () => {
  const env = { FOLDER: folder, NODE: process.execPath, BIN: bin };
  const script = `
    mount -t tmpfs -o size=256k none "$FOLDER" &&
    "$NODE" "$BIN" snapshot save "$FOLDER/cluster.json" --from ${old} &&
    cp "$FOLDER/cluster.json" ${scratch}/before.json &&
    "$NODE" "$BIN" snapshot save "$FOLDER/cluster.json" --from ${big}
    echo "ended with $?" >&2
    cmp "$FOLDER/cluster.json" ${scratch}/before.json && [ "$(ls -A "$FOLDER")" = cluster.json ]`;
  const { code, stderr } = await mounted(script, { env });
  expect(stderr).toMatch(
    new RegExp(
      `^error: cannot write ${file}: .+\\n  Nothing was saved\\. .+\\nended with 3\\n`,
      'm',
    ),
  );
  expect(code).toBe(0);
});

test('plans, baselines and metrics keep the mode of the file they replace; a new plan is for its owner alone', async () => {
  const plan = join(folder, 'plan.json');
  const baseline = join(folder, 'baseline.json');
  const metrics = join(folder, 'gc.prom');
  const lines = [
    `delete deployment/web -n shop --plan ${plan} --from docs/part-of-a-cluster.yaml`,
    `audit --allow-incomplete --fail-on never --update-baseline --baseline ${baseline} --from ${old}`,
    `report --metrics-file ${metrics} --allow-incomplete --fail-on never --from ${old}`,
  ];
  const modes = () => [plan, baseline, metrics].map((path) => statSync(path).mode & 0o777);
  for (const line of lines) expect(await gc(line)).toMatchObject({ code: 0 });
  const left = 0o666 & ~process.umask();
  expect(modes()).toEqual([0o600, left, left]);
  for (const path of [baseline, metrics]) chmodSync(path, 0o640);
  for (const line of lines) expect(await gc(line)).toMatchObject({ code: 0 });
  expect(modes()).toEqual([0o600, 0o640, 0o640]);
  expect(drafts()).toEqual([]);
});
