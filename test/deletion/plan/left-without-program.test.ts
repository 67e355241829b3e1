import { expect, test } from 'vitest';
import { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { deployment, snapshotOf, widget } from '../../support/builders.ts';
import { kustomizationOf, toolTypes } from '../../support/delivery.ts';
import { context } from './planned.ts';
import { namespace, told } from './told.ts';

const finalizer = 'widgets.acme.io/cleanup';
const operator = deployment('widgets-operator', { namespace: 'operators' });
const held = ['a', 'b'].map((name) => widget(name, { finalizers: [finalizer] }));
const warning =
  'warning finalizer-deadlock: 2 Widgets stay, with finalizer widgets.acme.io/cleanup, and can never be deleted without Deployment widgets-operator, which by its name removes it. If they are to go as well: delete Widget a, Widget b first and wait until they are gone, then Deployment widgets-operator.';
const deadlocksIn = (records: readonly ObjectRecord[], target: ObjectRecord) =>
  told(records, target).filter((line) => line.includes('finalizer-deadlock'));

test('a plan that deletes the last program of a finalizer names what stays with it, and the order', () => {
  expect(deadlocksIn([operator, ...held], operator)).toEqual([warning]);
});

test('so does one that deletes the namespace of the program', () => {
  const home = namespace('operators');
  expect(deadlocksIn([home, operator, ...held], home)).toEqual([warning]);
});

test('what was read only for that counts as well', () => {
  const snapshot = snapshotOf([operator]);
  const intent = { targets: [operator], policy: 'Background' as const };
  const { remarks } = planDeletion(snapshot, intent, {
    ...context,
    held: { records: held, unread: ['jars.acme.io'] },
  });
  expect(remarks.map(({ severity, code, message }) => `${severity} ${code}: ${message}`)).toEqual([
    warning,
    'note finalizer-deadlock: jars.acme.io could not be read everywhere: what has a finalizer there that only Deployment widgets-operator removes can never be deleted afterwards.',
  ]);
});

test('not while another program of the finalizer lives, here or elsewhere', () => {
  const other = deployment('widgets-operator', { namespace: 'elsewhere' });
  expect(deadlocksIn([operator, other, ...held], operator)).toEqual([]);
  const intent = { targets: [operator], policy: 'Background' as const };
  const programs = snapshotOf([other]);
  const { remarks } = planDeletion(snapshotOf([operator, ...held]), intent, {
    ...context,
    programs,
  });
  expect(remarks).toEqual([]);
});

test('not of a program that nothing connects with the finalizer, nor of one that is made again', () => {
  const web = deployment('web-controller', { namespace: 'operators' });
  expect(deadlocksIn([web, ...held], web)).toEqual([]);
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'apps',
    'kustomize.toolkit.fluxcd.io/namespace': 'delivery',
  };
  const applied = deployment('widgets-operator', { namespace: 'operators', labels });
  const apps = kustomizationOf(['operators_widgets-operator_apps_Deployment']);
  const { remarks } = planDeletion(
    snapshotOf([apps, applied, ...held], { types: toolTypes }),
    { targets: [applied], policy: 'Background' },
    context,
  );
  expect(remarks.map(({ code }) => code)).toEqual(['recreated']);
});

test('a known finalizer is told by the program of its kind', () => {
  const [controller, other] = ['kustomize-controller', 'helm-controller'].map((name) =>
    deployment(name, { namespace: 'flux-system' }),
  ) as [ObjectRecord, ObjectRecord];
  const apps = kustomizationOf([]);
  const deadlocks = (target: ObjectRecord) =>
    planDeletion(
      snapshotOf([controller, other, apps], { types: toolTypes }),
      { targets: [target], policy: 'Background' },
      context,
    ).remarks.map(({ message }) => message);
  expect(deadlocks(controller)).toEqual([
    '1 Kustomization stays, with finalizer finalizers.fluxcd.io, and can never be deleted without Deployment kustomize-controller, which removes it. If it is to go as well: delete Kustomization apps first and wait until it is gone, then Deployment kustomize-controller.',
  ]);
  expect(deadlocks(other)).toEqual([]);
});

test('so is one that goes together with its program, while others of the same project stay', () => {
  const [controller, other] = ['kustomize-controller', 'helm-controller'].map((name) =>
    deployment(name, { namespace: 'flux-system' }),
  ) as [ObjectRecord, ObjectRecord];
  const apps = kustomizationOf([]);
  const records = [controller, other, apps];
  const deadlocks = (...targets: readonly ObjectRecord[]) =>
    told(records, targets, {}, { types: toolTypes });
  expect(deadlocks(controller, apps)).toEqual([
    'warning finalizer-deadlock: Deployment kustomize-controller, which removes finalizer finalizers.fluxcd.io from 1 Kustomization, is deleted as well: what it leaves never finishes terminating. Delete Kustomization apps first and wait until it is gone, then Deployment kustomize-controller.',
  ]);
  expect(deadlocks(other, apps)).toEqual([]);
});
