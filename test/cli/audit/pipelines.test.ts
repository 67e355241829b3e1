import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../support/command-line.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The pipelines that the documentation shows, step by step; what Helm renders stands in test/fixtures/transcripts/audit.txt. */
const folder = temporaryFolder();
cpSync(join(root, 'docs/rules'), join(folder, 'manifests'), { recursive: true });
writeFileSync(
  join(folder, 'audit-baseline.json'),
  JSON.stringify({ apiVersion: 'kubectl-gc/v1', kind: 'AuditBaseline', findings: [] }),
);

const page = readFileSync(join(root, 'docs/pipelines.md'), 'utf8');
const section = page.slice(page.indexOf('## Without the action'));
const pipelines = [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) =>
  parse(text),
);
const lines = [
  ...pipelines.flatMap(({ jobs, audit }) =>
    jobs ? jobs.audit.steps.flatMap(({ run }: { run?: string }) => run ?? []) : audit.script,
  ),
] as string[];

test('the page of pipelines has a workflow of GitHub and a job of GitLab', () => {
  expect(pipelines.map((pipeline) => Object.keys(pipeline)[0])).toEqual(['name', 'audit']);
  expect(lines.length).toBe(6);
});

test.each(lines)('%s', async (line) => {
  const words = line.replace(/ >>? .*$/, '').replace(/^kubectl gc /, '');
  const here = words
    .replace('manifests/', `${folder}/manifests`)
    .replace('audit-b', `${folder}/audit-b`);
  const { code, stdout, stderr } = await gcHere(`${here} --no-config`);
  // The examples of the rules are all wrong.
  expect([code, stdout === ''], stderr).toEqual([words.includes('--fail-on never') ? 0 : 1, false]);
  if (/sarif|gitlab/.test(words)) expect(JSON.parse(stdout)).toBeTypeOf('object');
});
