import {
  condition,
  generated,
  inCluster,
  inShop,
  labels,
  later,
  type ObjectWithFacts,
  template,
  templateFacts,
} from './object-with-facts.ts';

export const basics: readonly ObjectWithFacts[] = [
  {
    what: 'cordoned, with heartbeats',
    object: inCluster('Node', 'v1', 'node-facts', {
      spec: {
        providerID: 'cloud:///i-1',
        unschedulable: true,
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      },
      status: { conditions: [{ ...condition, lastHeartbeatTime: later }] },
    }),
    facts: {
      providerID: 'cloud:///i-1',
      unschedulable: true,
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      conditions: [{ ...condition, lastHeartbeatTime: later }],
    },
  },
  {
    what: 'stuck',
    object: inCluster('Namespace', 'v1', 'stuck', {
      spec: { finalizers: ['kubernetes', 'example.com/hold'] },
      status: { phase: 'Terminating', conditions: [condition] },
    }),
    facts: {
      specFinalizers: ['kubernetes', 'example.com/hold'],
      phase: 'Terminating',
      conditions: [condition],
    },
  },
  {
    what: 'with a plain selector',
    object: generated(
      inShop('ReplicationController', 'v1', 'old', {
        spec: { replicas: 0, selector: labels, template },
        status: { replicas: 1, observedGeneration: 3 },
      }),
      4,
    ),
    facts: {
      generation: 4,
      replicas: 0,
      selector: { matchLabels: labels },
      ...templateFacts,
      observedGeneration: 3,
      statusReplicas: 1,
    },
  },
  {
    what: 'with a plain selector',
    object: inShop('Service', 'v1', 'web', {
      spec: {
        type: 'ClusterIP',
        selector: labels,
        ports: [{ port: 80 }],
        ipFamilies: ['IPv6', 'IPv4'],
      },
      status: { loadBalancer: {} },
    }),
    facts: {
      selector: { matchLabels: labels },
      serviceType: 'ClusterIP',
      ipFamilies: ['IPv6', 'IPv4'],
    },
  },
  {
    what: 'of an older cluster',
    object: inShop('ServiceAccount', 'v1', 'web', {
      secrets: [{ name: 'web-token-x' }, { name: 'web-token-y' }],
    }),
    facts: { secrets: ['web-token-x', 'web-token-y'] },
  },
  {
    what: 'of today',
    object: inShop('ServiceAccount', 'v1', 'today', {}),
    facts: undefined,
  },
];
