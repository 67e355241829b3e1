import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../../src/files/saved-snapshot.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { factFieldsOf } from '../../../src/kube/facts/object-facts.ts';
import type { Form, NamedField } from '../../../src/kube/facts/shape.ts';
import { byContent, type ObjectFacts } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { evictionSignals } from '../../../src/kubelet/eviction/eviction-thresholds.ts';
import { settingsTable } from '../../../src/settings/settings-table.ts';
import { Pseudonyms, redactSnapshot } from '../../../src/shell/redact/redact-snapshot.ts';
import type { ProblemReason } from '../../../src/snapshot/coverage.ts';
import type { Evidence } from '../../../src/snapshot/evidence.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { savedQueries } from '../../../src/why/answer-from-snapshot.ts';
import { queryKey } from '../../../src/why/inquiry.ts';
import { deployment, objectOfType, pod, secret, snapshotOf } from '../../support/builders.ts';
import { decodeSnapshot } from '../../support/decode-snapshot.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

const pseudonyms = new Pseudonyms();
const text = (one: string) => pseudonyms.text(one);

describe('a pseudonym', () => {
  test('is the same for the same word, and another the next time', () => {
    expect(text('payments')).toBe(text('payments'));
    expect(new Pseudonyms().text('payments')).not.toBe(text('payments'));
  });

  test.each([
    ...'kube-system default kube-root-ca.crt kubernetes.io/pvc-protection foregroundDeletion'.split(
      ' ',
    ),
    ...'batch.kubernetes.io/job-tracking app.kubernetes.io/managed-by apps/v1'.split(' '),
    'system:serviceaccount:kube-system:generic-garbage-collector',
    ...'rbac.authorization.k8s.io/v1beta1 NamespaceContentRemaining CrashLoopBackOff'.split(' '),
    ...['sh.helm.release.v1.', 'v1.36.3', '2026-11-22T12:00:00Z', '29921209', ''],
  ])('changes nothing in %o', (known) => {
    expect(text(known)).toBe(known);
  });

  test('of what is derived from a name is derived from its pseudonym', () => {
    const shop = text('shop');
    expect(text('shop-0')).toBe(`${shop}-0`);
    expect(text('data-shop-12')).toBe(`data-${shop}-12`);
    expect(text('registry.shop.com/shop/operator:1.2.3')).toBe(
      `registry.${shop}.com/${shop}/operator:1.2.3`,
    );
    expect(text('pvc-8c1f5e0e-2b0f-4f0e-9d55-0a1b2c3d4e5f')).toBe(
      `pvc-${text('8c1f5e0e-2b0f-4f0e-9d55-0a1b2c3d4e5f')}`,
    );
  });

  test('of a kind, its singular and its list go together, as the kinds do', () => {
    const kind = text('AcmeDatabase');
    expect(kind.toLowerCase()).toBe(text('acmedatabase'));
    expect(kind).not.toBe(text('Acmedatabase'));
    expect(text('AcmeDatabaseList')).toBe(`${kind}List`);
  });

  const random = (length: string) => new RegExp(`^[bcdfghjklmnpqrstvwxz2456789]{${length}}$`);
  test.each<[string, string, RegExp]>([
    ['of a word: first a vowel', 'payments', /^[aeiou][a-z]{9}$/],
    ['of a random suffix', 'x7k2p', random('5')],
    ['of a pod-template-hash', '6c4f9d8b7c', random('10')],
    ['of a shorter hash', '54b8cbb8', random('8')],
    ['hides an address', 'ip-10-0-3-17', /^ip-[a-z]{10}$/],
    ["hides a server's address", 'https://203.0.113.7:6443', /^https:\/\/[a-z]{10}:6443$/],
    ['hides an account', '123456789012', /^[a-z]{10}$/],
    ['replaces every script', 'größe/カート', /^[a-z]{10}\/[a-z]{10}$/],
  ])('%s: %s', (_, word, looks) => {
    expect(text(word)).toMatch(looks);
  });

  test('of other words looks like no random suffix', () => {
    for (const word of ['orders', 'grpcs7x', 'ab2de', 'recommendations']) {
      expect(text(word)).not.toMatch(random('5|8|9|10'));
    }
  });

  test('of a short word is as long, and no two of them meet', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const words = letters.flatMap((first) => letters.map((second) => first + second));
    const made = words.map(text);
    expect(made.every((one) => one.length === 2)).toBe(true);
    expect(new Set(made).size).toBe(words.length);
  });

  test('hides uids, in small letters or large', () => {
    const uid = text('8C1F5E0E-2b0f-4f0e-9d55-0a1b2c3d4e5f');
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(text('8c1f5e0e-2b0f-4f0e-9d55-0a1b2c3d4e5f')).toBe(uid);
  });
});

test('a redacted snapshot leaves out fields that are not declared', () => {
  const known = { nodeName: 'secret-node', phase: 'Running' };
  const facts = { ...known, invented: 'secret' } as ObjectFacts;
  const snapshot = { ...snapshotOf([{ ...pod('secret'), facts }]), invented: 'secret' };
  const redacted = redactSnapshot(snapshot, pseudonyms);
  expect(JSON.stringify(redacted)).not.toContain('invented');
  expect(redacted.records[0]?.facts).toEqual({ nodeName: text('secret-node'), phase: 'Running' });
});

const problemReasons = Object.keys({
  ...{
    forbidden: true,
    unavailable: true,
    unlistable: true,
    'discovery-failed': true,
    'timed-out': true,
  },
  ...{ unreadable: true, 'not-an-object': true, 'unknown-kind': true, 'no-uid': true },
  ...{ 'duplicate-uid': true, truncated: true, 'not-in-input': true },
} satisfies Record<ProblemReason, true>) as ProblemReason[];

/** A value of each form that names nothing of a cluster. */
const examples: Record<Exclude<Form['form'], 'list' | 'object'>, unknown> = {
  text: 'default',
  'string-or-empty': 'default',
  time: '2026-11-22T12:00:00Z',
  'micro-time': '2026-11-22T12:00:00.000000Z',
  integer: 1,
  seconds: 1,
  'non-zero': 1,
  'true-only': true,
  'optional-bool': true,
  'is-set': true,
  labels: { app: 'default' },
  'plain-selector': { matchLabels: { app: 'default' } },
  certificate: { notAfter: '2026-11-22T12:00:00Z' },
};

function exampleOf(form: Form): unknown {
  if (form.form === 'list') return [exampleOf(form.of)];
  if (form.form !== 'object') return examples[form.form];
  const [field] = form.fields;
  return form.unwrapped && field ? exampleOf(field.shape) : factsIn(form.fields);
}

function factsIn(fields: readonly NamedField[]): object {
  return Object.fromEntries(fields.map(({ key, shape }) => [key, exampleOf(shape)]));
}

test('a snapshot in which no word is a name stays as it is, with each field that is saved', () => {
  const time = '2026-11-22T12:00:00Z';
  const place = { path: 'default.yaml', line: 3 };
  const problems = problemReasons.map((reason) => ({
    reason,
    message: `pods in namespace default could not be read: ${reason}`,
    ...{ resource: 'pods', apiVersion: 'v1', namespace: 'default', name: 'default', ...place },
    ...{ verb: 'list' as const, status: 500 },
  }));
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'default', uid: '1' };
  const own = {
    labels: { app: 'default' },
    annotations: { 'helm.sh/hook': 'default' },
    finalizers: ['orphan'],
    resourceVersion: '12345678901234567890',
    ...{ creationTimestamp: time, deletionTimestamp: time, deletionGracePeriodSeconds: 30 },
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
    writers: [{ uid: '1', manager: 'kubectl', operation: 'Update', time }],
    place,
  };
  const kinds = builtInTypes.filter((type) => factFieldsOf(type) !== undefined);
  const records = kinds.map((type, index) =>
    objectOfType(type, 'default', {
      ...own,
      namespace: type.namespaced ? 'default' : '',
      uid: `${index + 1}`,
      facts: factsIn(factFieldsOf(type) ?? []),
    }),
  );
  const token = { secretType: 'bootstrap.kubernetes.io/token', expiration: time };
  const programs = Object.entries(settingsTable()).map(([component, definitions]) => {
    const flags = ['feature-gates', ...definitions.flatMap(({ flag }) => flag ?? [])];
    const fields = definitions.flatMap(({ field }) => field ?? []);
    const known = Object.fromEntries(fields.map((name) => [name, 'default']));
    const periods = Object.fromEntries(evictionSignals.map((one) => [one, '1m']));
    const thresholds = { mergeDefaultEvictionSettings: true, evictionSoftGracePeriod: periods };
    const configured = { ...known, ...thresholds, featureGates: { SomeGate: true } };
    return {
      ...{ component, instance: 'default', readFrom: 'static pod', version: 'v1.36.3' },
      commandLine: { flags: Object.fromEntries(flags.map((name) => [name, ['default']])) },
      configuration: { source: 'configz', fields: configured, problems: [] },
    };
  });
  const saved: Snapshot = {
    ...snapshotOf([
      ...records,
      secret('default', { namespace: 'default', uid: '0', facts: token }),
    ]),
    observedFrom: time,
    serverVersion: 'v1.36.3',
    origin: { kind: 'files', paths: ['default.yaml'] },
    coverage: {
      read: [{ resource: 'pods' }, { resource: 'jobs.batch', namespaces: ['default'] }],
      asked: [{ resource: 'pods', namespace: 'default', name: 'default' }],
      problems,
    },
    types: new ResourceTypes(builtInTypes, {
      failed: [{ group: 'apps', version: 'v1', message: 'discovery of apps/v1 failed' }],
      exhaustive: true,
    }),
    evidence: {
      settings: {
        observedAt: time,
        serverVersion: 'v1.36.3',
        components: Object.keys(settingsTable()),
        programs,
        leader: { kind: 'unknown', because: 'unreadable', elsewhere: true },
        problems,
      },
    },
  };
  const read = decodeSnapshot(JSON.parse([...encodeSnapshot(saved, crc32)].join('')));
  const expected = { ...read, records: read.records.toSorted(byContent) };
  expect(redactSnapshot(saved, pseudonyms)).toEqual(expected);
});

test('a name is hidden wherever it stands, also under a word that stays as it is elsewhere', () => {
  const freely = { schedule: 'payments', gates: 'payments', '/spec/schedule': 'payments' };
  const told = deployment('payments', {
    labels: freely,
    resourceVersion: 'payments',
    facts: { selector: { matchLabels: freely } },
  });
  const evidence = {
    fieldManagers: { payments: [{ manager: 'payments', gates: freely, payments: 'payments' }] },
    payments: [freely],
  };
  const redacted = redactSnapshot({ ...snapshotOf([told]), evidence }, pseudonyms);
  expect(JSON.stringify(redacted)).not.toContain('payments');
});

test('a redacted snapshot keeps settings, field managers and answers to known questions', () => {
  const kept = {
    'terminated-pod-gc-threshold': ['100'],
    'node-monitor-grace-period': ['1m30s'],
    controllers: ['*,-ttl-after-finished-controller,bootstrapsigner'],
  };
  const component = 'kube-controller-manager';
  const instance = `${component}-payments-1`;
  const program = {
    ...{ component, instance, readFrom: 'static pod', version: 'v1.36.3' },
    commandLine: { flags: { ...kept, 'cluster-name': ['payments'] } },
  };
  const [query] = savedQueries;
  const readAt = '2026-11-22T12:00:00Z';
  const finalizer = 'v:"payments.io/x"';
  const managersOf = (uid: string, finalizer: string) => {
    const fieldsV1 = { 'f:metadata': { 'f:finalizers': { [finalizer]: {} } } };
    return { [uid]: [{ manager: 'kubectl', fieldsV1 }] };
  };
  const answerOf = (key: string, reason: string) => ({
    key,
    readAt,
    value: { allowed: true, reason },
  });
  const evidence: Evidence = {
    settings: {
      ...{ observedAt: readAt, components: [component], programs: [program] },
      leader: { kind: 'unknown', because: 'Lease of payments: forbidden' },
      problems: [],
    },
    nodes: [{ name: 'payments' }],
    fieldManagers: managersOf('payments', finalizer),
    answers: [answerOf(query ? queryKey(query) : '', 'payments'), answerOf('payments', '')],
  };
  const redacted = redactSnapshot({ ...snapshotOf([]), evidence }, pseudonyms);
  expect(JSON.stringify(redacted)).not.toContain('payments');
  const { settings, ...others } = redacted.evidence ?? {};
  expect(settings).toMatchObject({
    components: [component],
    programs: [{ component, instance: text(instance), commandLine: { flags: kept } }],
  });
  expect(others).toEqual({
    fieldManagers: managersOf(text('payments'), text(finalizer)),
    answers: [answerOf(query ? queryKey(query) : '', text('payments'))],
  });
});

describe('snapshot save --redact', () => {
  const cluster = 'examples/clusters/shop.json.gz';

  test('takes other pseudonyms each time', async () => {
    const saves = ['a', 'b'].map((name) => join(folder, `${name}.json`));
    for (const path of saves) {
      expect(await gcHere(`snapshot save ${path} --redact --from ${cluster}`)).toEqual({
        code: 0,
        stdout: '',
        stderr: `Saved 360 objects to ${path}.\n`,
      });
    }
    const [one = '', other = ''] = saves.map((path) => readFileSync(path, 'utf8'));
    expect(one).not.toContain('payments');
    expect(one).not.toBe(other);
  });
});
