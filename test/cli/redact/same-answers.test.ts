import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../../src/files/saved-snapshot.ts';
import { objectOf } from '../../../src/kube/record-codec.ts';
import { Pseudonyms, redactSnapshot, tokens } from '../../../src/shell/redact/redact-snapshot.ts';
import { collectorCluster } from '../../differential/collector-cluster/index.ts';
import { decodeSnapshot } from '../../support/decode-snapshot.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Chance that is the same in each run: which of two names comes first may decide what an answer shows. */
let seed = 1;
const pseudonyms = new Pseudonyms((below) => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
});

/** A saved snapshot, with its objects as Kubernetes has them. */
function saved(path: string) {
  const { records, types } = decodeSnapshot(JSON.parse(readFileSync(path, 'utf8')));
  return { objects: records.map(objectOf), resourceTypes: types.all };
}

type SavedObject = ReturnType<typeof objectOf>;
type Named = { readonly name?: string; readonly namespace?: string };

/** Fields whose fields are names that somebody gave. */
const namedFreely = new Set(['labels', 'matchLabels', 'annotations', 'selector']);

/** The document with every text in it changed so, and every name that somebody gave; each knows its field. */
function withTexts(
  value: unknown,
  change: (text: string, field: string) => string,
  field = '',
): unknown {
  if (typeof value === 'string') return change(value, field);
  if (Array.isArray(value)) return value.map((entry) => withTexts(entry, change, field));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, entry]) => [
    namedFreely.has(field) && typeof entry === 'string' ? change(name, field) : name,
    withTexts(entry, change, name),
  ]);
  return Object.fromEntries(fields);
}

/** What a snapshot had replaced, beside its sentences: its words, with their pseudonyms. */
function replacedIn(snapshot: unknown): ReadonlyMap<string, string> {
  const replaced = new Map<string, string>();
  withTexts(snapshot, (text, field) => {
    if (field === 'message' || field === 'expiration') return text;
    for (const [token] of text.matchAll(tokens)) {
      const pseudonym = pseudonyms.text(token);
      if (pseudonym !== token) replaced.set(token, pseudonym);
    }
    return text;
  });
  return replaced;
}

/** The answer with what was replaced in the snapshot, and nothing of our own sentences. */
function redactedAs(replaced: ReadonlyMap<string, string>, answer: unknown): unknown {
  const pseudonym = (token: string) => replaced.get(token) ?? token;
  return withTexts(answer, (text) => text.replaceAll(tokens, pseudonym));
}

/**
 * What depends on the order of names or on the file is left out; of random clusters also sentences, whose words
 * may be names there.
 */
function comparable(value: unknown, sentences: boolean): unknown {
  if (Array.isArray(value)) {
    return value
      .map((entry) => comparable(entry, sentences))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value === 'string') return sentences || !value.includes(' ') ? value : '';
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([name]) => !ofFile.has(name));
  const entries = told.map(([name, entry]) => [name, comparable(entry, sentences)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `order`: where two pods ended at once, their names decide which goes first. */
const ofFile = new Set(['digest', 'origin', 'place', 'problems', 'order']);

function answerIn(stdout: string): unknown {
  return stdout === '' ? '' : JSON.parse(stdout);
}

const examples = readdirSync('examples/clusters').map((name) => join('examples/clusters', name));
const now = Date.parse('2026-11-22T12:00:00Z');
const random = [1].map((seed) => {
  const path = join(folder, `random-${seed}.json`);
  const items = collectorCluster(seed, now).map((object, index) => {
    const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    return { ...object, metadata: { uid, ...object.metadata } };
  });
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
});

describe.each([...examples, ...random])('of %s', async (cluster) => {
  const name = basename(cluster);
  const sentences = examples.includes(cluster);
  const plain = join(folder, `plain-${name}.json`);
  const redacted = join(folder, `redacted-${name}.json`);
  await gcHere(`snapshot save ${plain} --from ${cluster} --complete`);
  const whole = decodeSnapshot(JSON.parse(readFileSync(plain, 'utf8')));
  writeFileSync(redacted, [...encodeSnapshot(redactSnapshot(whole, pseudonyms), crc32)].join(''));
  const snapshot = saved(plain);
  const replaced = replacedIn([snapshot.objects, snapshot.resourceTypes]);

  test('no replaced word and no name with one is anywhere in the redacted file', () => {
    const text = readFileSync(redacted, 'utf8') + JSON.stringify(saved(redacted));
    const left = new Set([...text.matchAll(tokens)].map(([token]) => token));
    // A pseudonym of a short word may be another short word.
    const words = [...replaced.keys()].filter((word) => word.length > 4);
    expect(words.length).toBeGreaterThan(3);
    expect(words.filter((word) => left.has(word))).toEqual([]);
    const names = snapshot.objects.map(({ metadata }) => `${metadata.name}`);
    // The pseudonym of one may be another: of clean-b, in which only the letter is no known word, clean-a.
    const given = new Set(names.map((one) => pseudonyms.text(one)));
    const changed = names.filter((one) => one.length > 4 && !given.has(one));
    expect(changed.filter((one) => text.includes(one))).toEqual([]);
  });

  const typeOf = ({ apiVersion, kind }: SavedObject): string => {
    const group = apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
    const type = snapshot.resourceTypes.find((one) => one.kind === kind && one.group === group);
    return group === '' ? `${type?.resource}` : `${type?.resource}.${group}`;
  };
  const objects = snapshot.objects.filter((_, index) => index % 97 === 7);
  const questions: [string, SavedObject?][] = [
    ['orphans -A --unmanaged'],
    ['invalid-ownerrefs -A --fix'],
    ['audit --fail-on never --allow-incomplete'],
    ['forecast --within 720h'],
    ['podgc-preview --threshold 3'],
    ['settings'],
    ['snapshot info'],
    ['why -A'],
    ...['owners', 'tree', 'why'].flatMap((question) =>
      objects.map((object): [string, SavedObject] => [question, object]),
    ),
    ...objects.slice(0, 2).map((object): [string, SavedObject] => ['delete --preview', object]),
    // It takes seconds.
    ...objects
      .slice(0, sentences ? 1 : 0)
      .map((object): [string, SavedObject] => ['simulate --delete', object]),
  ];
  test.each(questions)('%s has the same answer', async (question, object) => {
    const ask = async (path: string, rename: (name: string) => string) => {
      const { name = '', namespace = 'default' } = (object?.metadata ?? {}) as Named;
      const about = object && [
        `${rename(typeOf(object))}/${rename(name)}`,
        '-n',
        rename(namespace),
      ];
      const command = [...question.split(' '), ...(about ?? []), '-o', 'json', '--from', path];
      const { code, stdout } = await gcHere(command);
      // Commands to paste name the file that was asked.
      return { code, answer: answerIn(stdout.replaceAll(path, '-')) };
    };
    const before = await ask(plain, (one) => one);
    const after = await ask(redacted, (one) => pseudonyms.text(one));
    const expected = comparable(redactedAs(replaced, before.answer), sentences);
    expect([comparable(after.answer, sentences), after.code]).toEqual([expected, before.code]);
  });
});
