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
  test('leave unknown', () => {
    const unknown = failed('unknown');
    expect(namespaceConditions([unknown], nothing, now)).toEqual([
      unknown,
      ...at(now, discovery, parsing, content, remaining, finalizers),
    ]);
  });

  test('replace with success', () => {
    expect(namespaceConditions([failed(discovery.type)], nothing, now)).toEqual(
      at(now, discovery, parsing, content, remaining, finalizers),
    );
  });

  test('leave different order', () => {
    const before = [failed(parsing.type), failed(discovery.type)];
    expect(namespaceConditions(before, nothing, now)).toEqual(
      at(now, parsing, discovery, content, remaining, finalizers),
    );
  });

  test('overwrite with failure', () => {
    const before = [...at(earlier, content), failed(discovery.type)];
    const findings = { ...nothing, contentErrors: ['bar'] };
    expect(namespaceConditions(before, findings, now)).toEqual(
      at(now, failure('bar'), discovery, parsing, remaining, finalizers),
    );
  });

  test('write new failure', () => {
    const findings = { ...nothing, contentErrors: ['bar'] };
    expect(namespaceConditions([failed(discovery.type)], findings, now)).toEqual(
      at(now, discovery, parsing, failure('bar'), remaining, finalizers),
    );
  });

  test('another message or reason does not make a new transition', () => {
    const findings = { ...nothing, contentErrors: ['bar'] };
    const [before, after] = [failure('foo'), failure('bar')];
    const others = at(earlier, discovery, parsing, remaining, finalizers);
    const changed = namespaceConditions([...at(earlier, before), ...others], findings, now);
    expect(changed).toEqual([...at(earlier, after), ...others]);
    const renamed = [...at(earlier, { ...after, reason: 'Foo' }), ...others];
    expect(namespaceConditions(renamed, findings, now)).toEqual(changed);
    expect(namespaceConditions(changed, findings, now)).toBe(changed);
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
