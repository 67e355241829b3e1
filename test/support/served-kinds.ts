import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import type { Cluster } from './cluster.ts';
import { customTypes } from './etcd-storage.ts';
import { eventually } from './eventually.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Creates a CustomResourceDefinition and waits until every served version of it can be listed; answers its path. */
export async function serveKind(cluster: Cluster, definition: KubeObject): Promise<string> {
  await cluster.create(definitions, definition);
  for (const list of listsOf(definition)) {
    await eventually(`${list} is served`, async () => await cluster.isHealthy(list));
  }
  return pathOf(definition);
}

/**
 * Names a conversion webhook that nothing serves, and waits until the last version of the kind cannot be
 * listed: objects, of which there has to be one, are stored in the first. Answers what the list is refused with.
 */
export async function breakConversion(cluster: Cluster, definition: KubeObject): Promise<number> {
  const webhook = {
    clientConfig: { url: 'https://127.0.0.1:1/' },
    conversionReviewVersions: ['v1'],
  };
  await cluster.patch(pathOf(definition), {
    spec: { conversion: { strategy: 'Webhook', webhook } },
  });
  const list = listsOf(definition).at(-1) ?? '';
  return eventually(`${list} is refused`, async () => {
    const { status } = await cluster.request(list);
    return status >= 429 ? status : undefined;
  });
}

/** Registers an API that has no server; answers its APIService. */
export function makeDeadApi(cluster: Cluster, group: string, version = 'v1', more: object = {}) {
  const service = { namespace: 'kube-system', name: 'not-there' };
  const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
  const spec = { group, version, ...priorities, service, ...more };
  return cluster.make(`APIService ${version}.${group}`, { spec });
}

/** The kind can be listed again. */
export async function restoreConversion(cluster: Cluster, definition: KubeObject): Promise<void> {
  await cluster.patch(pathOf(definition), {
    spec: { conversion: { strategy: 'None', webhook: null } },
  });
}

function listsOf(definition: KubeObject): string[] {
  const { versions } = definition.spec as { readonly versions: readonly { served: boolean }[] };
  return customTypes(definition)
    .filter((_, at) => versions[at]?.served)
    .map((type) => `/apis/${apiVersionOf(type)}/${type.resource}`);
}

function pathOf({ metadata }: KubeObject): string {
  return `${definitions}/${metadata.name}`;
}
