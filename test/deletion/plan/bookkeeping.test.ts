import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, node } from '../../support/builders.ts';
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
  test('addresses of a Service go with it, whatever their labels, and no others', () => {
    const other = [address('10.0.0.8', allocated), address('fd00::8', allocated)];
    expect(fates(planned([web, ...addresses, ...other], web))).toEqual([
      '0 Service web: deleted (GC-61)',
      '1 IPAddress 10.0.0.7: deleted (BOOK-1)',
      '1 IPAddress fd00::7: deleted (BOOK-1)',
    ]);
    const bare = address('10.0.0.7');
    expect(fates(planned([web, bare], web)).at(-1)).toBe('1 IPAddress 10.0.0.7: deleted (BOOK-1)');
  });

  test('the APIService of a version goes with the last definition that has it', () => {
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

  test('is made again while that is there', () => {
    const [first] = addresses as [ObjectRecord];
    const made = planned([web, ...addresses], first).objects[0];
    expect([made?.fate, made?.because]).toEqual([
      'recreated',
      'requested; nothing holds it, so it is gone at once; the API server, which keeps it for Service web in namespace shop, makes another',
    ]);
    expect(planned([widgets, example], example).objects[0]?.fate).toBe('recreated');
    expect(planned([example], example).objects[0]?.fate).toBe('deleted');
    const gone = planned([web, ...addresses], [first, web]).objects;
    expect(gone.map(({ fate }) => fate)).toEqual(['deleted', 'deleted', 'deleted']);
  });
});

describe('what every cluster has is made again', () => {
  const fateOf = (target: ObjectRecord) => {
    const { objects, remarks } = planned([target, node('n')], target);
    const told = remarks.filter(({ code }) => code === 'recreated');
    return [objects[0]?.fate, ...told.map(({ message }) => message)];
  };
  const of = (apiVersion: string, kind: string, name: string, details: Details = {}) =>
    fateOf(builderOf(apiVersion, kind)(name, details));

  test('by an API server, at once', () => {
    const flow = 'flowcontrol.apiserver.k8s.io/v1';
    expect([
      of('v1', 'Namespace', 'kube-node-lease'),
      of('v1', 'Service', 'kubernetes', { namespace: 'default' }),
      of('networking.k8s.io/v1', 'ServiceCIDR', 'kubernetes'),
      of(flow, 'FlowSchema', 'probes'),
      of(flow, 'PriorityLevelConfiguration', 'workload-low'),
    ]).toEqual([
      ['recreated', 'the API server makes 1 Namespace again.'],
      ['recreated', 'the API server makes 1 Service again.'],
      ['recreated', 'the API server makes 1 ServiceCIDR again.'],
      ['recreated', 'the API server makes 1 FlowSchema again.'],
      ['recreated', 'the API server makes 1 PriorityLevelConfiguration again.'],
    ]);
    expect(of('v1', 'Service', 'kubernetes')).toEqual(['deleted']);
    expect(of(flow, 'FlowSchema', 'own')).toEqual(['deleted']);
  });

  test('or when an API server starts', () => {
    const role = 'rbac.authorization.k8s.io/v1';
    const bootstrap = { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } };
    expect(of(role, 'ClusterRole', 'view', bootstrap)).toEqual([
      'deleted',
      'the API server may make 1 ClusterRole again: it does so only when it starts.',
    ]);
    expect(of(role, 'ClusterRole', 'view')).toEqual(['deleted']);
  });

  test('or by the holder of a Lease, while it renews that', () => {
    const lease = (name: string, renewTime: number, labels = {}) =>
      of('coordination.k8s.io/v1', 'Lease', name, {
        namespace: 'kube-system',
        labels,
        facts: { renewTime: new Date(renewTime).toISOString(), leaseDurationSeconds: 3_600 },
      })[0];
    const server = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const { now } = context;
    expect([
      lease('kube-scheduler', now - 2_000),
      lease('apiserver-a', now - 2_000, server),
      lease('apiserver-a', now - 600_000, server),
      lease('own', now - 2_000),
    ]).toEqual(['recreated', 'recreated', 'deleted', 'deleted']);
  });
});
