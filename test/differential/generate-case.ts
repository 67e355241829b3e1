import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
import { type Choose, chooser } from './choose.ts';
import { generateRequests } from './generate-requests.ts';
import { type GeneratedKind, kinds } from './generated-kinds.ts';

/** A case before anybody played it. */
export interface GeneratedCase {
  readonly id: string;
  readonly namespaces: readonly string[];
  readonly objects: readonly KubeObject[];
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

export interface CaseOptions {
  /** Also delete namespaces, for which the namespace controller must run. */
  readonly namespaces: boolean;
  /** The next uid; others every time where it is left out, as a garbage collector remembers those that were absent. */
  readonly uid?: () => string;
}

const styles = ['tree', 'dag', 'tangle', 'cycle'] as const;

/** The case that belongs to a seed. */
export function generateCase(seed: number, options: CaseOptions): GeneratedCase {
  const { uid = randomUUID } = options;
  const choose = chooser(randomFrom(seed));
  const id = `d${seed}`;
  const namespaces = [`${id}-a`, `${id}-b`];
  const style = choose.one(styles);
  const drafts: Draft[] = [];
  const count = choose.between(3, 14);
  for (let index = 0; index < count; index++) {
    const kind = choose.one(kinds);
    const namespace = kind.namespaced ? (choose.chance(0.75) ? namespaces[0] : namespaces[1]) : '';
    drafts.push({
      kind,
      namespace: namespace ?? '',
      name: `${id}-o${index}`,
      uid: uid(),
      references: [],
    });
  }
  drafts.forEach((draft, index) => {
    const candidates = style === 'tree' || style === 'dag' ? drafts.slice(0, index) : drafts;
    const most = style === 'tree' ? 1 : 4;
    const wanted = candidates.length === 0 ? 0 : choose.between(0, most);
    for (let n = 0; n < wanted; n++)
      draft.references.push(referenceTo(draft, candidates, choose, uid));
    if (style === 'cycle' && drafts.length > 1) {
      const next = drafts[(index + 1) % drafts.length];
      if (next && choose.chance(0.6)) draft.references.push(plainReference(next, choose));
    }
    if (draft.references.filter(({ controller }) => controller).length > 1) {
      for (const reference of draft.references.slice(1)) delete reference.controller;
    }
  });
  const objects = drafts.map((draft, index) => objectOf(draft, index, choose));
  const requests = generateRequests(objects, namespaces, choose, options);
  return { id, namespaces, objects, requests };
}

interface Reference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

interface Draft {
  readonly kind: GeneratedKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly references: Reference[];
}

function plainReference(owner: Draft, choose: Choose): Reference {
  const blocking = choose.one([true, true, false, undefined, undefined]);
  return {
    apiVersion: owner.kind.apiVersion,
    kind: owner.kind.kind,
    name: owner.name,
    uid: owner.uid,
    ...(blocking !== undefined && { blockOwnerDeletion: blocking }),
    ...(choose.chance(0.2) && { controller: true }),
  };
}

/** Mostly right, to an owner that the dependent may have; sometimes wrong in one of many ways. */
function referenceTo(
  dependent: Draft,
  candidates: readonly Draft[],
  choose: Choose,
  uid: () => string,
): Reference {
  const proper = candidates.filter(
    ({ namespace }) => namespace === '' || namespace === dependent.namespace,
  );
  const owner = choose.one(choose.chance(0.88) && proper.length > 0 ? proper : candidates);
  const reference = plainReference(owner, choose);
  switch (choose.chance(0.82) ? 'right' : choose.one(mistakes)) {
    case 'uid':
      return { ...reference, uid: uid() };
    case 'name':
      return { ...reference, name: `${owner.name}-renamed` };
    case 'gone':
      return { ...reference, name: `${owner.name}-gone`, uid: uid() };
    case 'unserved-kind':
      return { apiVersion: 'gone.example.com/v1', kind: 'Gone', name: 'x', uid: uid() };
    case 'unserved-version':
      return { ...reference, apiVersion: choose.one(['extensions/v1beta1', 'apps/v1beta9']) };
    case 'kind':
      return { ...reference, apiVersion: 'v1', kind: 'Secret' };
    case 'list-kind':
      return { ...reference, apiVersion: 'v1', kind: 'PodList' };
    case 'lower-case':
      return { ...reference, kind: owner.kind.kind.toLowerCase() };
    default:
      return reference;
  }
}

const mistakes = [
  'uid',
  'name',
  'gone',
  'gone',
  'unserved-kind',
  'unserved-version',
  'kind',
  'list-kind',
  'lower-case',
] as const;

function objectOf(draft: Draft, index: number, choose: Choose): KubeObject {
  const { kind, namespace, name, uid, references } = draft;
  const finalizers = choose.chance(0.72)
    ? []
    : choose.one([
        ['example.com/hold'],
        ['orphan'],
        ['foregroundDeletion'],
        ['orphan', 'example.com/hold'],
      ]);
  // A terminating object cannot be without a finalizer, except for a bound pod.
  const terminating = finalizers.length > 0 && choose.chance(0.25);
  const bound = kind.kind === 'Pod' && choose.chance(0.4);
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...kind.body(name, bound ? choose.one(['Pending', 'Running', 'Succeeded']) : undefined),
    metadata: {
      name,
      uid,
      creationTimestamp: `2026-01-01T00:${String(index).padStart(2, '0')}:00Z`,
      ...(namespace !== '' && { namespace }),
      ...(references.length > 0 && { ownerReferences: references }),
      ...(finalizers.length > 0 && { finalizers }),
      ...(terminating && {
        deletionTimestamp: '2026-01-01T01:00:00Z',
        deletionGracePeriodSeconds: 0,
      }),
    },
  };
}
