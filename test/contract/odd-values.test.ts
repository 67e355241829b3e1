import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/kube/facts/shape.ts';
import { describeCommands } from '../../src/shell/oclif/manifest.ts';
import { answerAboutOthers, fileBeside, linesAbout } from '../support/answers-about-others.ts';
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
const numbers = [0, -1, 2 ** 31 - 1, 2 ** 63 - 1, 1e308];
/** The last one is in protobuf, and JSON has no way to write it. */
const times = [
  '0000-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '292277026596-12-04T15:30:07Z',
];

const file = join(folder, 'odd.json');
const lines = linesAbout(file, folder);

/** What every command prints of other objects than these. */
async function aboutOthers(items: readonly unknown[]): Promise<Readonly<Record<string, unknown>>> {
  fileBeside(file, items);
  const answers: Record<string, unknown> = {};
  for (const line of lines) answers[line.join(' ')] = await answerAboutOthers(line);
  return answers;
}

const usual = await aboutOthers(objects);

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
    expect(await aboutOthers(made)).toEqual(usual);
  });

  // A name may stand in a selector, a path, a command or a key.
  test.each([...'.-/: =,()[]"\\%$!\n0'])('in all texts of all kinds, %j', async (char) => {
    const made = allKinds.flatMap((kind) => oddObjects(kind, isText, char.repeat(3)));
    expect(await aboutOthers(made)).toEqual(usual);
  });

  test.each(kinds)('in the numbers and times of a %s', async (kind) => {
    const from = `--complete --now 2026-01-31T12:00:00Z --from ${file}`;
    const faults: string[] = [];
    for (const [form, value] of oddValues) {
      fileBeside(file, oddObjects(kind, forms[form] ?? isTime, value));
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
    expect(await aboutOthers([...objects, widget])).toEqual(usual);
  });
});
