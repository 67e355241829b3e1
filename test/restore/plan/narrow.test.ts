import { describe, expect, test } from 'vitest';
import { parseTargets } from '../../../src/command-line/type-argument.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import type { SavedObject } from '../../../src/restore/backup/saved-object.ts';
import { type BackupSelection, narrow } from '../../../src/restore/plan/narrow.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes } from '../../support/builders.ts';
import { kube, ownedBy, saved } from '../saved.ts';

/** `name`, or `name < what needs it`. */
function narrowed(
  objects: readonly SavedObject[],
  args: readonly string[],
  asked: Partial<BackupSelection> = {},
  types = servedTypes,
): string[] {
  const { targets } = parseTargets(args, servedTypes);
  const wanted = { targets, namespace: undefined, ...asked };
  const left = narrow(objects, wanted, new OwnerLookup(types, objects));
  return left.map(({ name, neededBy }) => (neededBy ? `${name} < ${neededBy.name}` : name));
}

const objects = [
  saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap leaf'))),
  saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app'))),
  saved(kube('v1 ConfigMap leaf', ownedBy('v1 ConfigMap part'))),
  saved(kube('v1 Secret key', ownedBy('v1 ConfigMap part'))),
  saved(kube('v1 Secret other')),
];

test.each([
  [['cm/part'], ['app', 'part', 'leaf', 'key']],
  [['secrets'], ['key', 'other']],
  [['secret', 'other'], ['other']],
  [['secret/nothing'], []],
])('%j: what was named, and everything below it', (args, names) => {
  expect(narrowed(objects, args)).toEqual(names);
});

describe('what a StatefulSet needs', () => {
  const spec = {
    replicas: 1,
    volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    template: { spec: { containers: [{ envFrom: [{ secretRef: { name: 'key' } }] }] } },
  };
  const claim = (name: string, volumeName: string, namespace = 'shop') =>
    saved(kube(`v1 PersistentVolumeClaim ${name}`, { namespace }, { spec: { volumeName } }));
  const all = [
    saved(kube('v1 Namespace shop')),
    saved(kube('apps/v1 StatefulSet db', {}, { spec })),
    saved(kube('apps/v1 ControllerRevision db-1', ownedBy('apps/v1 StatefulSet db'))),
    claim('data-db-0', 'disk-0'),
    // It was scaled down.
    claim('data-db-1', 'disk-1'),
    claim('data-db-x', 'disk-2'),
    claim('data-dbs-0', 'disk-3'),
    ...[0, 1, 2, 3].map((index) => saved(kube(`v1 PersistentVolume disk-${index}`))),
    saved(kube('v1 ServiceAccount default', {}, { imagePullSecrets: [{ name: 'pull' }] })),
    saved(kube('v1 Secret pull')),
    saved(kube('v1 Secret key', ownedBy('example.com/v1 Widget sealed'))),
    saved(kube('example.com/v1 Widget sealed')),
    saved(kube('apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com')),
    saved(kube('v1 Secret other')),
    saved(kube('v1 Secret key', { namespace: 'bank' })),
    claim('data-db-0', 'disk-9', 'bank'),
    saved(kube('v1 ConfigMap data-db-0')),
  ];

  test('is restored with it, and what that needs, and the owners of that', () => {
    const needed = [
      'shop < db',
      'db',
      'db-1',
      'data-db-0 < db',
      'data-db-1 < db',
      'disk-0 < data-db-0',
      'disk-1 < data-db-1',
      'default < db',
      'pull < default',
      'key < db',
    ];
    expect(narrowed(all, ['sts/db'])).toEqual([...needed, 'sealed < key']);
    expect(narrowed(all, ['sts/db'], { withoutOwners: true })).toEqual(needed);
  });

  test('includes the definition of a kind that is not served', () => {
    const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
    expect(narrowed(all, ['sts/db'], {}, bare)).toContain('widgets.example.com < sealed');
  });
});

describe('a namespace', () => {
  const inBank = (text: string, fields: object = {}) =>
    saved(kube(text, { namespace: 'bank' }, fields));
  const spec = { volumeName: 'disk' };
  const all = [
    saved(kube('v1 Namespace bank')),
    saved(kube('v1 Namespace shop')),
    saved(kube('v1 ConfigMap app')),
    inBank('v1 ConfigMap app'),
    inBank('v1 PersistentVolumeClaim data', { spec }),
    saved(kube('v1 PersistentVolume disk')),
    saved(kube('v1 PersistentVolume other')),
  ];
  const placed = (args: readonly string[], namespace: string | undefined) => {
    const { targets } = parseTargets(args, servedTypes);
    const left = narrow(all, { targets, namespace }, new OwnerLookup(servedTypes, all));
    return left.map((one) => `${one.namespace}/${one.name}`);
  };

  test('chooses one of several objects of a name', () => {
    expect(placed(['cm/app'], undefined)).toEqual(['/bank', '/shop', 'shop/app', 'bank/app']);
    expect(placed(['cm/app'], 'bank')).toEqual(['/bank', 'bank/app']);
  });

  test('alone means all that is in it, and what that needs', () => {
    expect(placed([], 'bank')).toEqual(['/bank', 'bank/app', 'bank/data', '/disk']);
    expect(placed([], 'nowhere')).toEqual([]);
  });

  test('hides no cluster-scoped object that is named', () => {
    expect(placed(['pv/other'], 'bank')).toEqual(['/other']);
  });
});
