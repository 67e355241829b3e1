import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, node } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { context, fates, planned } from './planned.ts';

const service = builderOf('v1', 'Service');
const address = builderOf('networking.k8s.io/v1', 'IPAddress');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const apiService = builderOf('apiregistration.k8s.io/v1', 'APIService');

const allocated = { labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } };
const web = service('web', { facts: { clusterIPs: ['10.0.0.7', 'fd00::7'] } });
const addresses = [address('10.0.0.7', allocated), address('fd00::7', allocated)];
const registered = (how: string) => ({
  labels: { 'kube-aggregator.kubernetes.io/automanaged': how },
});
const example = apiService('v1.example.com', registered('true'));
const widgets = definition('widgets.example.com');
const gadgets = definition('gadgets.example.com');

describe('what the API server keeps for an object', () => {
  test('addresses of a Service are deleted with it, whatever their labels, and no others', () => {
    const other = [address('10.0.0.8', allocated), address('fd00::8', allocated)];
    expect(fates(planned([web, ...addresses, ...other], web))).toEqual([
      '0 Service web: deleted (GC-61)',
      '1 IPAddress 10.0.0.7: deleted (BOOK-1)',
      '1 IPAddress fd00::7: deleted (BOOK-1)',
    ]);
    const bare = address('10.0.0.7');
    expect(fates(planned([web, bare], web)).at(-1)).toBe('1 IPAddress 10.0.0.7: deleted (BOOK-1)');
  });

  test('a range stays protected while a Service has an address that only it contains', () => {
    const range = builderOf('networking.k8s.io/v1', 'ServiceCIDR')('taken', {
      finalizers: ['networking.k8s.io/service-cidr-finalizer'],
      facts: { cidrs: ['10.0.0.0/24'] },
    });
    const own = address('10.0.0.7', {
      labels: { ...allocated.labels, 'ipaddress.kubernetes.io/ip-family': 'IPv4' },
      facts: { parentRef: { resource: 'services', namespace: web.namespace, name: 'web' } },
    });
    expect(fates(planned([range, web, own], range))).toEqual([
      '0 ServiceCIDR taken: terminating (GC-61)',
    ]);
  });

  test('the APIService of a version is deleted with the last definition that has it', () => {
    expect(fates(planned([widgets, example], widgets))).toEqual([
      '0 CustomResourceDefinition widgets.example.com: deleted (GC-66)',
      '1 APIService v1.example.com: deleted (BOOK-2)',
    ]);
    const all = [widgets, gadgets, example];
    expect(fates(planned(all, widgets))).toEqual([
      '0 CustomResourceDefinition widgets.example.com: deleted (GC-66)',
    ]);
    expect(fates(planned(all, [widgets, gadgets])).at(-1)).toContain('APIService v1.example.com');
  });

  test('is recreated while that exists', () => {
    const [first] = addresses as [ObjectRecord];
    const made = planned([web, ...addresses], first).objects[0];
    expect([made?.fate, made?.because]).toEqual([
      'recreated',
      expect.stringContaining('for Service web in namespace shop'),
    ]);
    expect(planned([widgets, example], example).objects[0]?.fate).toBe('recreated');
    expect(planned([example], example).objects[0]?.fate).toBe('deleted');
    const gone = planned([web, ...addresses], [first, web]).objects;
    expect(gone.map(({ fate }) => fate)).toEqual(['deleted', 'deleted', 'deleted']);
  });
});

const { now } = context;
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString();
const server = '{apiserver.kubernetes.io/identity: kube-apiserver}';
const lease = (seconds: number, labels = '{}') =>
  `{namespace: kube-system, labels: ${labels}, facts: {renewTime: "${ago(seconds)}", leaseDurationSeconds: 3600}}`;
const flow = 'flowcontrol.apiserver.k8s.io/v1';
const role = 'rbac.authorization.k8s.io/v1 ClusterRole view';
// By an API server, when one starts, or by the holder of a Lease while it renews that.
const rows = rowsOf(`
  v1 Namespace kube-node-lease                | {}                   | recreated | the API server recreates 1 Namespace.
  v1 Service kubernetes                       | {namespace: default} | recreated | the API server recreates 1 Service.
  networking.k8s.io/v1 ServiceCIDR kubernetes | {}                   | recreated | the API server recreates 1 ServiceCIDR.
  ${flow} FlowSchema probes                   | {}                   | recreated | the API server recreates 1 FlowSchema.
  ${flow} PriorityLevelConfiguration workload-low | {} | recreated | the API server recreates 1 PriorityLevelConfiguration.
  v1 Service kubernetes                       | {}                   | deleted
  ${flow} FlowSchema own                      | {}                   | deleted
  ${role} | {labels: {kubernetes.io/bootstrapping: rbac-defaults}} | deleted
      | the API server may recreate 1 ClusterRole: it does so only when it starts.
  ${role}                                     | {}                   | deleted
  coordination.k8s.io/v1 Lease kube-scheduler | ${lease(2)}          | recreated | its holder recreates 1 Lease.
  coordination.k8s.io/v1 Lease apiserver-a    | ${lease(2, server)}  | recreated | its holder recreates 1 Lease.
  coordination.k8s.io/v1 Lease apiserver-a    | ${lease(600, server)} | deleted
  coordination.k8s.io/v1 Lease own            | ${lease(2)}          | deleted
`);
test.each(rows)('cluster bookkeeping is recreated: %s, %s', (text = '', details = '', ...told) => {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  const target = builderOf(apiVersion, kind)(name, parse(details));
  const { objects, remarks } = planned([target, node('n')], target);
  const again = remarks.filter(({ code }) => code === 'recreated');
  expect([objects[0]?.fate, ...again.map(({ message }) => message)]).toEqual(told);
});
