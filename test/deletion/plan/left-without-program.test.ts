import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { deployment, snapshotOf, widget } from '../../support/builders.ts';
import { kustomizationOf, toolTypes } from '../../support/delivery.ts';
import { namespace, told } from './told.ts';

const types = { types: toolTypes };
const finalizer = 'widgets.acme.io/cleanup';
const operator = deployment('widgets-operator', { namespace: 'operators' });
const held = ['a', 'b'].map((name) => widget(name, { finalizers: [finalizer] }));
const deadlocksIn = (records: readonly ObjectRecord[], target: ObjectRecord) =>
  told(records, target).filter((line) => line.includes('finalizer-deadlock'));

test('a plan that deletes the last program of a finalizer, or its namespace, names what stays, and the order', () => {
  const warnings = deadlocksIn([operator, ...held], operator);
  expect(warnings).toEqual([expect.stringMatching(/^warning .*: 2 Widgets stay, /)]);
  const home = namespace('operators');
  expect(deadlocksIn([home, operator, ...held], home)).toEqual(warnings);
});

test('objects that were read only for the remark on finalizers count, too', () => {
  const around = { customResourcesElsewhere: { records: held, unread: ['jars.acme.io'] } };
  expect(told([operator], operator, {}, {}, around).join('\n')).toMatchInlineSnapshot(`
    "warning finalizer-deadlock: 2 Widgets stay, with finalizer widgets.acme.io/cleanup, and can never be deleted without Deployment widgets-operator, which by its name removes it. To delete them as well: delete Widget a, Widget b first, wait until they do not exist, then delete Deployment widgets-operator.
    note finalizer-deadlock: jars.acme.io could not be read everywhere: what has a finalizer there that only Deployment widgets-operator removes can never be deleted afterwards."
  `);
});

test('no remark on finalizers if another program of the finalizer runs, here or elsewhere', () => {
  const other = deployment('widgets-operator', { namespace: 'elsewhere' });
  expect(deadlocksIn([operator, other, ...held], operator)).toEqual([]);
  const programs = snapshotOf([other]);
  expect(told([operator, ...held], operator, {}, {}, { finalizerPrograms: programs })).toEqual([]);
});

test('no remark on a program without evidence for the finalizer, or on one that is recreated', () => {
  const web = deployment('web-controller', { namespace: 'operators' });
  expect(deadlocksIn([web, ...held], web)).toEqual([]);
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'apps',
    'kustomize.toolkit.fluxcd.io/namespace': 'delivery',
  };
  const applied = deployment('widgets-operator', { namespace: 'operators', labels });
  const apps = kustomizationOf(['operators_widgets-operator_apps_Deployment']);
  expect(told([apps, applied, ...held], applied, {}, types)).toEqual([
    expect.stringMatching(/^warning recreated: /),
  ]);
});

const [controller, other] = ['kustomize-controller', 'helm-controller'].map((name) =>
  deployment(name, { namespace: 'flux-system' }),
) as [ObjectRecord, ObjectRecord];
const apps = kustomizationOf([]);
const deadlocks = (...targets: readonly ObjectRecord[]) =>
  told([controller, other, apps], targets, {}, types);

test('a known finalizer names the program of its kind, also when both are deleted', () => {
  const warnings = [...deadlocks(controller), ...deadlocks(controller, apps)];
  expect(warnings.join('\n')).toMatchInlineSnapshot(`
    "warning finalizer-deadlock: 1 Kustomization stays, with finalizer finalizers.fluxcd.io, and can never be deleted without Deployment kustomize-controller, which removes it. To delete it as well: delete Kustomization apps first, wait until it does not exist, then delete Deployment kustomize-controller.
    warning finalizer-deadlock: Deployment kustomize-controller, which removes finalizer finalizers.fluxcd.io from 1 Kustomization, is deleted as well: what it leaves never finishes terminating. Delete Kustomization apps first, wait until it does not exist, then delete Deployment kustomize-controller."
  `);
  expect([deadlocks(other), deadlocks(other, apps)]).toEqual([[], []]);
});
