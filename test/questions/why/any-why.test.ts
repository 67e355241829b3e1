import path from 'node:path';
import { expect, test } from 'vitest';
import { fromFiles } from '../../../src/files/from-files.ts';
import { render } from '../../../src/questions/render.ts';
import { diagnosisReport, type Explained } from '../../../src/questions/why/document.ts';
import { answerFromSnapshot } from '../../../src/why/answer-from-snapshot.ts';
import { diagnose } from '../../../src/why/diagnose.ts';
import type { Inquiry } from '../../../src/why/inquiry.ts';
import { investigate, knownOf } from '../../../src/why/investigate.ts';
import { root } from '../../support/command-line.ts';

const clusters = [
  'shop.json.gz',
  'shop-later.json.gz',
  'leftovers.yaml',
  'stuck.yaml',
  'what-follows.yaml',
];

test.each(clusters)('why of any object of %s fits on a screen without repetition', async (name) => {
  const now = Date.parse('2026-11-21T15:00:00Z');
  const file = path.join(root, 'examples/clusters', name);
  const snapshot = await fromFiles([file], { now: () => new Date(now), complete: true });
  const explain = (inquiry: Inquiry): Explained[] =>
    snapshot.records.map((record) => ({ chain: diagnose(inquiry, record) }));
  const known = { ...knownOf(snapshot, now), eventsAbout: () => [] };
  const { finding } = await investigate(known, explain, answerFromSnapshot(snapshot));
  const look = { colour: false, width: 80, now };
  const faults: string[] = [];
  for (const explained of finding) {
    const text = await render(diagnosisReport([explained], []), 'table', look);
    const rows = text.trimEnd().split('\n');
    const sentences = sentencesIn(rows);
    const twice = sentences.filter((one, index) => sentences.indexOf(one) !== index);
    const { kind, name: own } = explained.chain.object;
    if (rows.length > 24 || twice.length > 0)
      faults.push(`${kind}/${own}: ${rows.length} ${twice}`);
  }
  expect(faults).toEqual([]);
  expect(finding.length).toBe(snapshot.records.length);
});

/** What stands between full stops and line ends of the unwrapped text, of more than a few words. */
function sentencesIn(rows: readonly string[]): string[] {
  const joined = rows.map((row) => row.replace(/^[ │├└─…✗✓?→•]*/u, '')).join(' ');
  return joined
    .split(/[.;] /)
    .map((one) => one.trim())
    .filter((one) => one.split(' ').length > 4);
}
