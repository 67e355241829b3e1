import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { root } from '../support/command-line.ts';
import { bareEnvironment, bash, bin, gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWatching } from '../support/watching.ts';

const folder = temporaryFolder();
const count = 20_000;
const many = orphans('many.ndjson', count);
/** More than a pipe holds. */
const some = orphans('some.ndjson', 2000);

function orphans(file: string, length: number): string {
  const lines = Array.from({ length }, (_, i) => {
    const name = `c-${String(i).padStart(5, '0')}`;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-gone' };
    const metadata = { name, namespace: 'shop', uid: `uid-${i}`, ownerReferences: [owner] };
    return `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })}\n`;
  });
  const path = join(folder, file);
  writeFileSync(path, lines.join(''));
  return path;
}

const tree = 'tree deployment/web -n shop --from examples/clusters/shop.json.gz';

const fullDevice = `error: cannot write to stdout: ENOSPC: no space left on device, write
  What was printed so far is not the whole answer.
`;

describe('a long answer', () => {
  test('is printed whole: 20,000 orphans', async () => {
    const { code, stdout, stderr } = await gc(`orphans -A --from ${many}`);
    expect([code, stderr]).toEqual([0, '20000 orphans: 20000 will be deleted.\n']);
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(count + 2);
    expect(lines.slice(0, 2)).toEqual([
      'NAMESPACE   OBJECT              OWNERS   RESULT            AGE         REASON',
      'shop        ConfigMap/c-00000   gone     will be deleted   <unknown>   no ConfigMap gone in namespace shop',
    ]);
    expect(lines.slice(-2)).toEqual([lines[1]?.replace('c-00000', 'c-19999'), '']);
  });

  test.each([
    ['head -1', `orphans -A --from ${many}`, '20000 orphans: 20000 will be deleted.\n'],
    ['head -0', `orphans -A --from ${some}`, '2000 orphans: 2000 will be deleted.\n'],
    ['head -c 100', `orphans -A -o json --from ${some}`],
    ['head -c 100', `orphans -A -o yaml --from ${some}`],
    ['head -0', `snapshot save - --from ${some} 2>/dev/null`],
    ['head -0', '--help'],
    ['true', `orphans -A --from ${some} 2>&1`],
    ['true', tree],
  ])('may be read partly: | %s', async (reader, line, told = '') => {
    const { stderr, stdout, code } = await bash(
      `gc ${line} | ${reader} >/dev/null; echo "\${PIPESTATUS[0]}"`,
    );
    expect({ stderr, stdout, code }).toEqual({ stderr: told, stdout: '0\n', code: 0 });
  });

  test('that does not fit on the disk is an error, not a crash', async () => {
    for (const line of ['orphans -A', 'snapshot save -']) {
      const full = { code: 3, stdout: '', stderr: fullDevice };
      expect(await bash(`gc ${line} --from ${some} >/dev/full`)).toEqual(full);
    }
  });
});

describe('a short answer', () => {
  test('goes to a file and to a pipe with the same bytes', async () => {
    const { stdout, code } = await gc(tree);
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^NAME /)]);
    const file = join(folder, 'tree.txt');
    expect(await bash(`gc ${tree} >${file}; cat ${file}; gc ${tree} | cat`)).toEqual({
      code: 0,
      stdout: stdout + stdout,
      stderr: '',
    });
    rmSync(file);
  });

  test('waits for a pipe that is full and says so', async () => {
    const pipe = join(folder, 'full');
    await bash(`mkfifo ${pipe}`);
    const file = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const before = filled(file);
    const { stdout: answer } = await gc(tree);
    const child = spawn(process.execPath, [bin, ...tree.split(' ')], {
      cwd: root,
      env: bareEnvironment,
      stdio: ['ignore', file, 'inherit'],
    });
    // It has written nothing for as long as it runs: nothing fits.
    const ended = once(child, 'close');
    let read = '';
    const one = Buffer.alloc(65_536);
    while (read.length < before + answer.length) {
      await delay(20);
      read += one.toString('utf8', 0, readNow(file, one));
    }
    expect(await ended).toEqual([0, null]);
    expect(read.slice(before)).toBe(answer);
    closeSync(file);
    rmSync(pipe);
  });

  /** How many bytes fitted. */
  function filled(file: number): number {
    for (let count = 0; ; count++) {
      try {
        writeSync(file, '.');
      } catch {
        return count;
      }
    }
  }

  function readNow(file: number, into: Buffer): number {
    try {
      return readSync(file, into);
    } catch {
      return 0;
    }
  }
});

test('a stderr that takes nothing does not change the exit code', async () => {
  expect((await bash('gc frobnicate 2>/dev/full')).code).toBe(2);
  expect((await bash('gc frobnicate 2>&-')).code).toBe(2);
});

test('progress and remarks do not go to stdout', async () => {
  const input = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u"}}';
  expect(await gc('orphans -A --from -', { input })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'No orphans found in what could be read.\nLeft without owner references: kubectl gc orphans --all-namespaces --from=- --unmanaged\n',
  });
  const saved = await gc('snapshot save - --from -', { input });
  expect([saved.code, saved.stderr]).toEqual([0, 'Saved 1 object to stdout.\n']);
  expect(JSON.parse(saved.stdout).kind).toBe('Snapshot');
});

test.each(['delete -f -', 'restore --from -'])('Ctrl-C ends %s waiting for stdin', async (line) => {
  const { child, ended } = startWatching(`${line} -s http://127.0.0.1:1`, {}, 'pipe');
  // More than the pipe holds: once it is taken, the command is reading.
  await new Promise((resolve) => child.stdin?.write('# nothing\n'.repeat(400_000), resolve));
  child.kill('SIGINT');
  const { code, stderr } = await ended();
  expect([code, stderr]).toEqual([130, 'error: interrupted\n  Nothing was sent.\n']);
});
