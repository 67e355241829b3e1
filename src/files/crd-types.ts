import { conditionOf, type Json, jsonOf, listOf, textOf } from '../kube/json-value.ts';
import type { ResourceType } from '../kube/resource-type.ts';

const servedVerbs = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
const verbsWhenTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch'];

export function isCustomResourceDefinition(object: Json): boolean {
  return (
    object.kind === 'CustomResourceDefinition' &&
    textOf(object.apiVersion)?.startsWith('apiextensions.k8s.io/') === true
  );
}

/**
 * The types a CustomResourceDefinition (v1 or v1beta1) serves, the preferred version first; none
 * when only its metadata is there or it was not established. Mirrors sync of apiextensions'
 * customresource_discovery_controller.go.
 */
export function crdTypes(crd: Json): ResourceType[] {
  const spec = jsonOf(crd.spec);
  const group = textOf(spec?.group);
  const names = jsonOf(spec?.names);
  const kind = textOf(names?.kind);
  const resource = textOf(names?.plural);
  if (group === undefined || kind === undefined || resource === undefined) return [];
  if (conditionOf(crd, 'Established')?.status === 'False') return [];
  return servedVersions(spec)
    .sort((a, b) => compareVersions(b, a))
    .map((version) => ({
      group,
      version,
      kind,
      resource,
      singular: textOf(names?.singular) ?? kind.toLowerCase(),
      shortNames: listOf(names?.shortNames, textOf) ?? [],
      categories: listOf(names?.categories, textOf) ?? [],
      namespaced: spec?.scope !== 'Cluster',
      verbs:
        conditionOf(crd, 'Terminating')?.status === 'True' ? verbsWhenTerminating : servedVerbs,
    }));
}

function servedVersions(spec: Json | undefined): string[] {
  const versions = listOf(spec?.versions, jsonOf);
  if (!versions?.length) {
    // v1beta1 knows a single version, too.
    const version = textOf(spec?.version);
    return version === undefined ? [] : [version];
  }
  return versions.flatMap(({ name, served }) =>
    typeof name === 'string' && served === true ? [name] : [],
  );
}

const kubeVersion = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ['alpha', 'beta', undefined];

/**
 * Greater is preferred: v2, v1, v1beta2, v1beta1, v1alpha1, then the rest by name.
 * Mirrors CompareKubeAwareVersionStrings, apimachinery pkg/version/helpers.go.
 */
export function compareVersions(a: string, b: string): number {
  const left = kubeVersion.exec(a);
  const right = kubeVersion.exec(b);
  if (!left || !right) {
    if (left || right) return left ? 1 : -1;
    return a === b ? 0 : a < b ? 1 : -1;
  }
  return (
    stages.indexOf(left[2]) - stages.indexOf(right[2]) ||
    Number(left[1]) - Number(right[1]) ||
    Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}
