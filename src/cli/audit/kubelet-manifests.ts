import { basename } from 'node:path';
import type { SeenKubelets } from '../../audit/rules/audit-rule.ts';
import type { Json } from '../../kube/json-value.ts';
import { bareRecord, type Place } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

const type: ResourceType = {
  group: 'kubelet.config.k8s.io',
  version: 'v1beta1',
  kind: 'KubeletConfiguration',
  resource: 'kubeletconfigurations',
  singular: 'kubeletconfiguration',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: [],
};

/** A KubeletConfiguration of a file, which is no object of a cluster, under the name of its file. */
export function kubeletManifest(configuration: Json, place: Place): SeenKubelets['read'][number] {
  const object = { ...bareRecord({ type, namespace: '', name: basename(place.path) }), place };
  return { object, configuration };
}
