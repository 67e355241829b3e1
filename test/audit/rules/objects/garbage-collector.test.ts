import { describe, expect, test } from 'vitest';
import {
  collectorWithoutLeader,
  unavailableApi,
  unlistableKind,
} from '../../../../src/audit/rules/garbage-collector.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import { builderOf, servedTypes } from '../../../support/builders.ts';
import { foundByRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

describe('collector-without-leader', () => {
  const at = (renewTime: string, who = 'control-1') =>
    `facts: {renewTime: "${renewTime}", leaseDurationSeconds: 15, holderIdentity: "${who}"}`;
  const lease = 'Lease kube-controller-manager';
  const files = 'origin: {kind: files, paths: [leases.yaml]}';
  const [before, old] = ['2026-01-02T22:00:00.000000Z', '2025-12-01T00:00:00.000000Z'];
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        collectorWithoutLeader,
        `
    lease   | ${lease}       | {namespace: kube-system}
    kubelet | Lease worker-1 | {namespace: kube-node-lease, facts: {renewTime: "${before}"}}
    `,
        `
    it is not renewed | lease {${at(before)}}
    no instance holds it | lease {${at(before, '')}}
    not in a file alone | lease {${at(old)}} | ${files}
    not in a file of that moment | lease {${at(old)}}; kubelet {facts: {renewTime: "2025-12-01T00:00:05.000000Z"}} | ${files}
    in a file that another Lease shows to be later | lease {${at(old)}}; kubelet {facts: {renewTime: "2025-12-01T00:05:00.000000Z"}} | ${files}
    not where it is renewed | lease {${at('2026-01-02T23:59:55.000000Z')}}
    not where a renewal or two is missing | lease {${at('2026-01-02T23:59:10.000000Z')}}
    not where there is no such Lease | kubelet
    metadata alone does not tell | lease
    `,
      ),
    ).toMatchInlineSnapshot(`
      "it is not renewed
        Lease kube-controller-manager: kube-controller-manager last renewed its Lease 120m before; its holder is still control-1
        likely, $ kubectl get pods -n kube-system -l component=kube-controller-manager
      no instance holds it
        Lease kube-controller-manager: kube-controller-manager last renewed its Lease 120m before; no instance has it
        likely, $ kubectl get pods -n kube-system -l component=kube-controller-manager
      not in a file alone
      not in a file of that moment
      in a file that another Lease shows to be later
        Lease kube-controller-manager: kube-controller-manager last renewed its Lease 5m before; its holder is still control-1
        likely, $ kubectl get pods -n kube-system -l component=kube-controller-manager
      not where it is renewed
      not where a renewal or two is missing
      not where there is no such Lease
      metadata alone does not tell
        1 not checked: only metadata of its Lease was read"
    `);
  });
});

describe('unavailable-api', () => {
  const service = builderOf('apiregistration.k8s.io/v1', 'APIService');
  test.each([
    ['a version', 'v1', 'v1.metrics.example.com', 'metrics.example.com/v1'],
    ['a whole group', undefined, 'metrics.example.com', 'metrics.example.com'],
  ])('%s, whether its APIService was read or not', (_, version, name, shown) => {
    const failed = [{ group: 'metrics.example.com', version, message: 'no endpoints' }];
    const types = new ResourceTypes(servedTypes.all, { exhaustive: true, failed });
    const expected = [
      {
        at: `APIService ${name}`,
        message: `the kinds of ${shown} could not be discovered: no endpoints`,
        command: 'kubectl gc why --gc',
      },
    ];
    expect(violationsOf(unavailableApi, [service(name)], { types })).toEqual(expected);
    expect(violationsOf(unavailableApi, [], { types })).toEqual(expected);
  });

  test('every API answers', () => {
    expect(violationsOf(unavailableApi, [service('v1.')])).toEqual([]);
  });
});

describe('unlistable-kind', () => {
  const kind = 'widgets.example.com';
  const failed = 'conversion webhook for example.com/v2, Kind=Widget failed';
  const undecodable = `failed to read one or more ${kind} from the storage: /registry/example.com/widgets/shop/a (object not decodable)`;
  const problem = (message: string, reason = 'unlistable') =>
    `{reason: ${reason}, message: "cannot list widgets: ${message}", resource: ${kind}, apiVersion: example.com/v1}`;
  const problems = (one: string) => `coverage: {problems: [${one}, ${one}]}`;
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        unlistableKind,
        `
    crd     | CustomResourceDefinition ${kind}
    service | APIService v1.example.com
    `,
        `
    a conversion webhook that does not answer, told once | crd | ${problems(problem(failed))}
    and its definition was not read |  | ${problems(problem(failed))}
    objects in etcd that cannot be decoded | crd | ${problems(problem(undecodable))}
    another error, of a kind of an aggregated API | service | ${problems(problem('service unavailable'))}
    not where a busy or failing server did not answer | crd | ${problems(problem('it is broken', 'unavailable'))}
    not where you may not read it | crd | ${problems(problem(failed, 'forbidden'))}
    not where the answer took too long | crd | ${problems(problem(failed, 'timed-out'))}
    not where discovery failed | crd | ${problems('{reason: discovery-failed, message: x, apiVersion: example.com/v1}')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a conversion webhook that does not answer, told once
        CustomResourceDefinition widgets.example.com: widgets.example.com: cannot list widgets: conversion webhook for example.com/v2, Kind=Widget failed
        $ kubectl gc why --gc
      and its definition was not read
        CustomResourceDefinition widgets.example.com: widgets.example.com: cannot list widgets: conversion webhook for example.com/v2, Kind=Widget failed
        $ kubectl gc why --gc
      objects in etcd that cannot be decoded
        CustomResourceDefinition widgets.example.com: widgets.example.com: cannot list widgets: failed to read one or more widgets.example.com from the storage: /registry/example.com/widgets/shop/a (object not decodable)
        $ kubectl gc why --gc
      another error, of a kind of an aggregated API
        APIService v1.example.com: widgets.example.com: cannot list widgets: service unavailable
        likely, $ kubectl gc why --gc
      not where a busy or failing server did not answer
      not where you may not read it
      not where the answer took too long
      not where discovery failed"
    `);
  });
});
