import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../support/command-line.ts';
import { bareEnvironment, bin } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-history-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string) => join(folder, name);
const [shop, later] = ['shop', 'shop-later'].map((name) => `examples/clusters/${name}.json.gz`) as [
  string,
  string,
];
const names = ['2026-11-21T14-52-17Z.json.gz', '2026-11-21T14-57-17Z.json.gz'];

/** The example in the format v1, which has an object on a line and no checksum. */
const inV1 = () =>
  JSON.parse(gunzipSync(readFileSync('test/fixtures/snapshots/shop-v1.json.gz')).toString());

/** The example as another snapshot. */
function savedAs(name: string, changes: object): string {
  const saved = inV1();
  writeFileSync(inFolder(name), JSON.stringify({ ...saved, ...changes }));
  return inFolder(name);
}

describe('--keep', () => {
  test('adds a file to a folder, which it makes, and deletes the oldest', async () => {
    const history = inFolder('kept/history');
    for (const from of [shop, later]) {
      const { code, stderr } = await gcHere(`snapshot save ${history} --keep 2 --from ${from}`);
      const name = names[from === shop ? 0 : 1] ?? '';
      expect([code, stderr]).toEqual([
        0,
        `Saved ${from === shop ? 358 : 352} objects to ${join(history, name)}.\n`,
      ]);
    }
    expect(readdirSync(history)).toEqual(names);
    // Of the same second: nothing is written over.
    const { stderr } = await gcHere(`snapshot save ${history} --keep 1 --from ${later}`);
    const next = '2026-11-21T14-57-18Z.json.gz';
    expect(stderr).toBe(
      `Saved 352 objects to ${join(history, next)}, and deleted 2 old snapshots.\n`,
    );
    expect(readdirSync(history)).toEqual([next]);
  });

  test('deletes nothing that only has such a name, and nothing that has another', async () => {
    const history = inFolder('foreign');
    mkdirSync(history);
    const alike = '2020-01-01T00-00-00Z.json.gz';
    for (const name of [alike, '2020-01-01.json.gz', 'notes.txt']) {
      writeFileSync(join(history, name), 'mine');
    }
    const { code, stderr } = await gcHere(`snapshot save ${history} --keep 1 --from ${later}`);
    expect(code).toBe(0);
    expect(stderr).toMatch(`Warning: ${join(history, alike)} was not deleted: `);
    expect(readdirSync(history).sort()).toEqual(
      ['2020-01-01.json.gz', alike, names[1], 'notes.txt'].sort(),
    );
  });
});

describe('a folder or a time that cannot be', () => {
  const file = inFolder('file');
  writeFileSync(file, '');
  test.each([
    [`${folder} --every 5 -s http://127.0.0.1:1`, '--every "5" is not a duration'],
    [`${folder} --every 10ms -s http://127.0.0.1:1`, '--every "10ms" is less than a second'],
    [`${folder} --keep 0 --from ${shop}`, '--keep 0 keeps nothing'],
    [`${folder} --every 5m --from ${shop}`, '--every reads a cluster again and again, not files'],
    [`- --keep 3 --from ${shop}`, 'stdout takes one snapshot, and --every and --keep save several'],
    [`${file} --keep 3 --from ${shop}`, `${file} is a file`],
  ])('snapshot save %s', async (line, message) => {
    const { code, stdout, stderr } = await gcHere(`snapshot save ${line}`);
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${message}`]);
  });
});

test('--every tries again when the cluster does not answer, and Ctrl-C ends it well', async () => {
  const history = inFolder('unreachable');
  const line = ['snapshot', 'save', history, '--every', '1s', '-s', 'http://127.0.0.1:1'];
  const child = spawn(process.execPath, [bin, ...line], { cwd: root, env: bareEnvironment });
  let stderr = '';
  await new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      if ((stderr.match(/is tried again/g) ?? []).length >= 2) resolve();
    });
  });
  // npm and timeout pass a signal on that the terminal sent, too: both are one press.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect([code, readdirSync(history)]).toEqual([0, []]);
  expect(stderr).toMatch(/^Warning: nothing was saved: .*; it is tried again in 1s\.$/m);
  expect(stderr).toMatch(/^Ended: .*unreachable holds 0 snapshots\.$/m);
});

describe('snapshot diff', () => {
  test.each([
    [`${shop} ${later}`, 0],
    [`${shop} ${later} --exit-code`, 1],
    [`${shop} ${shop} --exit-code`, 0],
    [`${shop} ${later} --kind services --exit-code`, 0],
    [`${shop} ${later} --kind services --kind po,cm --exit-code -n payments`, 0],
    [`${shop} --from ${later} --kind jobs.batch -n payments --exit-code`, 1],
    [`${shop} ${later} --kind frobs`, 2],
    [`${shop} ${later} ${later}`, 2],
    [`${shop} ${later} --from ${later}`, 2],
    ['- -', 2],
    ['', 2],
  ])('of %s ends with %d', async (line, code) => {
    const run = await gcHere(`snapshot diff ${line}`.trim());
    expect([run.code, run.stderr === '']).toEqual([code, false]);
  });

  test('ends with 3 where nothing changed as far as both were read', async () => {
    const part = inFolder('payments.json');
    await gcHere(`snapshot save ${part} -n payments --from ${shop}`);
    const { code, stdout, stderr } = await gcHere(`snapshot diff ${shop} ${part} --exit-code`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^Not compared, as the second snapshot holds them only in namespace payments: .*\bpods\b/m,
    );
    expect(stderr).toMatch(/^No changes found in what could be read\.$/m);
    expect((await gcHere(`snapshot diff ${shop} ${part} --exit-code -n payments`)).code).toBe(0);
  });

  test('names what changed, once', async () => {
    const { stdout } = await gcHere(`snapshot diff ${shop} ${later} --kind cm,secrets -o name`);
    expect(stdout.split('\n').sort()).toEqual([
      '',
      'configmap/loyalty-tiers',
      'configmap/web-flags',
      'configmap/web-settings',
      'secret/web-session-keys',
    ]);
  });

  test('says from which server a snapshot was saved, and that there may be two clusters', async () => {
    const objects = inV1().objects.filter(
      ({ metadata }: { metadata: { name: string } }) => metadata.name !== 'kube-system',
    );
    const other = savedAs('other.json', {
      objects,
      origin: { kind: 'cluster', server: 'https://other.example:6443' },
    });
    const { stdout, stderr } = await gcHere(`snapshot diff ${shop} ${other} -o json`);
    const { before, after, sameCluster } = JSON.parse(stdout);
    expect([before.server, after.server, sameCluster]).toEqual([
      'https://kubernetes.shop.example:6443',
      'https://other.example:6443',
      'unknown',
    ]);
    expect(stderr).toMatch(/^The snapshots were saved from two addresses \(/);
  });
});

describe('snapshot log', () => {
  const history = inFolder('log');
  mkdirSync(history);
  for (const [at, from] of [shop, later].entries()) {
    copyFileSync(join(root, from), join(history, names[at] ?? ''));
  }
  const asked = 'cm/web-flags -n shop';

  test('of a folder is that of its files, whichever others it has', async () => {
    const ofFiles = await gcHere(`snapshot log ${asked} ${shop} ${later}`);
    expect(ofFiles.stdout).toMatch(/^2026-11-21T14:52:17Z +2026-11-21T14:57:17Z +went/m);
    writeFileSync(join(history, 'notes.yaml'), 'a: b: c');
    expect(await gcHere(`snapshot log ${asked} ${history}`)).toEqual(ofFiles);
    expect(await gcHere(`snapshot log configmap web-flags -n shop ${history}`)).toEqual(ofFiles);
    expect(await gcHere(`snapshot log ${asked} --from ${history}`)).toEqual(ofFiles);
  });

  test('leaves out a file of a folder that cannot be read, and says so', async () => {
    const broken = '2026-11-21T14-55-00Z.json.gz';
    writeFileSync(join(history, broken), 'broken');
    const { code, stderr } = await gcHere(`snapshot log ${asked} ${history}`);
    rmSync(join(history, broken));
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^Warning: .*14-55-00Z/),
    ]);
  });

  test.each([
    [
      'deployment/web',
      2,
      'You must name the folder of the history, or its files in the order of time.',
    ],
    ['deployment', 2, 'You must name one object: TYPE/NAME or TYPE NAME.'],
    ['', 2, 'You must name one object: TYPE/NAME or TYPE NAME.'],
    [`frob/web ${shop}`, 2, `the server doesn't have a resource type "frob"`],
    [`deployment/absent -n shop ${shop}`, 3, 'deployment/absent is in none of 1 snapshots'],
    [`cm/web-flags -n shop ${later} ${shop}`, 2, `${shop} is older (2026-11-21T14:52:17Z)`],
  ])('of %s ends with %d', async (line, code, message) => {
    const run = await gcHere(`snapshot log ${line}`.trim());
    expect([run.code, run.stdout, run.stderr.startsWith(`error: ${message}`)], run.stderr).toEqual([
      code,
      '',
      true,
    ]);
  });

  test('says where it is unknown whether the object was there', async () => {
    const part = inFolder('shop-alone.json');
    await gcHere(`snapshot save ${part} -n shop --from ${shop}`);
    const { code, stderr } = await gcHere(`snapshot log pod/orders-db-0 -n payments ${part}`);
    expect([code, stderr.split('\n')[0]]).toEqual([
      3,
      'error: it is unknown whether pod/orders-db-0 was there: 1 of 1 snapshots do not tell',
    ]);
  });
});
