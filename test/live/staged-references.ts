import {
  FOREGROUND,
  type ObjectRecord,
  type OwnerReference,
} from '../../src/kube/object-record.ts';
import {
  autoscaler,
  type Build,
  blocking,
  builderOf,
  clusterRole,
  configMap,
  event,
  gadget,
  node,
  ownedBy,
  ownedByGone,
  pod,
  secret,
  widget,
} from '../support/builders.ts';

/** An object with references, and what else is there. */
export interface StagedCase {
  readonly subject: ObjectRecord;
  readonly others: readonly ObjectRecord[];
  /** Deleted once the collector has settled, to see whether the subject blocks it. */
  readonly later?: { readonly delete: ObjectRecord; readonly policy: string };
}

/** What a reference may lead to, by the word for it, and its name. */
const living: Readonly<Record<string, readonly [Build, string]>> = {
  owner: [secret, 'owner'],
  other: [secret, 'other'],
  near: [secret, 'near'],
  far: [secret, 'owner'],
  rack: [gadget, 'rack'],
  gadget: [gadget, 'owner'],
  widget: [widget, 'owner'],
  event: [event, 'owner'],
  scaler: [autoscaler, 'owner'],
  account: [builderOf('v1', 'ServiceAccount'), 'owner'],
};
const subjects = [configMap, pod, widget, clusterRole, event, gadget, secret, node];

/**
 * Puts a case where those of no other case are: `Pod: owner blocks; v1 Secret gone` is a Pod with references to an owner that
 * lives and to a Secret that does not. Without a kind it is a ConfigMap. Fields of a reference are changed by `name=nobody`;
 * `+near` is there without a reference, and `later` names what is deleted then: `Foreground owner`.
 */
export function stagedOf(title: string, text: string, later = ''): StagedCase {
  const put = (build: Build, name: string, ownerReferences: readonly OwnerReference[] = []) => {
    const plain = build(name, { namespace: title, ownerReferences });
    return plain.type.namespaced ? plain : build(`${title}-${name}`, { ownerReferences });
  };
  const [, kind = 'ConfigMap', rest = ''] = /^(?:(\w+): )?(.*)$/.exec(text) ?? [];
  const build = subjects.find((one) => one('').type.kind === kind) ?? configMap;
  const there = new Map<string, ObjectRecord>([['self', put(build, 'subject')]]);
  const find = (word: string) => {
    const [known, name] = living[word] ?? [];
    if (known && name && !there.has(word)) {
      const elsewhere = { namespace: `${title}-elsewhere`, ownerReferences: [] };
      there.set(word, word === 'far' ? known(name, elsewhere) : put(known, name));
    }
    return there.get(word);
  };
  const words = rest.split('; ');
  const [, size] = /^ring (\d)/.exec(rest) ?? [];
  for (let index = 1; index < Number(size); index++)
    there.set(`ring-${index}`, put(configMap, `ring-${index}`));
  const references = words.flatMap((word) => {
    const [first = '', ...more] = word.split(' ');
    if (first === 'ring' || word === 'held' || word === 'left by its Job') return [];
    const owner = find(first.replace('+', ''));
    if (first.startsWith('+')) return [];
    const changes = changesIn(more);
    return owner ? ownedBy(owner, changes) : ownedByGone(word, changes);
  });
  const left = words.includes('left by its Job') && { labels: labelsOfJob };
  const held = words.includes('held') && { finalizers: ['shop.example.com/hold'] };
  const ring = size === undefined ? [] : [...there.values()];
  const going = rest.endsWith(' deleted') && {
    finalizers: [FOREGROUND],
    deletionTimestamp: '2026-01-02T00:00:00Z',
  };
  const linked = ring.map((record, index) => {
    const owner = ring[(index + 1) % ring.length] ?? record;
    return { ...record, ...going, ownerReferences: [ownedBy(owner, changesIn(rest.split(' ')))] };
  });
  const subject = linked[0] ?? { ...put(build, 'subject', references), ...left, ...held };
  there.set('self', subject);
  const [policy = '', target = ''] = later.split(' ');
  const end = there.get(target);
  return {
    subject,
    others: size === undefined ? [...there.values()].slice(1) : linked.slice(1),
    ...(end && { later: { delete: end, policy } }),
  };
}

function changesIn(words: readonly string[]): Partial<OwnerReference> {
  const fields = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  return {
    ...Object.fromEntries(fields),
    ...(words.includes('blocks') && blocking),
    ...(words.includes('controls') && { controller: true }),
  };
}

const labelsOfJob = {
  'batch.kubernetes.io/controller-uid': 'uid-of-job',
  'batch.kubernetes.io/job-name': 'import',
};
