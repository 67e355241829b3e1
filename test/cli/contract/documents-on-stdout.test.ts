import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../../src/kube/json-value.ts';
import { describeCommands } from '../../../src/shell/oclif/manifest.ts';
import { commandLines } from '../../support/command-lines.ts';
import { allKinds, isText, oddObjects } from '../../support/odd-objects.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * Whatever objects are called, and whatever a command prints of them in whatever form, a terminal that shows it does
 * nothing else than that, and documents say the same.
 */
const folder = temporaryFolder();

/** Clears the screen, colours by C1, turns the line round, hides a letter, breaks a line, and commands a log. */
const hostile =
  'a\u001b[2J\u009b31m\u202eb\u200bc\u2028d\u007f$(touch x)<img src=x onerror=y>\n::error::e';
/** All that acts on a terminal but the line breaks of the answer itself, and what cannot be seen. */
const acting =
  /[^\n\P{Cc}]|[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|^\s*::error::e/mu;

const rbac = 'rbac.authorization.k8s.io/v1';
const text = { [hostile]: hostile };
const gone = { apiVersion: rbac, kind: 'Role', name: hostile, uid: 'gone' };
const later = '2026-01-31T12:00:00Z';

function role(uid: string, more: object = {}) {
  const metadata = { namespace: 'shop', labels: text, annotations: text, uid, ...more };
  return { apiVersion: rbac, kind: 'Role', metadata: { name: hostile + uid, ...metadata } };
}

const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'shop' } },
  role('top'),
  role('below', { ownerReferences: [{ ...gone, name: `${hostile}top`, uid: 'top' }] }),
  role('orphan', { ownerReferences: [gone] }),
  role('stuck', {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: [`acme.test/${hostile}`],
  }),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: hostile,
      namespace: 'shop',
      uid: 'pod',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { nodeName: hostile, containers: [{ name: 'a', image: hostile }] },
    status: { phase: 'Failed', reason: hostile, message: hostile },
  },
];

/** Of each kind an object with such text in every field that holds any. */
const everywhere = allKinds.flatMap((kind) =>
  oddObjects(kind, isText, hostile)
    .slice(0, 1)
    .map((object, index) => {
      const metadata = {
        ...fieldsOf(object.metadata),
        name: `${hostile}${index}`,
        namespace: 'shop',
      };
      return { ...object, metadata: { ...metadata, uid: `${kind} ${index}`, labels: text } };
    }),
);

function fileOf(name: string, items: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
}

const file = fileOf('now.json', [...objects, ...everywhere]);
const before = fileOf('before.json', [...objects.slice(0, -2), ...everywhere]);
const backups = join(folder, hostile);
mkdirSync(backups);
const from = ['--from', file, '--complete', '--now', later];
const top = `role/${hostile}top`;

/** `-o` is added. */
const asked = commandLines({
  file,
  before,
  object: top,
  owned: `role/${hostile}below`,
  ending: `role/${hostile}stuck`,
  namespace: 'shop',
  backups,
});

const manifest = await describeCommands();
const commands = manifest.flatMap(({ id, flags: { output } }) =>
  output?.type === 'option'
    ? [[id, [output.helpValue ?? []].flat().join('|').split('|')] as const]
    : [],
);

const withoutOutput = manifest.flatMap(({ id, flags }) =>
  flags.output?.type === 'option' ? [] : [id],
);
/** They print text of one form, or write files. */
const withoutFormats: Readonly<Record<string, readonly string[] | string>> = {
  report: ['report', '--no-config', ...from],
  'snapshot:export': ['snapshot', 'export', file, '--to', join(folder, 'tables')],
  'snapshot:save': ['snapshot', 'save', join(backups, 'saved.json'), '--from', file],
  completion: 'prints a script, in which no name stands',
  options: 'prints flags',
  view: 'serves the page that tree -o html prints',
  mcp: 'serves the documents of other commands; test/live/mcp.test.ts',
  guard: 'serves reviews; test/live/guard.test.ts',
  'run-controllers': 'acts on a cluster; test/live/envtest.test.ts',
};

describe('no answer acts on a terminal', () => {
  test.each(commands)('%s, in each of %j', async (id, formats) => {
    for (const line of asked[id] ?? [['no-line-for-this-command']]) {
      for (const format of formats) {
        const { code, stdout, stderr } = await gcHere([...line, '-o', format]);
        // Findings end with 1. Of one object there are pictures, of many there are none.
        if (!stderr.includes('Allowed formats are')) expect([0, 1], stderr).toContain(code);
        expect({ line, format, found: acting.exec(`${stdout}${stderr}`) }).toEqual({
          line,
          format,
          found: null,
        });
      }
    }
  });

  test('each command without -o is covered here, or a reason says why it is not', () => {
    expect(Object.keys(withoutFormats).sort()).toEqual(withoutOutput.sort());
  });

  test.each(
    Object.entries(withoutFormats).flatMap(([id, line]) =>
      typeof line === 'string' ? [] : [[id, line] as const],
    ),
  )('%s, which has no -o', async (_, line) => {
    const { code, stdout, stderr } = await gcHere(line);
    // A report of findings ends with 1.
    expect([0, 1], stderr).toContain(code);
    expect(acting.exec(`${stdout}${stderr}`)).toBeNull();
  });

  test.each([
    ['delete --plan -', ['delete', top, '-n', 'shop', '--plan', '-', ...from]],
    [
      'restore -o json',
      [
        'restore',
        '--from',
        file,
        '--against',
        before,
        '--terminating',
        '--dry-run=client',
        '-o',
        'json',
      ],
    ],
    ['snapshot save -', ['snapshot', 'save', '-', '--from', file]],
    ['why -o json', ['why', '-A', '-o', 'json', ...from]],
  ])('the document of %s says the same', async (_, line) => {
    const { stdout } = await gcHere(line);
    expect(acting.exec(stdout)).toBeNull();
    const strings: string[] = [];
    JSON.parse(stdout, (_key, value) => {
      if (typeof value === 'string') strings.push(value);
      return value;
    });
    expect(strings.some((one) => one.includes(hostile))).toBe(true);
  });
});
