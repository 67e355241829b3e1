import { describe, expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import { withChoice } from '../../../src/audit/rules/gone-owner.ts';
import type { FieldManager, ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { invalidReferencesReport } from '../../../src/output/documents/invalid-references.ts';
import {
  configMap,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
} from '../../support/builders.ts';

const gone = ownedByGone('apps/v1 ReplicaSet gone');

function report(records: readonly ObjectRecord[], options: SnapshotOptions = {}) {
  const graph = graphOf(records, options);
  return invalidReferencesReport(graph, findInvalidReferences(graph));
}

function writer(manager: string, time: string | undefined, uid = gone.uid): FieldManager {
  return { uid, manager, operation: 'Update', time };
}

test('an item tells class, consequences, reason, fix and writer, and what may be meant', () => {
  const record = pod('web-1', {
    ownerReferences: [gone],
    writers: [writer('kubectl', '2026-01-01T00:00:00Z')],
  });
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'shop',
    name: 'web-1',
    uid: 'uid-pod-shop-web-1',
  };
  const ends = 'the garbage collector deletes it';
  const kept =
    'remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it';
  const { coverage, ...rest } = report([record]);
  expect(coverage.complete).toBe(true);
  expect(rest).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'InvalidOwnerReferences',
    items: [
      {
        class: 'missing-owner',
        object,
        reference: gone,
        consequences: ['deleted on the next pass'],
        rule: 'GC-22.13',
        because: 'there is no ReplicaSet gone in namespace shop',
        fix: `let it go: ${ends}; or keep it: ${kept}`,
        choice: 'let-go',
        choices: { 'let-go': ends, keep: kept },
        writer: writer('kubectl', '2026-01-01T00:00:00Z'),
      },
    ],
    patches: [],
    unknown: [],
  });
});

test('a patch tests uid and references of the object, and removes what it is kept without', () => {
  const record = pod('web-1', { ownerReferences: [gone] });
  const graph = graphOf([record]);
  const findings = findInvalidReferences(graph).map((finding) => withChoice(finding, 'keep'));
  const object = referenceTo(record);
  expect(invalidReferencesReport(graph, findings, () => true).patches).toEqual([
    {
      object,
      patch: [
        { op: 'test', path: '/metadata/uid', value: object.uid },
        {
          op: 'test',
          path: '/metadata/ownerReferences',
          value: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: gone.uid }],
        },
        { op: 'remove', path: '/metadata/ownerReferences' },
      ],
    },
  ]);
});

describe('the writer of a reference', () => {
  const written = (...writers: FieldManager[]) => {
    const [item] = report([pod('web-1', { ownerReferences: [gone], writers })]).items;
    return item?.writer?.manager;
  };

  test('is the manager that set it last', () => {
    expect(
      written(
        writer('helm', '2026-01-02T00:00:00Z'),
        writer('kubectl', '2026-01-03T00:00:00Z'),
        writer('operator', '2026-01-01T00:00:00Z'),
      ),
    ).toBe('kubectl');
  });

  test('is one with a time rather than one without', () => {
    expect(written(writer('helm', '2026-01-02T00:00:00Z'), writer('kubectl', undefined))).toBe(
      'helm',
    );
    expect(written(writer('kubectl', undefined))).toBe('kubectl');
  });

  test('is no field manager that set another reference', () => {
    expect(written(writer('helm', '2026-01-02T00:00:00Z', 'uid-other'))).toBeUndefined();
    expect(written()).toBeUndefined();
  });

  test('may be given by a caller that looked it up', () => {
    const graph = graphOf([pod('web-1', { ownerReferences: [gone] })]);
    const { items } = invalidReferencesReport(
      graph,
      findInvalidReferences(graph),
      () => true,
      () => [writer('velero-server', undefined)],
    );
    expect(items.map((item) => item.writer?.manager)).toEqual(['velero-server']);
  });

  test('is not told where a finding is about no single reference', () => {
    const owners = [replicaSet('blue'), replicaSet('green')];
    const ownerReferences = owners.map((owner) => ownedBy(owner, { controller: true }));
    const [item] = report([
      pod('p', { ownerReferences, writers: [writer('x', undefined)] }),
      ...owners,
    ]).items;
    expect(Object.keys(item ?? {})).toEqual([
      'class',
      'object',
      'consequences',
      'rule',
      'because',
      'fix',
    ]);
  });
});

test('what could not be judged is listed separately', () => {
  const unread = ownedByGone('v1 Secret vault');
  const records = [pod('web-1', { ownerReferences: [unread] }), configMap('free')];
  const { items, unknown, patches } = report(records, { unread: ['secrets'] });
  expect([items, patches]).toEqual([[], []]);
  expect(unknown).toEqual([
    {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'shop',
        name: 'web-1',
        uid: 'uid-pod-shop-web-1',
      },
      reference: unread,
      because: 'Secret objects in namespace shop were not read',
    },
  ]);
});

test('and that is limited to the scope as well', () => {
  const ownerReferences = [ownedByGone('v1 Secret vault')];
  const records = [
    pod('web-1', { ownerReferences }),
    pod('x', { namespace: 'bank', ownerReferences }),
  ];
  const graph = graphOf(records, { unread: ['secrets'] });
  const { unknown } = invalidReferencesReport(graph, [], ({ namespace }) => namespace === 'bank');
  expect(unknown.map(({ object }) => object.name)).toEqual(['x']);
});
