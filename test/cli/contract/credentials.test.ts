import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Session } from '../../../src/shell/input/session.ts';
import { describeCommands } from '../../../src/shell/oclif/manifest.ts';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { type MockServer, mockHttpServer, mockTlsServer } from '../../support/mock-cluster.ts';
import { gcHere } from '../../support/run-here.ts';
import { shortened } from '../../support/short-waits.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answersWith, objectsWith, questions } from './planted.ts';

/** Garbage is read again some seconds later, by each of many answers. */
vi.mock('node:timers/promises', async (original) => shortened(await original()));

const folder = temporaryFolder();

const hidden = 'planted-Xq7-nowhere-to-be-seen';
const encodings = [
  hidden,
  encodeURIComponent(hidden),
  Buffer.from(hidden).toString('base64').replace(/=+$/, ''),
  Buffer.from(`jane:${hidden}`).toString('base64').replace(/=+$/, ''),
];

const bug = 'bug in kubectl gc: crashed';

/** Logins that come to nothing before anything is sent. */
const refused = new Set([
  'an unknown proxy-url scheme',
  'an invalid client key',
  'an auth-provider',
  'an auth-provider that is gone',
  "a failing plugin's arguments and environment",
  'an invalid ExecCredential',
]);

function expectNothingOf(text: string): void {
  for (const encoded of encodings) expect(text).not.toContain(encoded);
}

const answers = answersWith(objectsWith('nothing'));

/** What each command is asked; the rest of its flags say who asks. */
const lines: Readonly<Record<string, string>> = {
  ...questions,
  'snapshot:diff': `snapshot diff ${join(folder, 'before.json')} `,
  'snapshot:info': `snapshot info ${join(folder, 'before.json')}`,
  'snapshot:export': `snapshot export ${join(folder, 'before.json')} --to ${join(folder, 'written', 'tables')} --force`,
  'snapshot:save': `snapshot save ${join(folder, 'written', 'saved.json')} --force`,
  delete: 'delete configmap/settings -n shop --preview',
  restore: `restore ${join(folder, 'none')} --preview`,
  backups: `backups ${join(folder, 'none')}`,
  view: 'view configmap/none -n shop',
};

let server: MockServer;
/** The same over TLS: plugins are asked for what is sent over TLS alone. */
let secure: MockServer;
let status = 200;
beforeAll(async () => {
  mkdirSync(join(folder, 'written'));
  const answer: RequestListener = ({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const found = status === 200 ? answers[path] : undefined;
    const code = status === 200 ? (found ? 200 : 404) : status;
    response.writeHead(code, { 'content-type': 'application/json' });
    const details = { name: path.split('/').at(-1) };
    response.end(JSON.stringify(found ?? { kind: 'Status', code, reason: 'NotFound', details }));
  };
  server = await mockHttpServer(answer);
  const authority = certificateAuthority('ca');
  const subject = { commonName: 's', addresses: ['127.0.0.1'] };
  secure = await mockTlsServer(issueCertificate(authority, subject), answer);
  const saved = await gcHere(`snapshot save ${join(folder, 'before.json')} -s ${server.url}`);
  expect(saved.code, saved.stderr).toBe(0);
});
afterAll(() => Promise.all([server.close(), secure.close()]));

interface Login {
  readonly flags?: readonly string[];
  readonly user?: object;
  readonly cluster?: object;
  readonly env?: Readonly<Record<string, string>>;
}

const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, `${hidden}\n`);
const credential = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${hidden}"}}`;
const encoded = Buffer.from(hidden).toString('base64');
const tokens = { 'client-secret': hidden, 'id-token': hidden, 'refresh-token': hidden };
const oidc = { 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'a', ...tokens };

/** Each way in which a secret gets in. `at`: the address of the server, with user and password. */
const loginsAt = (at: string): Readonly<Record<string, Login>> => ({
  '--token': { flags: ['--token', hidden] },
  '--password': { flags: ['--username', 'jane', '--password', hidden] },
  'user and password in --server': { flags: ['--server', `http://${at}`] },
  'a token': { user: { token: hidden } },
  'the content of a tokenFile': { user: { tokenFile } },
  'user name and password': { user: { username: 'jane', password: hidden } },
  'user:password@server': { cluster: { server: `http://${at}` } },
  'user:password@proxy-url': { cluster: { 'proxy-url': `http://${at}` } },
  'an unknown proxy-url scheme': { cluster: { 'proxy-url': `gopher://${at}` } },
  HTTPS_PROXY: {
    cluster: { server: 'https://api.example.test:6443' },
    env: { HTTPS_PROXY: `http://${at}` },
  },
  'an invalid client key': {
    user: { 'client-certificate-data': encoded, 'client-key-data': encoded },
    cluster: { server: 'https://127.0.0.1:1' },
  },
  "a plugin's token": { user: plugin([`echo '${credential}'`]) },
  "a failing plugin's arguments and environment": {
    user: plugin(['echo no such user >&2; exit 1', hidden]),
  },
  'an invalid ExecCredential': { user: plugin([`echo ${hidden}`]) },
  'an auth-provider': { user: { 'auth-provider': { name: 'oidc', config: oidc } } },
  'an auth-provider that is gone': {
    user: { 'auth-provider': { name: 'gcp', config: { 'access-token': hidden } } },
  },
});
const logins = Object.keys(loginsAt(''));

function plugin(args: readonly string[]): object {
  const apiVersion = 'client.authentication.k8s.io/v1';
  const env = [{ name: 'PLANTED', value: hidden }];
  const exec = { apiVersion, command: 'sh', args: ['-c', ...args], env, interactiveMode: 'Never' };
  return { exec };
}

let kubeconfigs = 0;

/** The flags and variables of a login. */
function enter(name: string): {
  readonly words: readonly string[];
  readonly env: NodeJS.Dict<string>;
} {
  const at = server.url.replace('http://', `jane:${hidden}@`);
  const { flags, user = {}, cluster = {}, env = {} } = loginsAt(at)[name] ?? {};
  const here = { server: secure.url, 'insecure-skip-tls-verify': true };
  const path = join(folder, `kubeconfig-${kubeconfigs++}`);
  writeKubeconfig(path, { ...here, ...cluster }, user);
  return { words: ['--kubeconfig', path, ...(flags ?? [])], env };
}

async function printedBy(line: string, name: string): Promise<string> {
  const { words, env } = enter(name);
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  const { stdout, stderr } = await gcHere([...line.split(' '), ...words, '-v=9']);
  for (const variable of Object.keys(env)) vi.stubEnv(variable, undefined);
  return stdout + stderr;
}

describe('credentials', async () => {
  const manifest = await describeCommands();

  test('are looked for in the output of every command', () => {
    expect(Object.keys(lines).sort()).toEqual(manifest.map(({ id }) => id).sort());
  });

  test.each(manifest)('are in no format of $id', async ({ id, flags }) => {
    const { output } = flags;
    const values = output?.type === 'option' ? `${output.helpValue}`.split('|') : undefined;
    for (const format of values?.map((value) => ` -o ${value}`) ?? ['']) {
      for (const name of logins) {
        expectNothingOf(await printedBy(`${lines[id]}${format}`, name));
      }
    }
  });

  test.each(manifest)('are in no error of $id about a mistyped flag', async ({ id }) => {
    const command = id.split(':');
    for (const line of [
      [...command, `--toke=${hidden}`],
      [...command, '--pasword', hidden],
      [...command, `-token=${hidden}`],
      [...command, `-t${hidden}`],
      [...command, `--token:${hidden}`],
      ['--toke', hidden, ...command],
      [`--pass=${hidden}`, ...command],
      [command[0] ?? '', '--toke', hidden, ...command.slice(1)],
      [...command, `--constructor=${hidden}`],
    ]) {
      const { code, stdout, stderr } = await gcHere([...line, '-v=9']);
      expect([line, code]).toEqual([line, 2]);
      expectNothingOf(stdout + stderr);
    }
  });

  test.each(logins)('are printed by nothing: %s', async (name) => {
    for (const code of [200, 401, 403, 500]) {
      status = code;
      for (const line of [
        'orphans -A',
        'why -A',
        'audit -A -o json',
        'delete configmap/settings -n shop --preview -o json',
        'delete --raw /api/v1/none',
      ]) {
        const printed = await printedBy(line, name);
        expect(printed).not.toBe('');
        expectNothingOf(printed);
      }
    }
    status = 200;
  });

  test.each(logins)('are in no crash: %s', async (name) => {
    const { client } = Session.prototype;
    const crash = vi.spyOn(Session.prototype, 'client');
    crash.mockImplementation(async function broken(this: Session) {
      const connected = await client.call(this);
      const cause = Object.assign(new Error('no answer'), { connected, argv: process.argv });
      throw new TypeError('crashed', { cause });
    });
    onTestFinished(() => crash.mockRestore());
    for (const line of ['orphans -A', 'delete configmap/settings -n shop --preview', 'settings']) {
      const printed = await printedBy(line, name);
      expectNothingOf(printed);
      if (!refused.has(name)) expect(printed).toContain(bug);
    }
  });

  test.each(logins)('are written to no file: %s', async (name) => {
    const written = join(folder, 'written');
    const plan = join(written, 'plan.json');
    for (const line of [
      `snapshot save ${join(written, 'saved.json')} --force`,
      `delete configmap/settings -n shop --plan ${plan}`,
      `delete configmap/settings -n shop --yes --wait=false --backup ${join(written, 'backup')}`,
      `audit -A --baseline ${join(written, 'baseline.json')} --update-baseline`,
    ]) {
      expectNothingOf(await printedBy(line, name));
    }
    for (const file of readdirSync(written, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expectNothingOf(readFileSync(join(file.parentPath, file.name), 'utf8'));
    }
  });

  test.each([
    ['Fix', 'invalid-ownerrefs -A'],
    ['What to do', 'why -A'],
    ['Delete', 'delete configmap/settings -n shop --preview'],
  ])('a command after "%s:" names what was hidden, and where it asked', async (what, line) => {
    const at = server.url.replace('http://', '');
    const flags = ['--token', hidden, '--server', `http://jane:${hidden}@${at}`];
    const { stderr } = await gcHere([...line.split(' '), ...flags]);
    const [command] = new RegExp(`^${what}: .*$`, 'm').exec(stderr) ?? [];
    expect(command).toMatch(new RegExp(` --server ${server.url} --token=TOKEN$`));
    expectNothingOf(stderr);
  });
});
