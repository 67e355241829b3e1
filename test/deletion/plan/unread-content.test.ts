import { expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { planAnswer } from '../../../src/questions/delete/text.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { builderOf, configMap, widget } from '../../support/builders.ts';
import { planned, ruled } from './planned.ts';
import { namespace } from './told.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const shop = namespace('shop');
const crd = definition('widgets.example.com', {
  finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
});
const problem: CoverageProblem = {
  reason: 'unavailable',
  message: 'cannot list widgets.example.com: conversion webhook failed',
  resource: 'widgets.example.com',
  apiVersion: 'example.com/v1',
};
const unlisted = { unread: ['widgets.example.com'], coverage: { problems: [problem] } };

function told(plan: Plan): string {
  return planAnswer.tableOf(plan, { colour: false, width: undefined, wide: true, now: 0 });
}

test('a namespace of which a kind could not be listed may stay, and may hold more', () => {
  const plan = planned([shop, configMap('settings')], shop, {}, unlisted);
  expect(told(plan)).toMatchInlineSnapshot(`
    "STEP   KIND        NAMESPACE   NAME       RESULT            UID                           RULE    BLOCKED BY   REASON
    0      namespace   <cluster>   shop       unknown           uid-namespace-shop            GC-71   <none>       requested; it is marked as being deleted; whether it goes is unknown: widgets.example.com could not be read, and it goes when none is left
    1      configmap   shop        settings   will be deleted   uid-configmap-shop-settings   GC-72   <none>       namespace shop is being deleted

    Warning: Namespace shop is deleted with at least 1 object in it. Its widgets.example.com could not be read.

    1 or more objects will be deleted: 1 ConfigMap.
    1 might be deleted: 1 Namespace.
    More may be deleted: widgets.example.com could not be read.
    "
  `);
  expect(ruled(plan)).toEqual(['shop: unknown (GC-71)', 'settings: deleted (GC-72)']);
});

test('a definition whose instances could not be listed may stay', () => {
  expect(told(planned([crd], crd, {}, unlisted))).toMatchInlineSnapshot(`
    "Warning: CustomResourceDefinition widgets.example.com is deleted and its instances were not read. Afterwards the kind is not served any more, to anybody.

    STEP   KIND                                            NAMESPACE   NAME                  RESULT    UID                                                RULE    BLOCKED BY   REASON
    0      customresourcedefinition.apiextensions.k8s.io   <cluster>   widgets.example.com   unknown   uid-customresourcedefinition-widgets.example.com   GC-66   <none>       requested; it is marked as being deleted and waits for customresourcecleanup.apiextensions.k8s.io; whether it goes is unknown: widgets.example.com could not be read, and it goes when none is left

    1 might be deleted: 1 CustomResourceDefinition.
    More may be deleted: widgets.example.com could not be read.
    "
  `);
});

test('the number of instances is a lower bound if only some were read', () => {
  const plan = planned([crd, widget('seen')], crd, {}, unlisted);
  expect(plan.remarks.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "CustomResourceDefinition widgets.example.com is deleted with at least 1 Widget object in 1 namespace, and with what depends on them. Afterwards the kind is not served any more, to anybody.",
    ]
  `);
});

test('a definition whose instances were all read goes when none is left', () => {
  expect(told(planned([crd], crd))).toMatchInlineSnapshot(`
    "STEP   KIND                                            NAMESPACE   NAME                  RESULT            UID                                                RULE    BLOCKED BY   REASON
    0      customresourcedefinition.apiextensions.k8s.io   <cluster>   widgets.example.com   will be deleted   uid-customresourcedefinition-widgets.example.com   GC-66   <none>       requested; it is marked as being deleted and waits for customresourcecleanup.apiextensions.k8s.io; no instance of it is left

    Note: CustomResourceDefinition widgets.example.com is deleted and no instance of it exists. Afterwards the kind is not served any more, to anybody.

    1 object will be deleted (1 cluster-scoped): 1 CustomResourceDefinition.
    "
  `);
});
