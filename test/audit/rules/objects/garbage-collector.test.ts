import { describe, expect, test } from 'vitest';
import {
  collectorWithoutLeader,
  unavailableApi,
  unlistableKind,
} from '../../../../src/audit/rules/garbage-collector.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import { builderOf, servedTypes } from '../../../support/builders.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

describe('collector-without-leader', () => {
  const at = (renewTime: string, who = 'control-1') =>
    `facts: {renewTime: "${renewTime}", leaseDurationSeconds: 15, holderIdentity: "${who}"}`;
  const lease = 'Lease kube-controller-manager';
  const last = `${lease}: kube-controller-manager last renewed its Lease`;
  const fix = 'likely, $ kubectl get pods -n kube-system -l component=kube-controller-manager';
  const files = 'origin: {kind: files, paths: [leases.yaml]}';
  const [before, old] = ['2026-01-02T22:00:00.000000Z', '2025-12-01T00:00:00.000000Z'];
  casesOfRule(
    collectorWithoutLeader,
    `
    lease   | ${lease}       | {namespace: kube-system}
    kubelet | Lease worker-1 | {namespace: kube-node-lease, facts: {renewTime: "${before}"}}
    `,
    `
    it is not renewed            | lease {${at(before)}}     | | ${last} 120m before; it is still held by control-1 | ${fix}
    no instance holds it         | lease {${at(before, '')}} | | ${last} 120m before; no instance holds it | ${fix}
    not in a file alone          | lease {${at(old)}}        | ${files}
    not in a file of that moment | lease {${at(old)}}; kubelet {facts: {renewTime: "2025-12-01T00:00:05.000000Z"}} | ${files}
    in a file that another Lease shows to be later
        | lease {${at(old)}}; kubelet {facts: {renewTime: "2025-12-01T00:05:00.000000Z"}} | ${files}
        | ${last} 5m before; it is still held by control-1 | ${fix}
    not where it is renewed                  | lease {${at('2026-01-02T23:59:55.000000Z')}}
    not where a renewal or two is missing    | lease {${at('2026-01-02T23:59:10.000000Z')}}
    not where there is no such Lease         | kubelet
    metadata alone does not tell             | lease | | 1 not checked: only metadata of its Lease was read
    `,
  );
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
  const problem = (message: string, reason = 'unavailable') =>
    `{reason: ${reason}, message: "cannot list widgets: ${message}", resource: ${kind}, apiVersion: example.com/v1}`;
  const problems = (one: string) => `coverage: {problems: [${one}, ${one}]}`;
  const found = `CustomResourceDefinition ${kind}: ${kind}: cannot list widgets`;
  const fix = '$ kubectl gc why --gc';
  casesOfRule(
    unlistableKind,
    `
    crd     | CustomResourceDefinition ${kind}
    service | APIService v1.example.com
    `,
    `
    a conversion webhook that does not answer, told once | crd | ${problems(problem(failed))} | ${found}: ${failed} | ${fix}
    and its definition was not read             |     | ${problems(problem(failed))} | ${found}: ${failed} | ${fix}
    objects in etcd that cannot be decoded      | crd | ${problems(problem(undecodable))} | ${found}: ${undecodable} | ${fix}
    another error, of a kind of an aggregated API | service | ${problems(problem('it is broken'))}
        | APIService v1.example.com: ${kind}: cannot list widgets: it is broken | likely, ${fix}
    not where you may not read it               | crd | ${problems(problem(failed, 'forbidden'))}
    not where the answer took too long          | crd | ${problems(problem(failed, 'timed-out'))}
    not where discovery failed | crd | ${problems('{reason: discovery-failed, message: x, apiVersion: example.com/v1}')}
    `,
  );
});
