import {
  condition,
  inShop,
  keeping,
  labels,
  later,
  type ObjectWithFacts,
  template,
  templateFacts,
} from './object-with-facts.ts';

export const basics: readonly ObjectWithFacts[] = [
  keeping('cordoned, with heartbeats', 'v1 Node node-facts', {
    spec: {
      providerID: 'cloud:///i-1',
      unschedulable: true,
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    },
    status: { conditions: [{ ...condition, lastHeartbeatTime: later }] },
  }),
  keeping('stuck', 'v1 Namespace stuck', {
    status: { phase: 'Terminating', conditions: [condition] },
    forgotten: { spec: { finalizers: ['kubernetes', 'example.com/hold'] } },
    facts: { specFinalizers: ['kubernetes', 'example.com/hold'] },
  }),
  keeping('with a plain selector', 'v1 ReplicationController shop/old', {
    generation: 4,
    spec: { replicas: 0 },
    status: { observedGeneration: 3 },
    forgotten: { spec: { selector: labels, template }, status: { replicas: 1 } },
    facts: { selector: { matchLabels: labels }, ...templateFacts, statusReplicas: 1 },
  }),
  keeping('with a plain selector', 'v1 Service shop/web', {
    spec: { ipFamilies: ['IPv6', 'IPv4'] },
    forgotten: {
      spec: { type: 'ClusterIP', selector: labels, ports: [{ port: 80 }] },
      status: { loadBalancer: {} },
    },
    facts: { selector: { matchLabels: labels }, serviceType: 'ClusterIP' },
  }),
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
