import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/kube/facts/shape.ts';
import type { Json } from '../../src/kube/json-value.ts';
import { describeCommands } from '../../src/shell/oclif/manifest.ts';
import { commandLines } from '../support/command-lines.ts';
import {
  allKinds,
  isNumber,
  isText,
  isTime,
  kinds,
  objects,
  oddObjects,
} from '../support/odd-objects.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
/** What is wrong in another namespace. */
const elsewhere = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'lost',
    namespace: 'elsewhere',
    uid: 'lost',
    ownerReferences: [{ apiVersion: 'v1', kind: 'PodTemplate', name: 'gone', uid: 'gone' }],
  },
};

const numbers = [0, -1, 2 ** 31 - 1, 2 ** 63 - 1, 1e308];
/** The last one is in protobuf, and JSON has no way to write it. */
const times = [
  '0000-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '292277026596-12-04T15:30:07Z',
];

/** Objects with names of their own, so that what is said of others is the same. */
const leftAlone = [
  elsewhere,
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere', uid: 'ns' } },
];

function fileOf(name: string, items: readonly unknown[]): string {
  const file = join(folder, name);
  const list = { apiVersion: 'v1', kind: 'List', items: [...items, ...leftAlone] };
  writeFileSync(file, JSON.stringify(list));
  return file;
}

const before = fileOf('before.json', objects);

/** What every command prints that takes this file; each has to end by itself, and as it should. */
async function printedOf(file: string): Promise<Readonly<Record<string, string>>> {
  const lines = commandLines({
    file,
    before,
    object: 'configmap/lost',
    owned: 'configmap/lost',
    ending: 'configmap/lost',
    namespace: 'elsewhere',
    backups: folder,
  });
  const printed: Record<string, string> = {};
  for (const words of Object.values(lines)
    .flat()
    .filter((line) => line.includes(file))) {
    const { code, stdout, stderr } = await gcHere([...words, '-o', 'json']);
    const isBug = /this is a bug|undefined|NaN|Invalid (?:time|date)/i.test(stdout + stderr);
    const ended = `exit code ${code}`;
    printed[words.join(' ').replaceAll(file, 'FILE')] = isBug
      ? `${ended}: ${stderr}`
      : stdout || ended;
  }
  return printed;
}

/** Of each answer, the items that are about the objects that were left alone. */
function aboutOthers(printed: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(printed).map(([line, text]) => {
      if (text.startsWith('exit code')) return [line, text];
      const { items = [], kind } = JSON.parse(text);
      // A simulation and a comparison show a moment, and the whole.
      const isWhole = ['Simulation', 'SnapshotDiff', 'Deletions'].includes(kind);
      const others = items.filter((item: Json) => JSON.stringify(item).includes('"elsewhere"'));
      return [line, isWhole ? kind : others];
    }),
  );
}

const usual = aboutOthers(await printedOf(fileOf('odd.json', objects)));

const forms: Readonly<Record<string, (form: Form) => boolean>> = {
  numbers: isNumber,
  times: isTime,
};
const oddValues = [
  ...[...numbers, 'NaN'].map((value) => ['numbers', value] as const),
  ...[...times, 'NaN'].map((value) => ['times', value] as const),
];

describe('whatever the value, every command ends, and says the same of other objects:', () => {
  test('the registry of commands is covered', async () => {
    const named = Object.keys(
      commandLines({
        file: '',
        before: '',
        object: '',
        owned: '',
        ending: '',
        namespace: '',
        backups: '',
      }),
    );
    const printing = (await describeCommands()).filter(
      ({ flags }) => flags.output?.type === 'option',
    );
    expect(printing.map(({ id }) => id).filter((id) => !named.includes(id))).toEqual([]);
  });

  test.each(oddValues)('in all %s of all kinds, %j', async (form, value) => {
    const isOdd = forms[form] ?? isTime;
    const made = allKinds.flatMap((kind) => oddObjects(kind, isOdd, value));
    expect(aboutOthers(await printedOf(fileOf('odd.json', made)))).toEqual(usual);
  });

  test.each(kinds)('in the numbers and times of a %s', async (kind) => {
    const file = join(folder, 'kind.json');
    const from = `--complete --now 2026-01-31T12:00:00Z --from ${file}`;
    const faults: string[] = [];
    for (const [form, value] of oddValues) {
      fileOf('kind.json', oddObjects(kind, forms[form] ?? isTime, value));
      for (const line of ['audit -o json --fail-on never --allow-incomplete', 'forecast -o json']) {
        const { code, stdout, stderr } = await gcHere(`${line} ${from}`);
        if (code !== 0 || !stdout.includes('"lost"')) faults.push(`${line} ${value}: ${stderr}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

/** All texts of one or two of these characters. */
const characters = ['.', '-', '/', ':', ' ', '\n', '"', '{', '}', '%', '$', 'a', '0', ''];
const short = characters.flatMap((first) => characters.map((second) => first + second));

describe('whatever a short text in an object of a custom resource, every command ends:', () => {
  test('texts of one and two characters', async () => {
    const widget = {
      ...{ apiVersion: 'example.com/v1', kind: 'Widget', spec: { short } },
      metadata: { name: 'w', namespace: 'default', uid: 'w' },
      status: { conditions: short.map((type) => ({ type, message: type, status: type })) },
    };
    const printed = await printedOf(fileOf('odd.json', [...objects, widget]));
    expect(aboutOthers(printed)).toEqual(usual);
  });
});

/** Characters that patterns of ours name, or that end a line. */
const all = [':', '/', ' ', '\n', '=', '"', '.', '-', '(', '[', ',', 'a', '0'];
const repeated = process.env.CI ? all : all.slice(0, 3);
const lengths = process.env.CI ? [100_000, 200_000] : [100_000];

describe('whatever the length of a text, every command ends, and says the same of other objects:', () => {
  test.each(repeated)(
    '100,000 times %j in all texts of a kind, and in CI twice as often',
    async (char) => {
      const took: number[] = [];
      for (const length of lengths) {
        const long = ['v1 Pod', 'batch/v1 Job'].flatMap((kind) =>
          oddObjects(kind, isText, char.repeat(length)).slice(0, 1),
        );
        const began = performance.now();
        expect(aboutOthers(await printedOf(fileOf('odd.json', long)))).toEqual(usual);
        took.push(performance.now() - began);
      }
      const [once = 0, twice = once] = took;
      expect(twice).toBeLessThan(2.5 * once + 1000);
    },
  );
});
