import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../support/command-line.ts';
import { gc } from '../../support/run-gc.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The pipelines that the documentation shows, step by step. */
const folder = temporaryFolder();
cpSync(join(root, 'docs/rules'), join(folder, 'manifests'), { recursive: true });
writeFileSync(
  join(folder, 'audit-baseline.json'),
  JSON.stringify({ apiVersion: 'kubectl-gc/v1', kind: 'AuditBaseline', findings: [] }),
);

const page = readFileSync(join(root, 'docs/pipelines.md'), 'utf8');
const section = page.slice(page.indexOf('## By hand'));
const pipelines = [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) =>
  parse(text),
);
const lines = [
  ...pipelines.flatMap(({ jobs, audit }) =>
    jobs ? jobs.audit.steps.flatMap(({ run }: { run?: string }) => run ?? []) : audit.script,
  ),
] as string[];

test('there are a workflow of GitHub and a job of GitLab', () => {
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

test('what Helm renders: comments, sources, empty documents, Lists', async () => {
  const rendered = `---
# Source: shop/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # its name
spec:
  selector: {matchLabels: {app: web}}
---
# Source: shop/templates/nothing.yaml
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
    ownerReferences:
    - {apiVersion: v1, kind: ConfigMap, name: nobody, uid: 0b5c}
`;
  const wrong = await gc('audit --no-config --from - -n shop --complete -o github', {
    input: rendered,
  });
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    '::error title=missing-owner%3A ConfigMap shop/settings::ConfigMap shop/settings: there is no ConfigMap nobody in namespace shop (deleted on the next pass)%0AFix: edit <stdin>:15: let it go: the garbage collector deletes it; or keep it: remove the reference; it then stays until it is deleted by hand\n',
  ]);
  const fine = await gc('audit --no-config --from -', {
    input: rendered.replace(/ {4}ownerReferences[\s\S]*/, ''),
  });
  expect([fine.code, fine.stdout]).toEqual([0, '']);
});

test.each([
  ['audit --against-cluster', 2, 'must be provided when using --against-cluster: --from'],
  ['audit --from docs/rules --rule unserved-kind', 2, 'only for an audit with --against-cluster'],
])('%s: exit code %i', async (line, code, message) => {
  const run = await gcHere(line);
  expect([run.code, run.stdout]).toEqual([code, '']);
  expect(run.stderr).toContain(message);
});
