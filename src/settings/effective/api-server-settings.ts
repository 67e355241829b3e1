import type { SettingDefinition } from './setting-definition.ts';
import { settingsOfRows } from './settings-of-rows.ts';

/** Flag, name, type, default (-: none), collectors, rule; what it means. */
const table = `
  enable-garbage-collector enableGarbageCollector bool true garbage-collector GC-78
    honour foreground deletion and orphaning; has to agree with kube-controller-manager
  default-not-ready-toleration-seconds defaultNotReadyTolerationSeconds int 300 node-lifecycle NODE-10
    how long pods stay on a node that is not ready
  default-unreachable-toleration-seconds defaultUnreachableTolerationSeconds int 300 node-lifecycle NODE-10
    how long pods stay on a node that is silent
  enable-admission-plugins enableAdmissionPlugins strings - node-lifecycle,garbage-collector NODE-10
    admission plugins besides the default ones
  disable-admission-plugins disableAdmissionPlugins strings - node-lifecycle NODE-10
    default admission plugins that are off; without DefaultTolerationSeconds pods leave at once
  delete-collection-workers deleteCollectionWorkers int 1 namespace GC-72
    objects that one DELETE of a collection removes at a time
  event-ttl eventTTL duration 1h0m0s events EVT-1
    etcd drops Events after that long
`;

/** The flags of kube-apiserver that decide what is collected. */
export const apiServerSettings: readonly SettingDefinition[] = settingsOfRows(
  'kube-apiserver',
  table,
  {
    'default-not-ready-toleration-seconds': { unit: 's' },
    'default-unreachable-toleration-seconds': { unit: 's' },
  },
);
