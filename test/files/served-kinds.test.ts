import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { apiVersionOf, groupResourceOf } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { customType, pod, snapshotOf, widget, widgets } from '../support/builders.ts';
import { type Shown, showFile, showFolder } from './temp-folder.ts';

/** `widgets.example.com/v1 Widget namespaced`: the types beyond the built-in ones. */
function addedTypes({ snapshot }: Shown): string[] {
  const known = new Set(builtInTypes.map((type) => `${apiVersionOf(type)} ${type.kind}`));
  return snapshot.types.all
    .filter((type) => !known.has(`${apiVersionOf(type)} ${type.kind}`))
    .map((type) => {
      const scope = type.namespaced ? 'namespaced' : 'cluster';
      return `${groupResourceOf(type)}/${type.version} ${type.kind} ${scope}`;
    });
}

const crd = (spec: object, status?: object, version = 'v1'): string =>
  `${JSON.stringify({
    apiVersion: `apiextensions.k8s.io/${version}`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com', uid: 'uid-crd' },
    spec: { group: 'example.com', names: { kind: 'Widget', plural: 'widgets' }, ...spec },
    status,
  })}\n`;
const object = (apiVersion: string, kind: string, metadata: object): string =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name: 'a', ...metadata } })}\n`;
const served = (...names: string[]): object[] => names.map((name) => ({ name, served: true }));

describe('the kinds that fromFiles takes for served', () => {
  test('are the built-in ones', async () => {
    const shown = await showFile('x', object('v1', 'Node', { uid: 'u' }));
    expect(shown.snapshot.types.all).toEqual(builtInTypes);
    expect(shown.snapshot.types.exhaustive).toBe(false);
  });

  test('are others when the caller says so', async () => {
    const shown = await showFolder(
      { x: object('example.com/v1', 'Widget', { uid: 'u', namespace: 'shop' }) },
      { paths: ['x'], builtInTypes: [widgets] },
    );
    expect(shown.snapshot.types.all).toEqual([widgets]);
    expect(shown.snapshot.records[0]?.type).toBe(widgets);
  });

  test('come from definitions, wherever these stand, all served versions in their rank', async () => {
    const names = {
      kind: 'Widget',
      plural: 'widgets',
      singular: 'wid',
      shortNames: ['wg'],
      categories: ['all'],
    };
    const versions = [
      ...served('v1alpha1', 'v10', 'v2beta1', 'v1', 'foo1', 'v11alpha2', 'v2beta10', 'foo10', 'v2'),
      { name: 'v3', served: false },
    ];
    const shown = await showFile(
      'x',
      object('example.com/v1', 'Widget', { namespace: 'shop', uid: 'u' }) +
        crd({ scope: 'Namespaced', names, versions }),
    );
    expect(addedTypes(shown)).toEqual(
      'v10 v2 v1 v2beta10 v2beta1 v11alpha2 v1alpha1 foo1 foo10'
        .split(' ')
        .map((version) => `widgets.example.com/${version} Widget namespaced`),
    );
    expect(shown.snapshot.records[0]?.type).toEqual({
      ...widgets,
      singular: 'wid',
      shortNames: ['wg'],
      categories: ['all'],
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    });
    expect(shown.problems).toEqual([]);
  });

  test('come from definitions in v1beta1', async () => {
    const spec = { scope: 'Cluster', version: 'v1' };
    expect(addedTypes(await showFile('x', crd(spec, undefined, 'v1beta1')))).toEqual([
      'widgets.example.com/v1 Widget cluster',
      'customresourcedefinitions.apiextensions.k8s.io/v1beta1 CustomResourceDefinition cluster',
    ]);
  });

  test('lack what a definition does not serve', async () => {
    const spec = { scope: 'Cluster', versions: served('v1') };
    const condition = (type: string, status: string): object => ({
      conditions: [{ type, status }],
    });
    expect(addedTypes(await showFile('x', crd(spec, condition('Established', 'False'))))).toEqual(
      [],
    );
    expect(addedTypes(await showFile('x', crd({ names: {} })))).toEqual([]);
    expect(addedTypes(await showFile('x', crd({ scope: 'Cluster' })))).toEqual([]);
    const terminating = await showFile('x', crd(spec, condition('Terminating', 'True')));
    expect(terminating.snapshot.types.find('example.com/v1', 'Widget')?.verbs.join(' ')).toBe(
      'delete deletecollection get list watch',
    );
  });

  test('make an object cluster-scoped whatever namespace it claims', async () => {
    const shown = await showFile(
      'x',
      object('example.com/v1', 'Widget', { namespace: 'shop', uid: 'u' }) +
        crd({ scope: 'Cluster', versions: served('v1') }),
    );
    expect(shown.objects).toEqual([
      'x:1 example.com/v1 Widget a',
      'x:2 apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com',
    ]);
  });

  test('are inferred from objects that nothing defines', async () => {
    const shown = await showFile(
      'x',
      [
        object('example.com/v1', 'Proxy', { namespace: 'shop', uid: '1' }),
        object('example.com/v1', 'Proxy', { name: 'b', uid: '2' }),
        object('example.com/v1', 'Class', { uid: '3' }),
        object('example.com/v1', 'MyEndpoints', { uid: '4' }),
        object('apps/v1beta1', 'Deployment', { uid: '5' }),
        object('other.com/v1', 'Gadget', { uid: '' }),
        object('other.com/v1', 'Gadget', { name: 'b' }),
        object('other.com/v1', 'Single', {}),
      ].join(''),
    );
    expect(addedTypes(shown)).toEqual([
      'deployments.apps/v1beta1 Deployment namespaced',
      'classes.example.com/v1 Class cluster',
      'myendpoints.example.com/v1 MyEndpoints cluster',
      'proxies.example.com/v1 Proxy namespaced',
      'gadgets.other.com/v1 Gadget cluster',
      'singles.other.com/v1 Single cluster',
    ]);
    expect(shown.problems).toEqual(['no-uid x', 'unknown-kind x:6', 'unknown-kind x:8']);
    expect(shown.messages.join('\n')).toMatchInlineSnapshot(`
      "no-uid x: 3 objects have no uid, as if never applied: no reference can name them
      unknown-kind x:6: nothing in the input defines other.com/v1 Gadget; inferred to be cluster-scoped, as none of the 2 objects has a namespace
      unknown-kind x:8: nothing in the input defines other.com/v1 Single; inferred to be cluster-scoped, as the only object has no namespace"
    `);
    expect(shown.snapshot.coverage.problems[1]).toEqual({
      reason: 'unknown-kind',
      message: expect.any(String),
      resource: 'gadgets.other.com',
      apiVersion: 'other.com/v1',
      path: shown.snapshot.records[0]?.place?.path,
      line: 6,
    });
  });

  test('come from a saved snapshot, which then is the only authority', async () => {
    const types = new ResourceTypes([pod('any').type, widgets], {
      exhaustive: true,
      failed: [{ group: 'down.example.com', version: 'v1', message: 'is down' }],
    });
    const saved = [...encodeSnapshot(snapshotOf([pod('web'), widget('w')], { types }), crc32)].join(
      '',
    );
    const { snapshot } = await showFile('x.json', saved);
    expect(snapshot.types).toEqual(types);

    const mixed = await showFolder({
      'a.json': saved,
      'b.json':
        object('apps/v1', 'Deployment', { namespace: 'shop', uid: 'd' }) +
        object('example.com/v1', 'Gadget', { uid: 'g' }),
    });
    expect(mixed.snapshot.types.all.map(({ kind }) => kind).join(' ')).toBe(
      'Pod Widget Deployment Gadget',
    );
    expect(mixed.snapshot.types.exhaustive).toBe(true);
    expect(mixed.snapshot.types.failed).toEqual(types.failed);
  });

  test('keep a type that a saved object brings along', async () => {
    const cron = customType('crons.example.com/v1 Cron');
    const snapshot = snapshotOf([{ ...pod('nightly'), type: cron }]);
    const shown = await showFile('x.json', [...encodeSnapshot(snapshot, crc32)].join(''));
    expect(shown.snapshot.records[0]?.type).toEqual(cron);
  });
});

describe('a kind of which no object and no definition is in the input', () => {
  const widgets = crd({ scope: 'Namespaced', versions: served('v1') });
  const pods = object('v1', 'Pod', { uid: 'p' });
  const mapped = async (text: string, complete: boolean, ...kinds: string[]) => {
    const { snapshot } = await showFolder({ x: text }, { paths: ['x'], complete });
    return kinds.map((kind) => snapshot.types.mapKind('example.com/v1', kind).kind);
  };

  test('is not served by a group that a definition makes, where the input is the whole cluster', async () => {
    const spellings = ['Widget', 'Widgets', 'widgets', 'WIDGET', 'wIdget', 'Gadget'];
    expect(await mapped(widgets, true, ...spellings)).toEqual([
      'served',
      ...spellings.slice(1).map(() => 'unserved'),
    ]);
    expect(await mapped(widgets, false, ...spellings)).toEqual([
      'served',
      ...spellings.slice(1).map(() => 'unknown'),
    ]);
  });

  const bare = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    name: 'gadgets.example.com',
    uid: 'g',
  });
  const service = (name: string) =>
    object('apiregistration.k8s.io/v1', 'APIService', { name, uid: name });
  const lost = '---\nkind: CustomResourceDefinition\nmetadata: {\n';
  test.each([
    ['without definitions', pods, 'unknown'],
    ['beside an incomplete definition', widgets + bare, 'unknown'],
    ['may be where an API server is aggregated', widgets + service('v2.example.com'), 'unknown'],
    ['in another version', widgets + service('v1.example.com'), 'unserved'],
    ['in incomplete input', widgets + lost, 'unknown'],
  ])('%s', async (_, text, kind) => {
    expect(await mapped(text, true, 'Gadget')).toEqual([kind]);
  });
});
