import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';
import { root } from '../../support/command-line.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { type MockServer, mockTlsServer } from '../../support/mock-cluster.ts';
import { mockSocksProxy } from '../../support/mock-proxy.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What the built command line loads on first use: its own chunks, and packages that stand behind stand-ins. */
const chunks = join(root, 'dist', 'chunks');
const names = readdirSync(chunks);
const folder = temporaryFolder();
let server: MockServer;
beforeAll(async () => {
  server = await mockTlsServer(
    issueCertificate(certificateAuthority('ca'), { commonName: 'server' }),
  );
});
afterAll(() => server.close());

test('every chunk of the bundle loads by itself, and no export is missing', () => {
  const load = `
    const [folder, ...names] = process.argv.slice(1);
    const missing = names.flatMap((name) => {
      const exported = require(folder + '/' + name);
      return Object.keys(exported).filter((key) => exported[key] === undefined).map((key) => name + ' ' + key);
    });
    console.log(JSON.stringify({ loaded: names.length, missing }));`;
  const output = execFileSync(process.execPath, ['-e', load, chunks, ...names], {
    encoding: 'utf8',
  });
  expect(JSON.parse(output.split('\n').at(-2) ?? '')).toEqual({
    loaded: names.length,
    missing: [],
  });
});

test('the built files import only modules of Node', () => {
  const dist = join(root, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const needed = files
    .filter((name) => /\.c?js$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(dist, name), 'utf8');
      const found = text.matchAll(
        /\b(?:require|import)\(([`'"])([^`'"$]+)\1\)|\bfrom ?(['"])([\w@./:-]+)\3;/g,
      );
      return Array.from(found, ([, , required = '', , imported = '']) => required || imported);
    })
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
    // Words that ajv would write into a file with validators; none is made here.
    .filter((specifier) => !/^ajv(-formats)?\/dist\/(runtime|formats)/.test(specifier));
  expect([...new Set(needed)]).toEqual([]);
});

test('packages that the bundle leaves out say so, and those that it needs are in it', () => {
  const text = names.map((name) => readFileSync(join(chunks, name), 'utf8')).join('\n');
  const told = Array.from(text.matchAll(/the bundle leaves (\S+) out/g), ([, name]) => name);
  expect([...new Set(told)].sort()).toEqual([
    'hpagent',
    'js-yaml',
    'jsonpath-plus',
    'openid-client',
    'socks',
    'undici',
  ]);
});

test('what stands in for a package of the bundle stands for functions and classes that it has', () => {
  const load = `
    const [file] = process.argv.slice(1);
    const { readFileSync } = require('node:fs');
    const Module = require('node:module');
    const text = readFileSync(file, 'utf8');
    const uses = Array.from(text.matchAll(/\\(\\)=>(\\$load[$\\d]*\\(\\)\\.(\\w+))/g));
    const kinds = uses.map(([, use, name]) => 'try { used.' + name + ' = typeof ' + use + ' } catch (error) { left.push(error.message) }');
    const module_ = new Module(file);
    module_.filename = file;
    module_._compile(text + ';const used = {}, left = [];' + kinds.join(';') + ';module.exports = { used, left };', file);
    console.log(JSON.stringify(module_.exports));`;
  const [file = '', ...others] = names.filter((name) =>
    readFileSync(join(chunks, name), 'utf8').includes('$load'),
  );
  expect(others).toEqual([]);
  const output = execFileSync(process.execPath, ['-e', load, join(chunks, file)], {
    encoding: 'utf8',
  });
  const { used, left } = JSON.parse(output);
  expect(used).toEqual({ SocksProxyAgent: 'function' });
  for (const message of left) expect(message).toMatch(/^the bundle leaves \S+ out$/);
});

test('a SOCKS proxy works in the bundle', async () => {
  const proxy = await mockSocksProxy();
  const cluster = {
    server: `https://cluster.test:${server.port}`,
    'insecure-skip-tls-verify': true,
    'proxy-url': `socks5://127.0.0.1:${proxy.port}`,
  };
  const path = writeKubeconfig(join(folder, 'config'), cluster, { token: 't' });
  server.take();
  await gc('orphans', { env: { KUBECONFIG: path } });
  const [first] = server.take();
  expect([first?.authorization, proxy.take()[0]]).toEqual([
    'Bearer t',
    `SOCKS cluster.test:${server.port}`,
  ]);
  await proxy.close();
});
