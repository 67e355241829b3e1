import { readdirSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type MockServer, mockHttpServer } from '../support/mock-cluster.ts';
import { bash, gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Loaded before the program. */
function preload(name: string, text: string) {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(path, text);
  return { env: { NODE_OPTIONS: `--require ${path}` } };
}

let server: MockServer;
afterEach(() => server?.close());

const saving = `snapshot save ${join(folder, 'saved.json')}`;
const lines = ['audit -A', 'delete cm/a -n shop --yes', saving, 'orphans -A'];

describe('a server that switches protocols', () => {
  const switches: RequestListener = (_, { socket }) =>
    socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');

  test.each(lines)('is no answer to %s', async (line) => {
    server = await mockHttpServer(switches);
    expect(await gc(`${line} -s ${server.url}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: could not reach the API server ${server.url}: the connection was closed before the answer was complete
  Try again; check load balancers and proxies on the way.
`,
    });
    expect(readdirSync(folder).filter((name) => !name.endsWith('.cjs'))).toEqual([]);
  });
});

test.each(lines)('%s fails where nothing is left to wait for, and it is not done', async (line) => {
  // As if every event were missed: no request ends, and no clock waits for it.
  const deaf = preload(
    'deaf',
    `const { EventEmitter } = require('node:events');
     const later = setTimeout;
     globalThis.setTimeout = (...given) => later(...given).unref();
     require('node:http').request = () => Object.assign(new EventEmitter(), { end() {}, destroy() {} });`,
  );
  expect(await gc(`${line} -s http://127.0.0.1:1`, deaf)).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: this is a bug in kubectl gc: exited before the command finished
  Run it again with -v for the details to report it with.
`,
  });
});

test('an uncaught error is reported in a sentence, and does not exit with 1', async () => {
  const thrown = preload(
    'thrown',
    `process.stdin.once('data', () => setTimeout(() => { throw new RangeError('planted'); }));`,
  );
  const audited = await bash(`(echo 'kind: Pod'; sleep 3) | gc audit --from -`, thrown);
  expect(audited).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: this is a bug in kubectl gc: planted
  Run it again with -v for the details to report it with.
`,
  });
});
