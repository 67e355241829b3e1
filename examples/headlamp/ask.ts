import { pathWithin } from '../../src/cluster/api-path.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { fieldsListOf, fieldsOf, textOrEmpty, textsOf } from '../../src/kube/json-value.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import {
  groupResourceOf,
  isDeletable,
  isSecretType,
  parseApiVersion,
  type ResourceType,
} from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { isNamespace } from '../../src/kube/well-known-kinds.ts';
import { remarkLines, summaryLines } from '../../src/questions/delete/plan-words.ts';
import type { CoverageProblem } from '../../src/snapshot/coverage.ts';
import { inOrder, type Snapshot } from '../../src/snapshot/snapshot.ts';
import { answerFromSnapshot } from '../../src/why/answer-from-snapshot.ts';
import type { Link } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate, knownOf } from '../../src/why/investigate.ts';

/** Sends a GET as the person who looks at the page, and resolves with its JSON; rejects where that is not permitted. */
export type Get = (path: string) => Promise<unknown>;

/** Kinds that are asked for at the same time. */
const atOnce = 8;

/** What the person may read of what a deletion of this object can touch. */
export async function readFor(get: Get, subject: KubeObject): Promise<Snapshot> {
  const types = await discovered(get);
  const namespace = textOrEmpty(subject.metadata.namespace);
  const home = subject.kind === 'Namespace' ? textOrEmpty(subject.metadata.name) : namespace;
  const deletable = types.preferred().filter(isDeletable);
  const wanted = deletable.filter((type) => !isSecretType(type));
  const records: ObjectRecord[] = [];
  const read: string[] = [];
  const problems: CoverageProblem[] = deletable.filter(isSecretType).map((type) => {
    const resource = groupResourceOf(type);
    return { reason: 'forbidden', resource, message: `the plugin never lists ${resource}` };
  });
  const list = async (type: ResourceType) => {
    const resource = groupResourceOf(type);
    try {
      const answer = await get(pathWithin(type, type.namespaced ? home : ''));
      for (const item of fieldsListOf(fieldsOf(answer).items)) records.push(recordOf(item, type));
      read.push(resource);
    } catch (error) {
      problems.push({ reason: 'forbidden', resource, message: `list ${resource}: ${error}` });
    }
  };
  for (let at = 0; at < wanted.length; at += atOnce)
    await Promise.all(wanted.slice(at, at + atOnce).map(list));
  // Who may not list its kind still sees the page of the object.
  const { group = '' } = parseApiVersion(subject.apiVersion) ?? {};
  const own = types.ofKind(group, subject.kind);
  if (own && !read.includes(groupResourceOf(own))) records.push(recordOf(subject, own));
  return inOrder({
    records,
    types,
    coverage: { read: read.map((resource) => ({ resource })), asked: [], problems },
    observedAt: new Date().toISOString().replace(/\.\d+/, ''),
    serverVersion: undefined,
    origin: { kind: 'cluster', server: '' },
  });
}

async function discovered(get: Get): Promise<ResourceTypes> {
  const groups = fieldsListOf(fieldsOf(await get('/apis')).groups).map((group) =>
    textOrEmpty(fieldsOf(group.preferredVersion).groupVersion),
  );
  const versions = ['v1', ...groups];
  const all = await Promise.all(
    versions.map(async (apiVersion) => {
      const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
      const answer = await get(path).catch(() => undefined);
      return fieldsListOf(fieldsOf(answer).resources).flatMap((one) => typeOf(apiVersion, one));
    }),
  );
  return new ResourceTypes(all.flat(), { exhaustive: true });
}

function typeOf(apiVersion: string, one: Readonly<Record<string, unknown>>): ResourceType[] {
  const resource = textOrEmpty(one.name);
  if (resource.includes('/')) return [];
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return [
    {
      ...{ group, version, resource, kind: textOrEmpty(one.kind) },
      singular: textOrEmpty(one.singularName),
      shortNames: textsOf(one.shortNames),
      categories: textsOf(one.categories),
      namespaced: one.namespaced === true,
      verbs: textsOf(one.verbs),
    },
  ];
}

function recordIn({ records }: Snapshot, { metadata }: KubeObject): ObjectRecord | undefined {
  return records.find(({ uid }) => uid === metadata.uid);
}

const plain = { colour: false, width: undefined, now: 0 };

/** What is deleted with an object: the lines of `kubectl gc delete --preview`. */
export function deletedWith(snapshot: Snapshot, subject: KubeObject): readonly string[] {
  const target = recordIn(snapshot, subject);
  if (!target) return ['It does not exist any more.'];
  const context = { now: Date.now(), settings: {}, cluster: { server: '', uid: '' } };
  const intent = { targets: [target], policy: 'Background' } as const;
  const plan: Plan = planDeletion(snapshot, intent, context);
  const elsewhere = target.namespace === '' && !isNamespace(target);
  return [
    ...summaryLines(plan, plain),
    ...remarkLines(plan.remarks, plain),
    ...(elsewhere ? ['Of namespaced kinds, objects in all namespaces were read.'] : []),
    'The plugin never reads Secrets.',
  ];
}

/** Why an object is still there: the lines of `kubectl gc why`. */
export async function whyThere(snapshot: Snapshot, subject: KubeObject): Promise<string[]> {
  const target = recordIn(snapshot, subject);
  if (!target) return ['It does not exist any more.'];
  const now = Date.now();
  const { finding } = await investigate(
    knownOf(snapshot, now),
    (inquiry) => diagnose(inquiry, target),
    answerFromSnapshot(snapshot),
  );
  return linesOf(finding, 0);
}

function linesOf({ object, because, links }: Link, depth: number): string[] {
  const line = `${'  '.repeat(depth)}${object.kind} ${object.name}: ${because}`;
  return [line, ...links.flatMap((one) => linesOf(one, depth + 1))];
}
