import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { keptPackage } from '../../../scripts/release/executable.ts';
import { root } from '../../support/command-line.ts';
import { rowsOf } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type ActionRun, runAction } from './composite-action.ts';
import { examplesBelow, makePrograms, makeProject, sectionOf } from './project.ts';

const folder = temporaryFolder();
const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const workspace = makeProject(folder);
const programs = makePrograms(folder);

/** A release, but for its archive: the executable in it starts the built command line. */
const release = join(folder, 'release');
const archive = `kubectl-gc_${version}_linux_${arch}.tar.gz`;
const asked: string[] = [];
const web = createServer(({ url = '' }, response) => {
  asked.push(url);
  const file = join(release, url.replace(/.*\//, ''));
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
});
let server = '';

beforeAll(async () => {
  mkdirSync(release);
  execFileSync('tar', ['-czf', join(release, archive), '-C', programs, 'kubectl-gc']);
  writeDigest(
    createHash('sha256')
      .update(readFileSync(join(release, archive)))
      .digest('hex'),
  );
  await once(web.listen(0, '127.0.0.1'), 'listening');
  server = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  for (const name of packages) keptPackage(name);
}, 120_000);
afterAll(() => web.close());

const packages = ['@actions/expressions@0.3.61', '@action-validator/core@0.6.0'];

function writeDigest(digest: string): void {
  writeFileSync(join(release, 'SHA256SUMS'), `${'0'.repeat(64)}  other\n${digest}  ${archive}\n`);
}

function act(inputs: Readonly<Record<string, string>>, searchPath = '/usr/bin:/bin') {
  return runAction({ actionPath: root, workspace, inputs, server, searchPath });
}

const resultsOf = ({ outputs }: ActionRun) =>
  JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8')).runs[0].results as {
    ruleId: string;
    locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
  }[];

test('the action and the example of a workflow are valid for GitHub', () => {
  const { validateAction, validateWorkflow } = createRequire(import.meta.url)(
    keptPackage('@action-validator/core@0.6.0'),
  );
  const text = readFileSync(join(root, 'action.yml'), 'utf8');
  expect(validateAction(text).errors).toEqual([]);
  expect(validateAction(text.replace('using: composite', 'using: nothing')).errors).not.toEqual([]);
  for (const example of ['GitHub', 'What a pull request prunes'].flatMap(examplesBelow)) {
    expect(validateWorkflow(example).errors).toEqual([]);
  }
});

test('the example gives inputs that the action has, and they are what the page says', () => {
  const [example = ''] = examplesBelow('GitHub');
  const step = parse(example).jobs.audit.steps[1];
  const { inputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  const page = sectionOf('GitHub');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(inputs));
});

describe('the action', () => {
  test('downloads the release of the same version, and shows findings everywhere', async () => {
    asked.length = 0;
    const done = await act({ paths: 'with findings\n' });
    const place = `/acme/kubectl-gc/releases/download/v${version}`;
    expect(asked).toEqual([`${place}/SHA256SUMS`, `${place}/${archive}`]);
    expect([done.code, done.outputs['exit-code']]).toEqual([1, '1']);
    expect(done.log).toMatch(
      /^::error file=with findings\/own owner\.yaml,line=\d+,title=self-owner/m,
    );
    expect(done.summary).toContain('self-owner');
    const results = resultsOf(done);
    expect(results.map(({ ruleId }) => ruleId)).toEqual(['self-owner']);
    expect(results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(
      'with%20findings/own%20owner.yaml',
    );
    expect(done.used).toEqual([
      {
        uses: expect.stringContaining('upload-sarif'),
        with: { sarif_file: done.outputs['sarif-file'], category: 'kubectl-gc' },
      },
    ]);
  });

  /** What is given, the exit code, how often it uploads, the rules that found something, and what is told. */
  const runs = rowsOf(`
    passes where nothing is found, and uploads that | {paths: with none} | 0 | 1 |
    takes several paths and arguments, and uploads nothing where that is not wanted
    | {paths: "\\nwith none\\nwith findings\\n", upload-sarif: 'false', arguments: "--no-config\\n\\n--skip-rule\\nself-owner\\n"} | 0 | 0 |
    fails by the severity that is wanted | {paths: with findings, fail-on: never} | 0 | 1 | self-owner
    ends with 3 where nothing can be read, and uploads nothing | {paths: unreadable} | 3 | 0 | no file
    | error: nothing could be read from unreadable
    uploads what was found in what could be read | {paths: partly read, fail-on: never} | 3 | 1 | self-owner
    ends with 2 for arguments that are wrong | {paths: with none, arguments: --no-such-flag} | 2 | 0 | no file
    | error: unknown flag: --no-such-flag
    ends with 3 where what a change prunes cannot be told, and has nothing for a comment
    | {paths: with none, against: unreadable} | 3 | 0 | no file
  `);
  test.each(runs)('%s', async (_, inputs = '', code, uploads, found, told = '') => {
    const done = await act(parse(inputs));
    expect([done.code, done.used.length]).toEqual([Number(code), Number(uploads)]);
    expect(done.log).toContain(told);
    expect(done.outputs['exit-code']).toBe(code);
    if (found !== 'no file')
      expect(
        resultsOf(done)
          .map(({ ruleId }) => ruleId)
          .join(),
      ).toBe(found);
    else
      expect([done.outputs['sarif-file'], done.outputs['markdown-file'], done.summary]).toEqual([
        '',
        '',
        '',
      ]);
  });

  test('lists what a change prunes in the summary, and fails as that is wanted', async () => {
    const grave = { paths: 'with none', against: '\nnamespace\nwith none\n' };
    const home = join(workspace, 'namespace');
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'shop.yaml'),
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
    );
    const done = await act(grave);
    expect([done.code, done.used]).toEqual([1, []]);
    // Of what the files do not show, a finalizer may keep the Namespace.
    expect(done.summary).toContain('|  | Namespace/shop | yes | unknown |');
    expect(done.summary).toContain('| shop | ConfigMap/settings | dependent | will be deleted |');
    expect(readFileSync(done.outputs['markdown-file'] ?? '', 'utf8')).toBe(done.summary);
    expect((await act({ ...grave, 'fail-on': 'never' })).code).toBe(0);
  });

  test('executes no input', async () => {
    const done = await act({ paths: '$(touch hit); `touch hit`; "' });
    expect([done.code, existsSync(join(workspace, 'hit'))]).toEqual([3, false]);
  });

  test('unpacks nothing whose digest is wrong or missing', async () => {
    const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
    try {
      writeDigest('1'.repeat(64));
      const wrong = await act({ paths: 'with none' });
      expect([wrong.code, wrong.outputs['exit-code']]).toEqual([1, '']);
      expect(wrong.log).toContain(`${archive}: FAILED`);
      writeFileSync(join(release, 'SHA256SUMS'), '');
      expect((await act({ paths: 'with none' })).code).toBe(1);
    } finally {
      writeFileSync(join(release, 'SHA256SUMS'), sums);
    }
  });

  test('says which file of a release is not there', async () => {
    const done = await act({ paths: 'with none', version: 'v9.9.9' });
    expect([done.code, done.log]).toEqual([22, expect.stringContaining('404')]);
  });

  test('takes the program in PATH where that is wanted, and downloads nothing', async () => {
    asked.length = 0;
    const inputs = { paths: 'with findings', version: 'installed' };
    expect((await act(inputs, `${programs}:/usr/bin:/bin`)).code).toBe(1);
    expect(await act(inputs)).toMatchObject({
      code: 2,
      log: '::error::version is "installed", and there is no kubectl-gc in PATH\n',
    });
    expect(asked).toEqual([]);
  });
});
