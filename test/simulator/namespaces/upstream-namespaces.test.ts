import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import {
  builderOf,
  configMap,
  type Details,
  deployment,
  pod,
  secret,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import {
  hold,
  letGo,
  type PlayOptions,
  playOut,
  remove,
  simulateObjects,
  update,
} from '../play-out.ts';

// Rows of upstream's tests of namespaces that no test here can stand for:
//
// | test | why |
// | --- | --- |
// | DeleteEncounters404 | what a client remembers of an API server that answers 404 to a DELETE of a collection |
// | RetryOnConflictError | a loop around one write of the status; the next pass of the controller does the same |
// | SyncNamespaceThatIsTerminating, the order of requests | lists and writes of one pass, of which only what they change can be seen |
// | NamespaceLabels | a label that the API server gives to a namespace |

const namespace = builderOf('v1', 'Namespace');
const both = ['garbage-collector-controller', 'namespace-controller'];
const shopWith = (details: Details, specFinalizers: readonly string[] = ['kubernetes']) =>
  namespace('shop', { ...details, facts: { specFinalizers, phase: 'Active' } });
const shop = shopWith({});
const going = { deletionTimestamp: '2026-01-02T00:00:00Z' };
const services = ['web', 'db'].map((name) => builderOf('v1', 'Service')(name));

const play = (
  objects: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[] = [],
  options: PlayOptions = {},
) => playOut(objects, requests, { controllers: both, ...options });

/** What only the API server does. */
const served = (objects: readonly ObjectRecord[], ...requests: SimulatedRequest[]) =>
  playOut(objects, requests, { controllers: [] });

describe('SyncNamespace', () => {
  const content = configMap('settings');

  test('that is terminating, pending-finalize: all is deleted, and the namespace goes', () => {
    expect(play([shop, content, pod('web'), ...services], [remove(shop)])).toEqual({});
    expect(play([shopWith(going), content])).toEqual({});
  });

  const failing = new ResourceTypes(builtInTypes, {
    exhaustive: true,
    failed: [{ group: 'metrics.example.com', version: undefined, message: 'it is down' }],
  });

  test.each([
    ['complete-finalize', {}],
    ['groupVersionResourceErr', { types: failing }],
  ])('that is terminating, %s: nothing is touched', (_, options) => {
    const finalized = shopWith({ ...going, finalizers: [hold] }, []);
    expect(play([finalized, content], [], options)).toEqual({
      'Namespace shop': `terminating (${hold})`,
      'ConfigMap settings': 'alive',
    });
  });

  test('that is terminating, groupVersionResourceErr-finalize: content goes, the namespace stays', () => {
    const { objects, stuck } = simulateObjects([shopWith(going), content], [], {
      controllers: both,
      types: failing,
    });
    expect(stuck[0]?.because).toMatch(/: it is down$/);
    expect(objects.map(({ name, facts }) => [name, facts?.phase, facts?.specFinalizers])).toEqual([
      ['shop', 'Terminating', ['kubernetes']],
    ]);
    expect(objects[0]?.facts?.conditions?.[0]).toEqual({
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'True',
      reason: 'DiscoveryFailed',
      message: 'Discovery failed for some groups, 1 failing: it is down',
      lastTransitionTime: expect.any(String),
    });
  });

  test('that is active: nothing happens', () => {
    const { steps, objects } = simulateObjects([shop, content], [], { controllers: both });
    expect({ steps, objects }).toEqual({ steps: [], objects: [shop, content] });
  });

  test('Finalized, FinalizeNamespaceFunc: another program has a finalizer in its spec', () => {
    const shared = shopWith({}, ['kubernetes', 'other']);
    const { objects } = simulateObjects([shared, content], [remove(shared)], { controllers: both });
    expect(objects.map(({ name, facts }) => [name, facts?.specFinalizers])).toEqual([
      ['shop', ['other']],
    ]);
  });
});

describe('the order of deletion', () => {
  const bound = { nodeName: 'node-1', phase: 'Running', terminationGracePeriodSeconds: 30 };
  const objects = [
    shop,
    pod('web', { facts: bound }),
    configMap('settings'),
    secret('held', { finalizers: [hold] }),
  ];

  test.each(['v1.33.0', 'v1.34.4', 'v1.35.4-gke.1', 'v1.36.3', undefined])(
    'in %s other kinds wait for the pods',
    (serverVersion) => {
      expect(play(objects, [remove(shop)], { serverVersion })).toEqual({
        'Namespace shop': 'terminating',
        'Pod web': 'terminating',
        'ConfigMap settings': 'alive',
        'Secret held': `alive (${hold})`,
      });
    },
  );

  test.each(['v1.29.0', 'v1.32.13'])('in %s everything is deleted at once', (serverVersion) => {
    expect(play(objects, [remove(shop)], { serverVersion })).toEqual({
      'Namespace shop': 'terminating',
      'Pod web': 'terminating',
      'Secret held': `terminating (${hold})`,
    });
    const secretLetGo = [remove(shop), letGo(secret('held'))];
    const options = { serverVersion, kubelets: true };
    expect(play(objects, secretLetGo, options)).toEqual({});
    const { objects: left } = simulateObjects(objects, [remove(shop)], {
      serverVersion,
      controllers: both,
      duration: 20_000,
    });
    expect(
      left[0]?.facts?.conditions
        ?.slice(2)
        .map(({ message }) => message)
        .join('\n'),
    ).toMatchInlineSnapshot(`
      "All content successfully deleted, may be waiting on finalization
      Some resources are remaining: pods. has 1 resource instances, secrets. has 1 resource instances
      Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    `);
  });
});

test('NamespaceCondition', () => {
  const objects = [shop, pod('web'), deployment('web', { finalizers: [hold] })];
  const { objects: left } = simulateObjects(objects, [remove(shop)], { controllers: both });
  expect(left.map(({ type }) => type.kind)).toEqual(['Namespace', 'Deployment']);
  const told = left[0]?.facts?.conditions?.map(({ type, status, message }) =>
    [type.replace('Namespace', ''), status, message].join(' | '),
  );
  expect(told?.join('\n')).toMatchInlineSnapshot(`
    "DeletionDiscoveryFailure | False | All resources successfully discovered
    DeletionGroupVersionParsingFailure | False | All legacy kube types successfully parsed
    DeletionContentFailure | False | All content successfully deleted, may be waiting on finalization
    ContentRemaining | True | Some resources are remaining: deployments.apps has 1 resource instances
    FinalizersRemaining | True | Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
  `);
});

test('should ensure that all pods and services are removed when a namespace is deleted', () => {
  const other = pod('other', { namespace: 'bank' });
  const facts = { nodeName: 'node-1', terminationGracePeriodSeconds: 30 };
  const objects = [shop, pod('web', { facts }), pod('pending'), ...services, other];
  expect(play(objects, [remove(shop)], { kubelets: true })).toEqual({ 'Pod bank/other': 'alive' });
});

test('should apply a finalizer to a Namespace', () => {
  const held = shopWith({ finalizers: [hold] });
  expect(play([held, configMap('settings')], [remove(held)])).toEqual({
    'Namespace shop': `terminating (${hold})`,
  });
  expect(play([held], [remove(held), letGo(held)])).toEqual({});
});

describe('storage of namespaces', () => {
  test('DeleteNamespaceWithIncompleteFinalizers', () => {
    const waiting = shopWith(going);
    expect(served([waiting], remove(waiting))).toEqual({ 'Namespace shop': 'terminating' });
  });

  test.each([
    ['UpdateDeletingNamespaceWithIncompleteMetadataFinalizers', [hold], [], [hold], true],
    ['UpdateDeletingNamespaceWithIncompleteSpecFinalizers', [], ['kubernetes'], [], true],
    ['UpdateDeletingNamespaceWithCompleteFinalizers', [hold], [], [], false],
  ])('%s', (_, finalizers, specFinalizers, wanted, stays) => {
    const before = shopWith({ ...going, finalizers }, specFinalizers);
    const after = { ...before, finalizers: wanted, labels: { changed: 'yes' } };
    const held = wanted.length > 0 ? ` (${wanted.join(', ')})` : '';
    expect(served([before], update(after))).toEqual(
      stays ? { 'Namespace shop': `terminating${held}` } : {},
    );
  });

  test.each<[string, string[], object]>([
    ['Complete', [], {}],
    ['IncompleteMetadata', [hold], { 'Namespace shop': `terminating (${hold})` }],
  ])('FinalizeDeletingNamespaceWith%sFinalizers', (_, finalizers, left) => {
    expect(play([shopWith({ ...going, finalizers })])).toEqual(left);
  });

  test('DeleteNamespaceWithCompleteFinalizers', () => {
    const finalized = shopWith(going, []);
    expect(served([finalized], remove(finalized))).toEqual({});
  });

  const rows = rowsOf(`
    nil-with-orphan                           | orphan             |                                 | orphan
    nil-with-delete                           | foregroundDeletion |                                 | foregroundDeletion
    nil-without-finalizers                    |                    |                                 |
    propagation-background-with-orphan        | orphan             | propagationPolicy: Background   |
    propagation-background-with-delete        | foregroundDeletion | propagationPolicy: Background   |
    propagation-background-without-finalizers |                    | propagationPolicy: Background   |
    propagation-foreground-with-orphan        | orphan             | propagationPolicy: Foreground   | foregroundDeletion
    propagation-foreground-with-delete        | foregroundDeletion | propagationPolicy: Foreground   | foregroundDeletion
    propagation-foreground-without-finalizers |                    | propagationPolicy: Foreground   | foregroundDeletion
    propagation-orphan-with-orphan            | orphan             | propagationPolicy: Orphan       | orphan
    propagation-orphan-with-delete            | foregroundDeletion | propagationPolicy: Orphan       | orphan
    propagation-orphan-without-finalizers     |                    | propagationPolicy: Orphan       | orphan
    orphan-dependents-with-orphan             | orphan             | orphanDependents: true          | orphan
    orphan-dependents-with-delete             | foregroundDeletion | orphanDependents: true          | orphan
    orphan-dependents-without-finalizers      |                    | orphanDependents: true          | orphan
    not upstream's, and different from every other kind (GC-70) |  | orphanDependents: false         | foregroundDeletion
  `);
  test.each(rows)(
    'DeleteWithGCFinalizers: %s',
    (_, finalizer = '', options = '', expected = '') => {
      const before = shopWith({ finalizers: finalizer === '' ? [] : [finalizer] });
      expect(served([before], remove(before, undefined, parse(options) ?? {}))).toEqual({
        'Namespace shop': `terminating${expected === '' ? '' : ` (${expected})`}`,
      });
    },
  );
});
