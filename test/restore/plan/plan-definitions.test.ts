import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { placesToLook } from '../../../src/restore/plan/plan-restoration.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes, widgets } from '../../support/builders.ts';
import { decided, kube, ownedBy, plan, saved, told } from '../saved.ts';

const part = 'v1 ConfigMap part';

describe('definitions', () => {
  const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
  const { group } = widgets;
  const w = `${group}/v1 Widget w`;
  const widget = saved(kube(w));
  const definition = `apiextensions.k8s.io/v1 CustomResourceDefinition widgets.${group}`;
  test('a kind that is not served needs its definition', () => {
    const objects = [widget, saved(kube(part, ownedBy(w))), saved(kube(definition))];
    expect(told(plan(objects, { types: bare }))).toEqual([
      `0 customresourcedefinitions.apiextensions.k8s.io/widgets.${group} create`,
      '1 configmaps/part create w:later',
      `2 widgets.${group}/w create`,
    ]);
    const [alone] = plan([widget], { types: bare });
    expect(alone?.action).toBe('cannot');
    expect(alone?.because).toMatchInlineSnapshot(
      `"the server does not serve example.com/v1 Widget, and no definition of it was saved"`,
    );
  });

  test('a kind whose definition cannot be restored is not restored either', () => {
    const faulty = saved(kube(definition), { manifest: undefined, fault: 'its file is missing' });
    const planned = plan([widget, faulty], { types: bare });
    expect(planned.map(({ action, manifest }) => [action, manifest])).toEqual([
      ['cannot', undefined],
      ['cannot', undefined],
    ]);
    expect(planned.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
      "its file is missing
      its kind is not served, and CustomResourceDefinition widgets.example.com is not restored"
    `);
  });

  test('nor is it served because an object of another kind has the name of its definition', () => {
    const other = saved(kube(`v1 ConfigMap widgets.${group}`));
    const planned = plan([widget, other], { types: bare });
    expect(planned.map(({ action }) => action)).toEqual(['create', 'cannot']);
  });

  test('a kind whose definition is there, and that is not served yet, is created', () => {
    const planned = plan([widget, saved(kube(definition))], {
      types: bare,
      there: [kube(definition)],
    });
    expect(planned.map(({ saved: { name }, action }) => [name, action])).toEqual([
      ['w', 'create'],
      [`widgets.${group}`, 'exists'],
    ]);
  });

  test('what a restoration depends on is looked at, and nothing else', () => {
    const spec = { claimRef: { namespace: 'bank', name: 'data' } };
    const objects = [
      widget,
      saved(kube(part, ownedBy('v1 ConfigMap app', 'v1 ConfigMapList list'))),
      saved(kube('v1 PersistentVolume disk', {}, { spec })),
      saved(kube('v1 PersistentVolumeClaim data', {}, { spec: { volumeName: 'other-disk' } })),
    ];
    const looked = (types: ResourceTypes) =>
      placesToLook(objects, new OwnerLookup(types, objects)).map(({ type, namespace, name }) =>
        [type.resource, namespace, name].filter(Boolean).join('/'),
      );
    const always = [
      'widgets/shop/w',
      'namespaces/shop',
      'configmaps/shop/part',
      'configmaps/shop/app',
      'persistentvolumes/disk',
      'persistentvolumeclaims/bank/data',
      'persistentvolumeclaims/shop/data',
      'persistentvolumes/other-disk',
    ];
    expect(looked(servedTypes).sort()).toEqual(always.toSorted());
    const more = [...always, `customresourcedefinitions/widgets.${group}`];
    expect(looked(bare).sort()).toEqual(more.sort());
  });

  test('an owner is found in every version that its definition will serve', () => {
    const defines = [widgets, { ...widgets, version: 'v1beta1' }];
    const named = (name: string, version: string) =>
      saved(kube(`v1 Pod ${name}`, ownedBy(`${group}/${version} Widget w`)));
    const objects = [
      widget,
      saved(kube(definition), { defines }),
      named('served', 'v1beta1'),
      named('old', 'v1alpha1'),
    ];
    const planned = plan(objects, { types: bare });
    expect(told(planned)).toEqual([
      `0 customresourcedefinitions.apiextensions.k8s.io/widgets.${group} create`,
      `1 widgets.${group}/w create`,
      '2 pods/old create w:to-come',
      '2 pods/served create w:to-come',
    ]);
    const versions = planned.flatMap(({ references }) =>
      references.map(({ reference }) => reference.apiVersion),
    );
    expect(versions).toEqual([`${group}/v1`, `${group}/v1beta1`]);
  });

  test('a kind that could not be discovered may be served: nothing is kept on trust', () => {
    const failed = [{ group: widgets.group, version: undefined, message: 'it did not answer' }];
    const types = new ResourceTypes(builtInTypes, { exhaustive: true, failed });
    expect(decided([saved(kube(part, ownedBy(w)))], { types }).join('\n')).toMatchInlineSnapshot(`
      "cannot
      it is unknown whether it would stay: Widget w could not be looked up: it did not answer"
    `);
  });

  test('no object has the kind of a list, so the collector finds no owner', () => {
    const [planned] = plan([saved(kube(part, ownedBy('v1 ConfigMapList app')))]);
    expect(planned?.references.map(({ told: { change, to } }) => [change, to])).toEqual([
      ['dropped', ''],
    ]);
    expect(`${planned?.action}: ${planned?.because}`).toMatchInlineSnapshot(
      `"cannot: the garbage collector would delete it immediately (GC-22.13): ConfigMapList is a list, and a GET of one finds nothing; --without-owners creates it without an owner"`,
    );
  });
});
