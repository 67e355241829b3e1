import type { ClusterClient } from '../../client/cluster-client.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { discoverGroupVersions, type GroupVersion } from './discover-group-versions.ts';
import { type GetOptions, get, serverTimeOf } from './get.ts';
import { type DiscoveredTypes, typesOfDiscovery } from './parse-discovery.ts';
import { parseJson, readBody } from './read-body.ts';

export interface Discovery {
  readonly types: ResourceTypes;
  /** `v1.36.3`; undefined when the server does not say. */
  readonly serverVersion: string | undefined;
  /** RFC 3339, by the server's clock; undefined when it does not say. */
  readonly serverTime: string | undefined;
}

type Root = '/api' | '/apis';

const accept = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Asks what the server serves: two requests, and one per group version where it cannot aggregate them. */
export async function discover(
  client: ClusterClient,
  options: GetOptions = {},
): Promise<Discovery> {
  const [core, groups, serverVersion] = await Promise.all([
    discoverBelow(client, '/api', options),
    discoverBelow(client, '/apis', options),
    serverVersionOf(client, options),
  ]);
  return {
    types: new ResourceTypes([...core.types, ...groups.types], {
      failed: [...core.failed, ...groups.failed],
      exhaustive: true,
    }),
    serverVersion,
    serverTime: groups.serverTime ?? core.serverTime,
  };
}

async function discoverBelow(
  client: ClusterClient,
  root: Root,
  options: GetOptions,
): Promise<DiscoveredTypes & { readonly serverTime: string | undefined }> {
  const response = await get(client, root, accept, options);
  const serverTime = serverTimeOf(response);
  if (response.status !== 200) {
    const { statusError } = await import('../../client/status-error.ts');
    throw await statusError(response, `find out which kinds ${client.server} serves`);
  }
  const document = parseJson(await readBody(response)) as DiscoveryDocument;
  const found = Array.isArray(document.items)
    ? typesOfDiscovery(document.items)
    : await discoverGroupVersions(client, groupVersionsOf(document), options);
  return { ...found, serverTime };
}

/** APIGroupDiscoveryList has items, APIGroupList groups, APIVersions versions. */
interface DiscoveryDocument {
  readonly items?: readonly unknown[];
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion?: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

function groupVersionsOf({ versions, groups }: DiscoveryDocument): GroupVersion[] {
  if (versions) return versions.map((version) => ({ group: '', version }));
  return (groups ?? []).flatMap(({ name, preferredVersion, versions }) => {
    const preferred = preferredVersion?.version;
    const listed = versions.map(({ version }) => version);
    const ordered = preferred
      ? [preferred, ...listed.filter((version) => version !== preferred)]
      : listed;
    return ordered.map((version) => ({ group: name, version }));
  });
}

/** The version is for information only, so not to get it is no failure. */
async function serverVersionOf(
  client: ClusterClient,
  options: GetOptions,
): Promise<string | undefined> {
  const response = await get(client, '/version', 'application/json', options);
  const body = await readBody(response);
  if (response.status !== 200) return undefined;
  try {
    const { gitVersion } = JSON.parse(body.toString('utf8')) as { gitVersion?: unknown };
    return typeof gitVersion === 'string' ? gitVersion : undefined;
  } catch {
    return undefined;
  }
}
