import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixPatches } from '../../src/audit/fixes.ts';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { withChoice } from '../../src/audit/rules/gone-owner.ts';
import {
  publishedConsequences,
  type ReferenceFinding,
} from '../../src/audit/rules/reference-findings.ts';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
import { objectPath } from '../../src/cluster/api-path.ts';
import { judge } from '../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { buildGraph, type Graph } from '../../src/snapshot/graph/graph.ts';
import { type Referee, startReferee } from '../support/collector-referee.ts';
import { markdownTable, withSection } from '../support/document-section.ts';
import { eventually } from '../support/eventually.ts';
import { makeDeadApi } from '../support/served-kinds.ts';
import { type StagedCase, stagedOf } from './staged-references.ts';
import { brokenGroup, invalidReferences, spellings } from './wrong-references.ts';

const fidelity = fileURLToPath(new URL('../../docs/evidence/fidelity.md', import.meta.url));
const blocks = 'blocks-foreground-deletion';

/** Every case once as it is, and once with our repair applied before the collector starts. */
const cases = invalidReferences.map(({ rule, title, text, later }, index) => ({
  rule,
  title,
  broken: stagedOf(`broken-${index}`, text, later),
  mended: stagedOf(`mended-${index}`, text, later),
}));
type Case = (typeof cases)[number];
const spelled = spellings.map(
  ([title, text], index) => [title, stagedOf(`spelled-${index}`, text)] as const,
);

let referee: Referee;
let graph: Graph;
let findings: readonly ReferenceFinding[];
/** What the collector did by itself, and after the deletions of `later`. */
const ends = new Map<StagedCase, { readonly subject: string; readonly later: string }>();

beforeAll(async () => {
  const all = cases.flatMap(({ broken, mended }) => [broken, mended]);
  referee = await startReferee([
    ...[...all, ...spelled.map(([, staged]) => staged)].flatMap(({ subject, others }) => [
      subject,
      ...others,
    ]),
  ]);
  await makeDeadApi(referee.plane, brokenGroup);
  const broken = `/apis/${brokenGroup}/v1`;
  await eventually('503', async () => (await referee.plane.request(broken)).status === 503);
  graph = buildGraph(await referee.snapshot());
  findings = findInvalidReferences(graph);
  await repair(new Set(cases.map(({ mended }) => mended.subject.uid)));
  await referee.settle();
  const first = new Map(all.map((staged) => [staged, endOf(staged.subject)]));
  for (const { later } of cases.map(({ broken }) => broken)) {
    if (later && referee.endOf(later.delete)) await remove(later.delete, later.policy);
  }
  await referee.settle();
  for (const staged of all) {
    const { later } = staged;
    const gone = later && !referee.endOf(later.delete);
    ends.set(staged, {
      subject: first.get(staged) ?? '',
      later: later ? (gone ? 'ends' : 'never ends') : '',
    });
  }
});
afterAll(() => referee.plane.stop());

/** What is garbage by default is kept here. */
function repairs(): ReturnType<typeof fixPatches> {
  return fixPatches(
    findings.map((finding) =>
      finding.rule === 'missing-owner' ? withChoice(finding, 'keep') : finding,
    ),
  );
}

async function repair(uids: ReadonlySet<string>): Promise<void> {
  for (const { record, patch } of repairs()) {
    if (!uids.has(record.uid)) continue;
    const answer = await referee.plane.request(pathOf(record), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json-patch+json' },
      body: patch,
    });
    if (answer.status !== 200) throw new Error(`${pathOf(record)}: ${answer.body}`);
  }
}

async function remove(record: ObjectRecord, propagationPolicy: string): Promise<void> {
  const body = { propagationPolicy, preconditions: { uid: record.uid } };
  const { status, body: text } = await referee.plane.remove(pathOf(record), body);
  if (status !== 200) throw new Error(`${pathOf(record)}: ${text}`);
}

function pathOf({ type, namespace, name }: ObjectRecord): string {
  return objectPath(type, namespace, name);
}

/** What became of an object, in the words of the table. */
function endOf(before: ObjectRecord): string {
  const after = referee.endOf(before);
  if (!after) return 'deleted';
  if (after.deletionTimestamp !== before.deletionTimestamp) {
    return `being deleted, blocked by ${after.finalizers.join(', ')}`;
  }
  const left = new Set(after.ownerReferences.map(({ uid }) => uid));
  const removed = before.ownerReferences.filter(({ uid }) => !left.has(uid));
  if (removed.length === 0) return 'left as it was';
  return `reference removed${left.size === 0 ? ', no owner left' : ''}`;
}

function findingOf({ rule, broken }: Case): ReferenceFinding | undefined {
  return findings.find(
    (finding) => finding.rule === rule && finding.object.uid === broken.subject.uid,
  );
}

/** How the collector's deed must begin for each consequence. */
const deeds: Readonly<Record<ReferenceFinding['consequences'][number], RegExp>> = {
  deleted: /^(deleted|being deleted)/,
  'reference-removed': /^reference removed/,
  'kept-by-another-owner': /^(left as it was|reference removed)/,
  'never-collected': /^left as it was/,
  'being-deleted': /^left as it was/,
  unknown: /^left as it was/,
  [blocks]: /^left as it was/,
  none: /^left as it was/,
};

test.each(cases.map((one) => [`${one.rule}: ${one.title}`, one] as const))('%s', (_, one) => {
  const finding = findingOf(one);
  const end = ends.get(one.broken);
  if (!finding || !end) throw new Error(`no finding of ${one.rule}`);
  const [consequence] = finding.consequences;
  if (!consequence) throw new Error('no consequence');
  expect(end.subject).toMatch(deeds[consequence]);
  const { later } = one.broken;
  if (later?.policy === 'Foreground') {
    expect(end.later).toBe(finding.consequences.includes(blocks) ? 'never ends' : 'ends');
  } else if (later) {
    // Our advice for a ring that is deadlocked.
    expect([finding.consequences, end.later]).toEqual([[blocks], 'ends']);
  }
});

test.each(spelled)('a reference to %s', (_, { subject }) => {
  const seen = graph.withUid(subject.uid);
  if (!seen) throw new Error('object not seen');
  const end = referee.endOf(seen);
  expect(predicted(graph, seen)).toBe(end ? told(end) : 'gone');
});

/** What the collector leaves of an object that we judge so. */
function predicted(graph: Graph, record: ObjectRecord): string {
  const { action, references } = judge(graph, record);
  if (action === 'delete') return 'gone';
  if (action === 'unknown') return 'unknown';
  const solid = references.filter((reference) => reference.class === 'solid');
  const removed = references.filter((reference) => !solid.includes(reference));
  const uids = new Set(action === 'patch' ? removed.map(({ reference }) => reference.uid) : []);
  return told({
    ...record,
    ownerReferences: record.ownerReferences.filter(({ uid }) => !uids.has(uid)),
  });
}

/** An object as it is left. */
function told({ ownerReferences: references, deletionTimestamp }: ObjectRecord): string {
  return `${deletionTimestamp ? 'terminating' : 'alive'}, owned by ${references.map(({ uid }) => uid).join(' and ') || 'nobody'}`;
}

test('every class is played', () => {
  const played = new Set(cases.map(({ rule }) => rule));
  expect([...played]).toEqual(referenceRules.map(({ id }) => id));
});

test('what our patches mend, the collector leaves alone', () => {
  const mended = new Map(cases.map((one) => [one.mended.subject.uid, one]));
  const disturbed = repairs().flatMap(({ record, patch }) => {
    const one = mended.get(record.uid);
    if (!one) return [];
    const after = referee.endOf(record);
    const wanted = patch.find(({ op }) => op === 'replace')?.value ?? [];
    const kept = after?.ownerReferences.map((reference) =>
      Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined)),
    );
    return JSON.stringify(sorted(kept)) === JSON.stringify(sorted(wanted)) ? [] : [one.title];
  });
  expect(disturbed).toEqual([]);
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

test('no object without a finding was touched', () => {
  const touched = cases.flatMap(({ broken, mended }) =>
    [...broken.others, ...mended.others].filter((record) => {
      const seen = graph.withUid(record.uid);
      const reported = findings.some(({ object }) => object.uid === record.uid);
      const removed = cases.some((one) => one.broken.later?.delete.uid === record.uid);
      return seen && !reported && !removed && endOf(seen) !== 'left as it was';
    }),
  );
  expect(touched.map(({ name, namespace }) => `${namespace}/${name}`)).toEqual([]);
});

test('docs/evidence/fidelity.md has this table', async () => {
  const rows = cases.map((one) => {
    const finding = findingOf(one);
    const end = ends.get(one.broken);
    const { later } = one.broken;
    return [
      `[${one.rule}](../rules/${one.rule}.md)`,
      one.title,
      finding?.consequences.map((one) => publishedConsequences[one]).join(', ') ?? '',
      finding?.kubernetesRule ?? '',
      end?.subject ?? '',
      later ? `${later.policy.toLowerCase()}: ${end?.later}` : '',
    ];
  });
  const table = markdownTable(
    [
      'class',
      'the object refers to',
      'our verdict',
      'rule',
      'the real garbage collector',
      'deletion of the owner afterwards',
    ],
    rows,
  );
  await expect(withSection(fidelity, 'invalid references', table)).toMatchFileSnapshot(fidelity);
});
