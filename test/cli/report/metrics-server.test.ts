import { execFileSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { startMetricsServer } from '../../../src/shell/metrics-server.ts';

let close = async () => {};
afterEach(() => close());

async function served(address: string) {
  const server = await startMetricsServer(address);
  close = () => server.close();
  return server;
}

/** What another process is answered; this one is blocked until then. */
function asked(url: string): string {
  const program = `fetch(process.argv[1]).then(async (one) => console.log(one.status, await one.text()))`;
  return execFileSync(process.execPath, ['-e', program, url], {
    encoding: 'utf8',
    timeout: 50_000,
  });
}

test('scrapes and probes are answered while the program is busy', async () => {
  const { url, publish } = await served('127.0.0.1:0');
  publish('up 1\n', 60_000);
  expect(asked(`${url}/metrics`)).toBe('200 up 1\n\n');
  expect(asked(`${url}/healthz`)).toBe('200 ok\n\n');
});

test('the probe fails when nothing was published for longer than it was promised', async () => {
  const { url, publish } = await served('127.0.0.1:0');
  publish('up 1\n', -1);
  expect(asked(`${url}/healthz`)).toMatch(/^503 /);
  expect(asked(`${url}/metrics`)).toBe('200 up 1\n\n');
});

test.each([':0', '0'])('%s is every address of this machine', async (address) => {
  const { url } = await served(address);
  expect(url).toMatch(/^http:\/\/(\[::\]|0\.0\.0\.0):\d+$/);
});

test.each(['here', ':70000', '::1:80', 'a:b:1'])('%s is no address', async (address) => {
  await expect(startMetricsServer(address)).rejects.toThrow(
    `--serve "${address}" is not an address`,
  );
});
