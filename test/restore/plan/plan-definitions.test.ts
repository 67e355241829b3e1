import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { widgets } from '../../support/builders.ts';
import { kube, ownedBy, plan, saved, told } from '../saved.ts';

const part = 'v1 ConfigMap part';

describe('definitions', () => {
  const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
  const widget = saved(kube(`${widgets.group}/v1 Widget w`));
  test('a kind that is not served needs its definition', () => {
    const definition = saved(
      kube(`apiextensions.k8s.io/v1 CustomResourceDefinition widgets.${widgets.group}`),
    );
    const objects = [
      widget,
      saved(kube(part, ownedBy(`${widgets.group}/v1 Widget w`))),
      definition,
    ];
    expect(told(plan(objects, { types: bare }))).toEqual([
      '0 configmaps/part create w:later',
      `0 customresourcedefinitions.apiextensions.k8s.io/widgets.${widgets.group} create`,
      `1 widgets.${widgets.group}/w create`,
    ]);
    const [alone] = plan([widget], { types: bare });
    expect(alone?.because).toContain('and no definition of it was saved');
  });

  test('an owner is found in every version that its definition will serve', () => {
    const { group } = widgets;
    const definition = saved(
      kube(`apiextensions.k8s.io/v1 CustomResourceDefinition widgets.${group}`),
      { defines: [widgets, { ...widgets, version: 'v1beta1' }] },
    );
    const named = (name: string, version: string) =>
      saved(
        kube(`v1 Pod ${name}`, {
          ownerReferences: [
            { apiVersion: `${group}/${version}`, kind: 'Widget', name: 'w', uid: 'uid-w' },
          ],
        }),
      );
    const objects = [widget, definition, named('served', 'v1beta1'), named('old', 'v1alpha1')];
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
    const [planned] = plan([saved(kube(part, ownedBy(`${widgets.group}/v1 Widget w`)))], { types });
    expect([planned?.action, planned?.because]).toEqual([
      'cannot',
      'it is unknown whether it would stay: Widget w could not be looked up: it did not answer',
    ]);
  });

  test('no object has the kind of a list, so the collector finds no owner', () => {
    const [planned] = plan([saved(kube(part, ownedBy('v1 ConfigMapList app')))]);
    expect([planned?.action, planned?.because]).toEqual([
      'cannot',
      'the garbage collector would delete it at once (GC-22.13): ConfigMapList is a list, and a GET of one finds nothing; --without-owners creates it without an owner',
    ]);
  });
});
