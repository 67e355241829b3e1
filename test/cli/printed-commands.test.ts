import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingNamespace } from '../../src/audit/rules/manifests.ts';
import { outOfServiceNode } from '../../src/audit/rules/nodes.ts';
import { nowhere } from '../../src/command-line/shell-command.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { RunSummary } from '../../src/perform/run-summary.ts';
import { runSummaryLines } from '../../src/shell/plan/run-lines.ts';
import { builderOf } from '../support/builders.ts';
import { gcHere } from '../support/run-here.ts';
import { argumentsIn, hostileNames } from '../support/run-in-shell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { violationsOf } from '../support/violations.ts';

const folder = temporaryFolder();

const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
const rbac = 'role.rbac.authorization.k8s.io';

let files = 0;

/** A file of objects; a namespace that holds them comes with them. */
function fileOf(...objects: readonly object[]): string {
  const file = join(folder, `${files++}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return file;
}

const metadata = (name: string, more: object = {}) => ({
  metadata: { name, namespace: 'shop', uid: `uid ${name}`, ...more },
});

/** The one command in what was printed: it runs from where it begins to `end` or the end of all. */
function commandIn(text: string, begin: string, end?: string): string {
  const made = text.indexOf(`eval "$(printf %b '${begin}`);
  const from = made < 0 ? text.indexOf(begin) : made;
  const until = end === undefined ? undefined : text.indexOf(end, from);
  expect(from, text).toBeGreaterThan(-1);
  return text.slice(from, until).trimEnd();
}

const missing = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const finalizers = ['finalizer.keda.sh'];
const invalid = ['invalid-ownerrefs', '-A', '--complete'];
const patched = ['-n', 'shop', '--type=json', '-p'];
const ownerrefsOfRoles =
  'gc invalid-ownerrefs roles.rbac.authorization.k8s.io -n shop --field-selector'.split(' ');
const later = ['--complete', '--now', '2026-01-31T00:00:00Z'];

describe.each(hostileNames)('%j', (name) => {
  test.each([
    [
      'invalid-ownerrefs --fix',
      { ownerReferences: [missing] },
      [...invalid, '--fix', '--missing-owner=keep'],
    ],
    [
      'why --fix',
      { ...deleted, finalizers },
      ['why', `role/${name}`, '-n', 'shop', '--fix', ...later],
    ],
  ])('%s', async (_, more, line) => {
    const file = fileOf({ ...role, ...metadata(name, more) });
    const { stderr } = await gcHere([...line, '--from', file]);
    const words = argumentsIn(commandIn(stderr, 'kubectl patch'));
    expect(words.slice(0, -1)).toEqual(['patch', `${rbac}/${name}`, ...patched]);
    expect(JSON.parse(words.at(-1) ?? '')[0].value).toBe(`uid ${name}`);
  });

  test('why --fix of a namespace', async () => {
    const { metadata: of } = metadata(name, { ...deleted, namespace: undefined });
    const spec = { finalizers: ['kubernetes'] };
    const file = fileOf({ apiVersion: 'v1', kind: 'Namespace', metadata: of, spec });
    const line = ['why', `namespace/${name}`, '--fix', '--from', file, ...later];
    const { stderr } = await gcHere(line);
    const path = `/api/v1/namespaces/${encodeURIComponent(name)}/finalize`;
    const send = commandIn(stderr, 'kubectl replace');
    expect(argumentsIn(send)).toEqual(['replace', '--raw', path, '-f', '-']);
    const read = commandIn(stderr, 'kubectl get', ' | jq ');
    expect(argumentsIn(read)).toEqual(['get', `namespace/${name}`, '-o', 'json']);
  });

  test('audit', async () => {
    const file = fileOf(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'shop' } },
      { ...role, ...metadata(name, { ownerReferences: [missing] }) },
      { ...role, ...metadata('held', { ...deleted, namespace: name, finalizers }) },
    );
    const read = ['--from', file, ...later];
    const selector = `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
    const found = await gcHere([...ownerrefsOfRoles.slice(1), selector, ...read, '-o', 'json']);
    expect(JSON.parse(found.stdout).items[0].object.name).toBe(name);
    const { stdout } = await gcHere(['audit', '--from', file, '-o', 'json', ...later]);
    const commands = JSON.parse(stdout).items.map(({ fix }: { fix: { command: string } }) =>
      argumentsIn(fix.command),
    );
    expect(commands).toEqual(
      expect.arrayContaining([
        [...ownerrefsOfRoles, selector, '--fix', ...read],
        ['gc', 'why', `${rbac}/held`, '-n', name, '--fix', ...read],
      ]),
    );
    const markdown = await gcHere(['audit', '--from', file, '-o', 'markdown', ...later]);
    const shown = [
      ...markdown.stdout.matchAll(/\| (`+) ?((?:eval "\$\(printf %b ')?kubectl .*?) ?\1 \|\n/gs),
    ].map(([, , line = '']) => argumentsIn(line.replaceAll('\\|', '|')));
    expect(shown.toSorted()).toEqual(commands.toSorted());
  });

  test('audit of manifests, and of nodes', () => {
    const pod = builderOf('v1', 'Pod')('web', { namespace: name });
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    const conditions = [{ type: 'Ready', status: 'True' }];
    const node = builderOf('v1', 'Node')(name, { facts: { taints, conditions } });
    const commands = [
      ...violationsOf(missingNamespace, [pod]),
      ...violationsOf(outOfServiceNode, [node]),
    ].map((violation) => argumentsIn('command' in violation ? violation.command : ''));
    const dashes = name.startsWith('-') ? ['--'] : [];
    expect(commands).toEqual([
      ['create', 'namespace', ...dashes, name],
      ['taint', 'nodes', ...dashes, name, 'node.kubernetes.io/out-of-service-'],
    ]);
  });

  test('a pod that a Job left behind', async () => {
    const labels = {
      'batch.kubernetes.io/controller-uid': 'gone',
      'batch.kubernetes.io/job-name': 'gone',
    };
    const file = fileOf({ apiVersion: 'v1', kind: 'Pod', ...metadata(name, { labels }) });
    const { stdout } = await gcHere([...invalid, '-o', 'json', '--from', file]);
    const words = argumentsIn(commandIn(JSON.parse(stdout).items[0].fix, 'kubectl'));
    expect(words).toEqual(['delete', `pod/${name}`, '-n', 'shop']);
  });

  test('the hint to a command that takes one object', async () => {
    const file = fileOf({ ...role, ...metadata(name) });
    const { stderr } = await gcHere(['orphans', `role/${name}`, '--from', file]);
    const words = argumentsIn(commandIn(stderr, 'kubectl gc why'));
    expect(words).toEqual(['gc', 'why', `role/${name}`, '-n', 'default', '--from', file]);
  });

  test('an interrupted deletion', () => {
    const request = { ...role, namespace: name, name, uid: 'a', path: '', options: {}, wave: 0 };
    const summary = new RunSummary({ requests: [request] } as unknown as Plan);
    const at = '2026-01-01T00:00:00Z';
    summary.note({ at, type: 'sent', request, warnings: [] } as never);
    summary.note({ at, type: 'done', ended: 'interrupted', counts: {}, seconds: 0 } as never);
    const line = commandIn(runSummaryLines(summary, nowhere).at(-1) ?? '', 'kubectl gc why');
    expect(argumentsIn(line)).toEqual(['gc', 'why', `${rbac}/${name}`, '-n', name]);
  });

  test('a folder that contains half a backup', async () => {
    const directory = join(folder, name);
    mkdirSync(join(directory, 'objects'), { recursive: true });
    const { stderr } = await gcHere(['restore', '--', directory]);
    const words = argumentsIn(commandIn(stderr, 'kubectl gc restore --from'));
    expect(words).toEqual(['gc', 'restore', '--from', directory]);
  });
});
