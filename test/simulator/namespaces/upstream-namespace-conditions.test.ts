import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/kube/object-record.ts';
import {
  type ContentFindings,
  namespaceConditions,
} from '../../../src/simulator/namespaces/namespace-conditions.ts';
import { rowsOf } from '../../support/rows.ts';

const now = '2026-01-03T00:00:00Z';
const earlier = '2026-01-01T00:00:00Z';
const nothing: ContentFindings = {
  discoveryErrors: [],
  contentErrors: [],
  remaining: new Map(),
  finalizers: new Map(),
};

type Fine = Condition & { readonly type: string };
const fine = rowsOf(`
  NamespaceDeletionDiscoveryFailure           | ResourcesDiscovered    | All resources successfully discovered
  NamespaceDeletionGroupVersionParsingFailure | ParsedGroupVersions    | All legacy kube types successfully parsed
  NamespaceDeletionContentFailure             | ContentDeleted         | All content successfully deleted, may be waiting on finalization
  NamespaceContentRemaining                   | ContentRemoved         | All content successfully removed
  NamespaceFinalizersRemaining                | ContentHasNoFinalizers | All content-preserving finalizers finished
`).map(([type = '', reason, message]) => ({ type, status: 'False', reason, message }));
const [discovery, parsing, content, remaining, finalizers] = fine as [Fine, Fine, Fine, Fine, Fine];

const at = (lastTransitionTime: string, ...conditions: Condition[]) =>
  conditions.map((condition) => ({ ...condition, lastTransitionTime }));
const failed = (type: string): Condition => ({ type, status: 'True', lastTransitionTime: earlier });
const failure = (message: string) => ({
  type: 'NamespaceDeletionContentFailure',
  status: 'True',
  reason: 'ContentDeletionFailed',
  message: `Failed to delete all resource types, 1 remaining: ${message}`,
});

// Upstream overwrites and adds a failure of parsing, which no version since can have: another
// failure stands for it here.
describe('UpdateConditions', () => {
  const barred = { ...nothing, contentErrors: ['bar'] };
  const bar = failure('bar');
  const unknown = failed('unknown');
  const [isUndiscovered, isUnparsed] = [failed(discovery.type), failed(parsing.type)];
  const all = at(now, discovery, parsing, content, remaining, finalizers);
  test.each<[string, Condition[], ContentFindings, Condition[]]>([
    ['leave unknown', [unknown], nothing, [unknown, ...all]],
    ['replace with success', [isUndiscovered], nothing, all],
    [
      'leave different order',
      [isUnparsed, isUndiscovered],
      nothing,
      at(now, parsing, discovery, content, remaining, finalizers),
    ],
    [
      'overwrite with failure',
      [...at(earlier, content), isUndiscovered],
      barred,
      at(now, bar, discovery, parsing, remaining, finalizers),
    ],
    [
      'write new failure',
      [isUndiscovered],
      barred,
      at(now, discovery, parsing, bar, remaining, finalizers),
    ],
  ])('%s', (_, before, findings, after) => {
    expect(namespaceConditions(before, findings, now)).toEqual(after);
  });

  test('another message or reason does not make a new transition', () => {
    const [before, after] = [failure('foo'), bar];
    const others = at(earlier, discovery, parsing, remaining, finalizers);
    const changed = namespaceConditions([...at(earlier, before), ...others], barred, now);
    expect(changed).toEqual([...at(earlier, after), ...others]);
    const renamed = [...at(earlier, { ...after, reason: 'Foo' }), ...others];
    expect(namespaceConditions(renamed, barred, now)).toEqual(changed);
    expect(namespaceConditions(changed, barred, now)).toBe(changed);
  });
});

describe('ProcessContentTotals', () => {
  const kinds = new Map([
    ['deployments.apps.example.com', 5],
    ['daemonsets.apps.example.com', 5],
  ]);
  const holders = new Map([
    ['service-catalog', 6],
    ['kubedb', 5],
  ]);
  const some = {
    ...remaining,
    status: 'True',
    reason: 'SomeResourcesRemain',
    message:
      'Some resources are remaining: daemonsets.apps.example.com has 5 resource instances, deployments.apps.example.com has 5 resource instances',
  };
  const held = {
    ...finalizers,
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message:
      'Some content in the namespace has finalizers remaining: kubedb in 5 resource instances, service-catalog in 6 resource instances',
  };
  test.each([
    ['nothing', {}, [remaining, finalizers]],
    ['just remaining', { remaining: kinds }, [some, finalizers]],
    ['just finalizers', { finalizers: holders }, [remaining, held]],
    ['both', { remaining: kinds, finalizers: holders }, [some, held]],
  ])('%s', (_, totals, expected) => {
    expect(namespaceConditions([], { ...nothing, ...totals }, now)).toEqual(
      at(now, discovery, parsing, content, ...expected),
    );
  });
});
