import { describe, expect, test } from 'vitest';
import { type ObjectRecord, ORPHAN } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, widget } from '../../support/builders.ts';
import { on, type Request, serveAlone } from './api-server-alone.ts';

const later = '2026-02-01T00:00:00Z';
const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
const x = 'example.com/x';

const deletion = (record: ObjectRecord, options: Request = {}) => on(record, 'delete', options);

/** GC-70: what registry/core/namespace/storage writes on the first DELETE of a Namespace. */
describe('the first DELETE of a namespace', () => {
  const shop = (...finalizers: string[]) =>
    namespace('shop', { finalizers, facts: { phase: 'Active', specFinalizers: ['kubernetes'] } });

  // What a policy leaves of its own finalizers alone, upstream-namespaces.test.ts has.
  test.each<[string[], Request, string[]]>([
    [[x], {}, [x]],
    [[ORPHAN, x], {}, [x, ORPHAN]],
    [[ORPHAN, 'foregroundDeletion'], {}, [ORPHAN, 'foregroundDeletion']],
    [[x, ORPHAN, 'foregroundDeletion'], { propagationPolicy: 'Background' }, [x]],
    [[x], { propagationPolicy: 'Foreground' }, [x, 'foregroundDeletion']],
    [[x], { propagationPolicy: 'Orphan' }, [x, ORPHAN]],
    // Of all kinds, only here orphanDependents=false means foreground.
    [[ORPHAN, x], { orphanDependents: false }, [x, 'foregroundDeletion']],
  ])('on one with %j and %j leaves %j', (before, options, after) => {
    const record = shop(...before);
    const { objects, replies, steps } = serveAlone([record], deletion(record, options));
    expect(objects).toMatchObject([
      { finalizers: after, deletionTimestamp: later, facts: { phase: 'Terminating' } },
    ]);
    expect(replies).toEqual([{ code: 'orphanDependents' in options ? 202 : 200, reason: '' }]);
    expect(steps).toMatchObject([{ result: 'terminating', rule: 'GC-70' }]);
  });

  test('is the last that changes it, as long as its content is not gone', () => {
    const record = shop();
    const again = deletion(record, { propagationPolicy: 'Foreground' });
    const { objects, steps } = serveAlone([record], deletion(record), again);
    expect(objects).toMatchObject([{ finalizers: [] }]);
    expect(steps).toMatchObject([
      { result: 'terminating', because: expect.any(String) },
      { result: 'unchanged', because: 'requested; nothing changes', rule: 'GC-70' },
    ]);
  });

  test('is the last one once its content is deleted, unless another finalizer blocks it', () => {
    const over = (...finalizers: string[]) =>
      namespace('shop', { finalizers, deleting: 'background', facts: { specFinalizers: [] } });
    const gone = over();
    expect(serveAlone([gone], deletion(gone)).objects).toEqual([]);
    const held = over(x);
    expect(serveAlone([held], deletion(held)).objects).toMatchObject([{ finalizers: [x] }]);
  });
});

describe('the first DELETE of a definition', () => {
  const crd = (...finalizers: string[]) => definition('widgets.example.com', { finalizers });
  const told = (records: readonly ObjectRecord[], ...requests: Request[]) =>
    serveAlone(records, ...requests).steps.map(
      ({ at, actor, verb, object, result, because }) =>
        `${at.slice(14, 19)} ${actor} ${verb} ${object.name} ${result}: ${because}`,
    );

  test('waits for its instances, whatever its policy', () => {
    for (const policy of ['Background', 'Foreground', 'Orphan']) {
      const [one, two] = [widget('one'), widget('two', { namespace: 'elsewhere' })];
      expect(
        told(
          [crd(), one, two, configMap('c')],
          deletion(crd(), { propagationPolicy: policy }),
        ).join('\n'),
      ).toMatchInlineSnapshot(`
        "00:00 user delete widgets.example.com terminating: requested; it is marked as being deleted and waits for customresourcecleanup.apiextensions.k8s.io
        00:00 kube-apiserver delete one removed: its CustomResourceDefinition widgets.example.com is being deleted
        00:00 kube-apiserver delete two removed: its CustomResourceDefinition widgets.example.com is being deleted
        00:00 kube-apiserver patch widgets.example.com removed: no instance of it is left"
      `);
    }
  });

  test('has its finalizer once, and keeps others', () => {
    const marked = (record: ObjectRecord, options: Request = {}) =>
      serveAlone([record, widget('w', { finalizers: [x] })], deletion(record, options)).objects[0];
    expect(marked(crd())).toMatchObject({ finalizers: [cleanup], deletionTimestamp: later });
    expect(marked(crd(x, cleanup))).toMatchObject({ finalizers: [x, cleanup] });
    expect(marked(crd(), { dryRun: ['All'] })).toEqual(crd());
  });

  test('checks again whether its instances are deleted, which takes a while', () => {
    const held = widget('w', { finalizers: [x] });
    const free = {
      verb: 'patch',
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      namespace: 'shop',
      name: 'w',
      removeFinalizers: [x],
      after: '7s',
    };
    const lines = told([crd(x), held], deletion(crd(x)), free);
    expect(lines.slice(1).join('\n')).toMatchInlineSnapshot(`
      "00:00 kube-apiserver delete w terminating: its CustomResourceDefinition widgets.example.com is being deleted
      00:07 user patch w removed: requested; no finalizers, removed immediately
      00:15 kube-apiserver patch widgets.example.com changed: no instance of it is left"
    `);
  });

  test('is cleaned up as well where it is being deleted already, and not before', () => {
    const going = definition('widgets.example.com', {
      finalizers: [cleanup],
      deleting: 'background',
    });
    expect(serveAlone([going, widget('w')]).objects).toEqual([]);
    const other = definition('widgets.example.com', { finalizers: [x], deleting: 'background' });
    expect(serveAlone([other, widget('w')]).objects).toHaveLength(2);
    expect(serveAlone([crd(cleanup), widget('w')]).objects).toHaveLength(2);
  });

  test('ends with its kind, which is not served any more, unlike others', () => {
    const make = (apiVersion: string, kind: string, after: string) => ({
      verb: 'create',
      apiVersion,
      kind,
      namespace: 'shop',
      name: 'new',
      object: { metadata: { name: 'new' } },
      after,
    });
    const { replies } = serveAlone(
      [crd()],
      deletion(crd()),
      make('example.com/v1', 'Widget', '1s'),
      make('v1', 'ConfigMap', '0s'),
    );
    expect(replies).toMatchObject([
      { code: 200 },
      {
        code: 404,
        message: expect.stringMatching(/: example\.com\/v1 Widget$/),
      },
      { code: 201 },
    ]);
  });
});
