import {
  blocking,
  configMap,
  deployment,
  node,
  ownedBy,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';

const running = { nodeName: 'a', phase: 'Running', terminationGracePeriodSeconds: 30 };

/** A Deployment whose tree has an object of every fate. */
export const web = deployment('web');
const other = deployment('other');
const current = replicaSet('web-1', { ownerReferences: [ownedBy(web, blocking)] });
export const story = [
  node('a'),
  web,
  other,
  current,
  pod('web-1-a', { ownerReferences: [ownedBy(current, blocking)], facts: running }),
  pod('web-1-b', {
    ownerReferences: [ownedBy(current)],
    finalizers: ['shop.example.com/drain'],
  }),
  configMap('shared', { ownerReferences: [ownedBy(web), ownedBy(other)] }),
  secret('unrelated'),
];
