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
    [() => fromFiles?.('a.yaml'), 'paths is "a.yaml", not a list'],
    [() => fromFiles?.(['a.yaml', 1]), 'paths[1] is 1, not a string'],
    [
      () => fromFiles?.([], { now: '2026-01-01' }),
      'options.now is "2026-01-01", not a Date with a time',
    ],
    [
      () => fromFiles?.([], { now: new Date('x') }),
      'options.now is a mapping, not a Date with a time',
    ],
    [() => fromFiles?.([], null), 'options is nothing, not a mapping'],
    [() => fromCluster?.({ namespaces: 'shop' }), 'options.namespaces is "shop", not a list'],
    [() => fromCluster?.({ kubeconfig: 7 }), 'options.kubeconfig is 7, not a string'],
    [() => fromCluster?.({ kubeconfig: {} }), 'options.kubeconfig.exportConfig is missing'],
    [() => runControllers?.({ onWrite: true }), 'options.onWrite is true, not a function'],
    [
      () => tree?.(snapshot, [web]),
      'snapshot is a mapping, not an object that fromFiles or fromCluster made, and that was awaited',
    ],
    [() => tree?.(shop, web), 'objects is a mapping, not a list'],
    [() => tree?.(shop, [{ ...web, name: undefined }]), 'objects[0].name is missing'],
    [
      () => plan?.(shop, [web], { propagationPolicy: 'foreground' }),
      'options.propagationPolicy is "foreground", not one of Background, Foreground, Orphan',
    ],
    [
      () => plan?.(shop, [web], { gracePeriodSeconds: -1 }),
      'options.gracePeriodSeconds is -1, not a whole number from 0 on',
    ],
    [
      () => simulate?.(shop, [], { settings: { controllers: '*' } }),
      'options.settings.controllers is "*", not a list',
    ],
    [
      () => audit?.(shop, { failOn: 'info' }),
      'options.failOn is "info", not one of error, warning, never',
    ],
    [
      () => forecast?.(shop, { within: '24h' }),
      'options.within is "24h", not a number of milliseconds from 0 on',
    ],
    [() => why?.(shop, undefined), 'objects is missing'],
  ])('%#', async (call, message) => {
    await expect(async () => call()).rejects.toThrow(new TypeError(message));
  });
});

test('a rule that does not exist is no audit that passes', () => {
  const of = () => audit?.(shop, { rules: ['missing-owner', 'dangling'] });
  expect(of).toThrow(/^options\.rules\[1\] is "dangling", not one of missing-owner, .*$/);
});

test('a copy of a snapshot is refused with what to do', () => {
  expect(() => tree?.({ ...shop, types: undefined }, [web])).toThrow();
  expect(() => tree?.(JSON.parse(JSON.stringify({ ...shop, types: undefined })), [web])).toThrow(
    /no snapshot that fromFiles or fromCluster/,
  );
});
