import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AnswerPages } from '../../src/commands/mcp/answers.ts';
import { Deletions } from '../../src/commands/mcp/deletions.ts';
import { forecastAnswer, statusAnswer, treeAnswer } from '../../src/commands/mcp/questions.ts';
import { isGcError } from '../../src/errors.ts';
import { Session } from '../../src/shell/input/session.ts';
import { kube } from '../support/kube.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const minute = 60_000;
const flags = { namespace: 'shop', from: ['examples/clusters/shop.json.gz'] };
const limits = { 'max-deletes': 100 };

async function shownPlan(now: () => number) {
  const deletions = new Deletions(limits, now);
  const asked = { flags, session: new Session(flags) };
  const { values, summary } = await deletions.preview(['deployment/web'], undefined, asked);
  const perform = (digest: string) => deletions.perform(digest, asked, AbortSignal.timeout(minute));
  return { digest: `${values?.digest}`, summary, perform };
}

test('a plan of files is shown, its counts and its losses first', async () => {
  const { digest, summary } = await shownPlan(() => 0);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(summary).toMatchInlineSnapshot(`
    [
      "9 objects may be deleted by 1 request (cascade: background).",
      "Data loss: the data of 1 Secret.",
      "Stuck: 0. Coming again: 0. Unknown: 0. Losing an owner and staying: 1.",
    ]
  `);
});

test('data on volumes is lost where their remarks say so, as in a preview', async () => {
  const volume = (name: string, persistentVolumeReclaimPolicy: string) => {
    const claimRef = { namespace: 'shop', name, uid: `uid-of-${name}` };
    const claimed = { uid: claimRef.uid };
    return [
      kube(
        `v1 PersistentVolume ${name}`,
        {},
        { spec: { persistentVolumeReclaimPolicy, claimRef } },
      ),
      kube(`v1 PersistentVolumeClaim ${name}`, claimed, { spec: { volumeName: name } }),
    ];
  };
  const from = join(temporaryFolder(), 'volumes.json');
  const items = [...volume('kept', 'Retain'), ...volume('lost', 'Delete')];
  writeFileSync(from, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const flags = { namespace: 'shop', from: [from] };
  const losses = async (...objects: string[]) => {
    const asked = { flags, session: new Session(flags) };
    const { summary } = await new Deletions(limits).preview(objects, undefined, asked);
    return summary[1];
  };
  const [kept, lost] = [await losses('pvc/kept'), await losses('pvc/kept', 'pvc/lost')];
  expect(`${kept}\n${lost}`).toMatchInlineSnapshot(`
    "Data loss: none is known. The remarks say what becomes of the data on volumes.
    Data loss: the data of 1 PersistentVolume, 1 PersistentVolumeClaim. The remarks say what becomes of the data on volumes."
  `);
});

test('a zero is reported only where all was read', async () => {
  const from = join(temporaryFolder(), 'broken.yaml');
  writeFileSync(
    from,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, uid: a}\n---\nkind: "\n',
  );
  const asking = (files: string[]) => {
    const flags = { namespace: 'default', from: files };
    return { flags, session: new Session(flags) };
  };
  const zerosOf = async (files: string[]) => {
    const answers = [await statusAnswer(asking(files)), await forecastAnswer(asking(files))];
    const lines = answers.flatMap(({ summary }) => summary);
    return lines.filter((line) => /^(Deletions|Due|Wrong)[^:]*: 0\b/.test(line)).length;
  };
  expect([await zerosOf(flags.from), await zerosOf([from])]).toEqual([4, 0]);
});

test('a tree counts the objects of a namespace, with a row for each kind', async () => {
  const asked = { flags, session: new Session(flags) };
  const { summary, items = [] } = await treeAnswer('namespace/shop', asked);
  expect(summary).toEqual([
    'Contained in it, which no reference says: 76.',
    'Objects below it: 0. References that are not sound: 0.',
    'Being deleted: 0. With finalizers: 0.',
  ]);
  expect(items).toContainEqual({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' },
    ...{ count: 3, below: 17, names: ['cart', 'recommendations', 'web'] },
  });
});

test('a plan that was shown more than ten minutes ago is not performed', async () => {
  let now = 0;
  const { digest, perform } = await shownPlan(() => now);
  now = 10 * minute + 1;
  expect(await perform(digest)).toEqual({
    summary: ['Refused: nothing was deleted.'],
    values: { refused: 'not-shown' },
  });
});

test('texts of the cluster are cut, escaped, and stand under "untrusted" alone', () => {
  const name = `a\u202eb\n"}${'x'.repeat(1000)}`;
  const text = new AnswerPages().textOf({ summary: ['One object.'], items: [{ name }] });
  expect(text).not.toContain('\u202e');
  const { untrusted, ...own } = JSON.parse(text) as {
    untrusted: { items: [{ name: string }] };
  };
  expect(own).toEqual({ summary: ['One object.'], shown: '1 to 1 of 1' });
  expect(untrusted.items).toEqual([{ name: `${name.slice(0, 300)}…` }]);
});

test('pages are kept for the last thirty answers', () => {
  const pages = new AnswerPages();
  const items = Array.from({ length: 21 }, (_, at) => ({ at }));
  const cursors = Array.from({ length: 31 }, () => {
    const { more } = JSON.parse(pages.textOf({ summary: [], items })) as { more: string };
    return more;
  });
  const found = cursors.map((cursor) => {
    try {
      return pages.more(cursor).items?.length === 21;
    } catch (error) {
      return !isGcError(error);
    }
  });
  expect(found).toEqual([false, ...Array.from({ length: 30 }, () => true)]);
});
