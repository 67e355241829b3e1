import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { keptPackage } from '../../../scripts/release/executable.ts';
import { root } from '../../support/command-line.ts';
import { rowsOf } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  commitAll,
  examplesBelow,
  git,
  makePrograms,
  makeProject,
  packed,
  run,
  runLogged,
  searchPath,
  sectionOf,
} from './project.ts';

const folder = temporaryFolder();
const project = makeProject(folder);
const programs = makePrograms(folder);
const template = 'templates/audit/template.yml';
const name = 'kubectl-gc-audit';
let tarball = '';
let program = '';

beforeAll(async () => {
  mkdirSync(join(project, 'templates/audit'), { recursive: true });
  cpSync(join(root, template), join(project, template));
  commitAll(project);
  git(project, 'remote', 'add', 'origin', 'git@gitlab.com:acme/shop.git');
  tarball = await packed(folder);
  program = join(keptPackage('gitlab-ci-local@4.75.1'), 'dist/index.js');
}, 240_000);

interface Job {
  readonly stage: string;
  readonly image: { readonly name: string } | string;
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[]; readonly reports: object };
}

/** The job that GitLab would make: gitlab-ci-local validates the pipeline by GitLab's schema and fills the inputs in. */
async function jobOf(inputs: Readonly<Record<string, string>>): Promise<Job> {
  writeFileSync(
    join(project, '.gitlab-ci.yml'),
    stringify({ include: [{ local: template, inputs }] }),
  );
  const { stdout } = await run(process.execPath, [program, '--preview'], {
    cwd: project,
    env: { PATH: searchPath, HOME: folder },
  });
  const text = stdout.slice(stdout.indexOf('---\n'));
  return parse(text)[inputs['job-name'] ?? name];
}

/** The job's script, as a runner starts it in a fresh clone. */
async function ran(
  job: Job,
  variables: Readonly<Record<string, string>> = {},
  shell = ['bash', '-eo', 'pipefail'],
) {
  const clone = join(mkdtempSync(join(folder, 'builds ')), 'acme shop');
  git(folder, 'clone', '--quiet', project, clone);
  const [file = '', ...flags] = shell;
  const ended = await runLogged(file, [...flags, '-c', job.script.join('\n')], {
    cwd: clone,
    env: {
      PATH: searchPath,
      HOME: folder,
      CI: 'true',
      GITLAB_CI: 'true',
      CI_PROJECT_DIR: clone,
      npm_config_offline: 'true',
      ...job.variables,
      ...variables,
    },
  });
  const report = (extension: string) => {
    const path = join(clone, `kubectl-gc.${extension}`);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return { ...ended, json: report('json'), xml: report('xml'), html: report('html') };
}

describe('the job', () => {
  let job: Job;
  beforeAll(async () => {
    job = await jobOf({ paths: 'with findings', version: tarball });
  });
  /** Without npm, which takes longer than the audit. */
  const installed = {
    KUBECTL_GC_VERSION: 'installed',
    PATH: `${programs}:${searchPath}`,
  };
  const withPaths = (paths: string, more: Readonly<Record<string, string>> = {}) =>
    ran(job, { ...installed, KUBECTL_GC_PATHS: paths, ...more });

  test.each([
    ['bash, with the program from npm', {}, ['bash', '-eo', 'pipefail']],
    ['sh, with the program of the image', installed, ['sh', '-e']],
  ])(
    'shows findings in the log, as code quality, as a test report and as a page, in %s',
    async (_, variables, shell) => {
      const { code, log, json = '', xml, html } = await ran(job, variables, shell);
      expect(code).toBe(1);
      expect(log).toContain('self-owner');
      expect(JSON.parse(json)).toEqual([
        expect.objectContaining({
          check_name: 'self-owner',
          location: { path: 'with findings/own owner.yaml', lines: expect.anything() },
        }),
      ]);
      expect(xml).toContain('<testsuite ');
      expect(html).toContain('<html');
    },
  );

  /** The paths and other variables, the exit code, what is reported, and what is told. */
  const runs = rowsOf(`
    passes where nothing is found | with none | {} | 0 | [] |
    takes several paths and arguments
    | with none,with findings | {KUBECTL_GC_ARGUMENTS: --skip-rule=self-owner --no-config} | 0 | [] |
    fails by the severity that is wanted | with findings | {KUBECTL_GC_FAIL_ON: never} | 0 | | 
    ends with 3 where nothing can be read, without reports
    | unreadable | {} | 3 | no reports | error: nothing could be read from unreadable
    ends with 2 for arguments that are wrong
    | with none | {KUBECTL_GC_ARGUMENTS: --no-such-flag} | 2 | no reports | unknown flag: --no-such-flag
    fails where the program of the image is wanted, and there is none
    | with none | {PATH: /usr/bin:/bin} | 127 | no reports | kubectl-gc:
  `);
  test.each(runs)('%s', async (_, paths = '', more = '', code, reported = '', told = '') => {
    const ended = await withPaths(paths, parse(more));
    expect([ended.code, ended.log]).toEqual([Number(code), expect.stringContaining(told)]);
    if (reported === '[]') expect(ended.json).toBe('[]\n');
    const none = { json: undefined, xml: undefined, html: undefined };
    if (reported === 'no reports') expect(ended).toMatchObject(none);
  });

  test('its reports are where the pipeline looks for them', () => {
    expect(job.artifacts).toMatchObject({
      paths: ['kubectl-gc.html'],
      reports: { codequality: 'kubectl-gc.json', junit: 'kubectl-gc.xml' },
    });
  });
});

test('the inputs of the example, and those that have a default', async () => {
  const [example = ''] = examplesBelow('GitLab');
  const [{ component, inputs }] = parse(example).include;
  const { version } = createRequire(import.meta.url)('../../../package.json');
  expect(component).toBe(`$CI_SERVER_FQDN/OWNER/kubectl-gc/audit@${version}`);
  const job = await jobOf(inputs);
  expect(job).toMatchObject({ stage: 'test', image: { name: 'node:24' } });
  expect(job.variables).toEqual({
    KUBECTL_GC_PATHS: 'manifests,more manifests/shop.yaml',
    KUBECTL_GC_ARGUMENTS: '',
    KUBECTL_GC_FAIL_ON: '',
    KUBECTL_GC_VERSION: version,
  });
});

test('the page lists the inputs', () => {
  const [header] = parseAllDocuments(readFileSync(join(root, template), 'utf8'));
  const page = sectionOf('GitLab');
  const rows = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  expect(rows.map((cell) => cell.replaceAll('`', '')).sort()).toEqual(
    Object.keys(header?.toJS().spec.inputs).sort(),
  );
});
