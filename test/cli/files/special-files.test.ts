import { once } from 'node:events';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { rowsOf } from '../../support/rows.ts';
import { bash, gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

/** Pipes, devices and bombs where a command reads a file. */
const folder = temporaryFolder();
const pipe = join(folder, 'pipe');
const bomb = join(folder, 'bomb.gz');
const cluster = 'test/fixtures/clusters/orphaned-replicaset.yaml';
beforeAll(async () => {
  await bash(`mkfifo ${pipe}`);
  writeFileSync(bomb, gzipSync(Buffer.alloc(200 * 1024 * 1024, ' \n')));
});

test('a named pipe and an unnamed one are read like files', async () => {
  const direct = await gc(`orphans -A --from ${cluster}`);
  expect([direct.code, direct.stdout.includes('ReplicaSet/web-6c4f9d')]).toEqual([0, true]);
  const named = await bash(
    `(sleep 1; cat ${cluster} > ${pipe}) & gc orphans -A --from ${pipe}; wait`,
  );
  expect(named).toEqual(direct);
  const unnamed = await bash(`gc orphans -A --from <(sleep 1; cat ${cluster})`);
  expect(unnamed).toEqual(direct);
});

test('an unnamed pipe into which nothing was written is empty', async () => {
  const { code, stderr } = await bash('gc orphans -A --from <(true)');
  expect([code, stderr.split('\n')[0]?.replace(/\d+/, 'N')]).toEqual([
    3,
    expect.stringMatching(/^error: .* \/dev\/fd\/N: it is empty$/),
  ]);
});

/** Starts a command that waits for the pipe, presses Ctrl-C once it has opened it, and gives how it ended. */
async function interrupted(line: string): Promise<string | number | null> {
  const { child } = startWatching(line, {});
  const ended = once(child, 'exit');
  const files = `/proc/${child.pid}/fd`;
  const opened = () =>
    readdirSync(files).some((name) => {
      try {
        return readlinkSync(join(files, name)) === pipe;
      } catch {
        return false;
      }
    });
  await eventually('the open pipe', async () => opened());
  child.kill('SIGINT');
  const [code, signal] = await ended;
  return signal ?? code;
}

describe('a pipe in the place of an output', () => {
  const out = join(folder, 'out');
  beforeAll(() => bash(`mkfifo ${out}`));

  test.each([
    [`snapshot save ${out} --force --from ${cluster}`, `cannot write ${out}: nothing reads it`],
    [`delete rs/web-6c4f9d -n shop --plan ${out} --from ${cluster}`, `nothing reads it`],
  ])('is refused without a reader: %s', async (line, reason) => {
    const { code, stdout, stderr } = await gc(line);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(reason);
  });

  test('that something reads gets all of it', async () => {
    const { stdout } = await bash(
      `cat ${out} & gc snapshot save ${out} --force --from ${cluster} 2>&1; wait`,
    );
    expect(stdout).toContain('"kind":"Snapshot"');
  });
});

describe('Ctrl-C', () => {
  test.each([
    [`delete -f ${pipe} -s http://127.0.0.1:1`, 130],
    [`delete --plan ${pipe} -s http://127.0.0.1:1`, 130],
    [`orphans -A --from ${pipe}`, 'SIGINT'],
    [`audit --config ${pipe} --from ${cluster}`, 'SIGINT'],
    [`snapshot save ${folder}/saved.json --from ${pipe}`, 'SIGINT'],
  ])('ends %s', async (line, end) => {
    expect([await interrupted(line), readdirSync(folder).sort()]).toEqual([
      end,
      ['bomb.gz', 'out', 'pipe'],
    ]);
  });
});

const tooLong = 'it is longer than 128 MiB';
const tooMuch = 'it unpacks to more than 600 times its size';

test.each(
  rowsOf(`
    audit --config /dev/zero --from CLUSTER       | cannot read the configuration /dev/zero: ${tooLong}
    audit --baseline /dev/zero --from CLUSTER     | cannot read the baseline /dev/zero: ${tooLong}
    simulate --scenario /dev/zero --from CLUSTER  | cannot read the scenario /dev/zero: ${tooLong}
    settings --from /dev/zero                     | cannot read the settings /dev/zero: ${tooLong}
    images --from /dev/zero                       | nothing could be read from /dev/zero: ${tooLong}
    containers --from BOMB                        | nothing could be read from BOMB: ${tooMuch}
    orphans --kubeconfig /dev/zero                | kubeconfig /dev/zero cannot be used: ${tooLong}
    delete -f /dev/zero --preview --from CLUSTER  | /dev/zero: ${tooLong}
  `),
)('%s is refused', async (line = '', message) => {
  const { stdout, stderr } = await gc(line.replace('BOMB', bomb).replace('CLUSTER', cluster));
  expect([stdout, stderr.replaceAll(bomb, 'BOMB').split('\n')[0]]).toEqual([
    '',
    expect.stringContaining(`error: ${message}`),
  ]);
});
