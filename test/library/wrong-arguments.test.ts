import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';

/** As a caller without types has them. */
type Untyped = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
const { fromFiles, fromCluster, runControllers, tree, plan, simulate, audit, forecast, why } =
  library as unknown as Untyped;

const shop = await library.fromFiles(['docs/part-of-a-cluster.yaml']);
const snapshot = library.fromFiles(['docs/part-of-a-cluster.yaml']);
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

describe('an argument of another type is named, with what was expected and what it is', () => {
  test.each<[() => unknown, string]>([
    [() => fromFiles?.('a.yaml'), 'paths must be a list; it is the string "a.yaml"'],
    [() => fromFiles?.(['a.yaml', 1]), 'paths[1] must be a string; it is the number 1'],
    [
      () => fromFiles?.([], { now: '2026-01-01' }),
      'options.now must be a Date with a time; it is the string "2026-01-01"',
    ],
    [
      () => fromFiles?.([], { now: new Date('x') }),
      'options.now must be a Date with a time; it is a Date without a time',
    ],
    [() => fromFiles?.([], null), 'options must be an object; it is null'],
    [
      () => fromCluster?.({ namespaces: 'shop' }),
      'options.namespaces must be a list; it is the string "shop"',
    ],
    [
      () => fromCluster?.({ kubeconfig: 7 }),
      'options.kubeconfig must be a string; it is the number 7',
    ],
    [
      () => fromCluster?.({ kubeconfig: {} }),
      'options.kubeconfig.exportConfig must be a function; it is undefined',
    ],
    [
      () => runControllers?.({ onWrite: true }),
      'options.onWrite must be a function; it is the boolean true',
    ],
    [
      () => tree?.(snapshot, [web]),
      'snapshot must be an object that fromFiles or fromCluster made; it is a Promise: await it',
    ],
    [() => tree?.(shop, web), 'objects must be a list; it is an object'],
    [
      () => tree?.(shop, [{ ...web, name: undefined }]),
      'objects[0].name must be a string; it is undefined',
    ],
    [
      () => plan?.(shop, [web], { propagationPolicy: 'foreground' }),
      'options.propagationPolicy must be one of "Background", "Foreground", "Orphan"; it is the string "foreground"',
    ],
    [
      () => plan?.(shop, [web], { gracePeriodSeconds: -1 }),
      'options.gracePeriodSeconds must be a whole number from 0 on; it is the number -1',
    ],
    [
      () => simulate?.(shop, [], { settings: { controllers: '*' } }),
      'options.settings.controllers must be a list; it is the string "*"',
    ],
    [
      () => audit?.(shop, { failOn: 'info' }),
      'options.failOn must be one of "error", "warning", "never"; it is the string "info"',
    ],
    [
      () => forecast?.(shop, { within: '24h' }),
      'options.within must be a number of milliseconds from 0 on; it is the string "24h"',
    ],
    [() => why?.(shop, undefined), 'objects must be a list; it is undefined'],
  ])('%#', async (call, message) => {
    await expect(async () => call()).rejects.toThrow(new TypeError(message));
  });
});

test('a rule that does not exist is no audit that passes', () => {
  const of = () => audit?.(shop, { rules: ['missing-owner', 'dangling'] });
  expect(of).toThrow(/^options\.rules\[1\] must be one of ".*"; it is the string "dangling"$/);
});

test('a copy of a snapshot is refused with what to do', () => {
  expect(() => tree?.({ ...shop, types: undefined }, [web])).toThrow();
  expect(() => tree?.(JSON.parse(JSON.stringify({ ...shop, types: undefined })), [web])).toThrow(
    'this is no snapshot that fromFiles or fromCluster made',
  );
});
