import type { ClusterClient } from '../../client/cluster-client.ts';
import { GcError } from '../../errors.ts';
import { isPathSegment } from '../../kube/path-segment.ts';
import { type FailedGroupVersion, ResourceTypes, unnamedGroup } from '../../kube/resource-types.ts';
import { type Json, jsonOf, textOf } from '../../snapshot/json-value.ts';
import { answeredObject } from './answered-list.ts';
import { ApiFailure } from './api-failure.ts';
import { discoverGroupVersions, type GroupVersion } from './discover-group-versions.ts';
import { type GetOptions, get, serverTimeOf } from './get.ts';
import { type DiscoveredTypes, malformedEntry, typesOfDiscovery } from './parse-discovery.ts';
import { readBody, UnreadableJson } from './read-body.ts';

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
  try {
    const document = answeredObject(await readBody(response));
    const found = await typesIn(document, root, client, options);
    // Every server has pods and namespaces, and some group besides.
    if (root === '/api' && found.types.length + found.failed.length === 0) throw namesNothing();
    return { ...found, serverTime };
  } catch (cause) {
    if (!(cause instanceof UnreadableJson || cause instanceof ApiFailure)) throw cause;
    // Taken for an answer, it would be that of a cluster without any object.
    throw new GcError(
      `the server at ${client.server} does not answer as a Kubernetes API server: ${root}: ${cause.message}`,
      {
        code: 'no-api-server',
        suggestions: ["Check the server's address; a proxy in front of it may want a login."],
        cause,
      },
    );
  }
}

/** /api answers with APIVersions, /apis with an APIGroupList; either with an APIGroupDiscoveryList where it aggregates. */
async function typesIn(
  { kind, items, versions, groups }: Json,
  root: Root,
  client: ClusterClient,
  options: GetOptions,
): Promise<DiscoveredTypes> {
  const isCore = root === '/api';
  if (kind === 'APIGroupDiscoveryList' && Array.isArray(items)) {
    if (items.length === 0) throw namesNothing();
    return typesOfDiscovery(items, isCore);
  }
  const named =
    isCore && kind === 'APIVersions' && Array.isArray(versions)
      ? groupVersionsOf('', versions)
      : !isCore && kind === 'APIGroupList' && Array.isArray(groups)
        ? groups.map(groupVersionsIn)
        : undefined;
  if (named === undefined) throw new UnreadableJson('the answer is no list of APIs');
  const all = [named].flat();
  if (all.length === 0) throw namesNothing();
  const found = await discoverGroupVersions(
    client,
    all.flatMap(({ served }) => served),
    options,
  );
  return { types: found.types, failed: [...all.flatMap(({ failed }) => failed), ...found.failed] };
}

function namesNothing(): UnreadableJson {
  return new UnreadableJson('the answer names no API');
}

interface NamedVersions {
  readonly served: readonly GroupVersion[];
  readonly failed: readonly FailedGroupVersion[];
}

/** The versions of an APIGroup, the preferred one first. */
function groupVersionsIn(entry: unknown): NamedVersions {
  const group = jsonOf(entry);
  const name = textOf(group?.name);
  if (name === undefined || !isPathSegment(name)) {
    return { served: [], failed: [malformedEntry(unnamedGroup)] };
  }
  const { versions } = group ?? {};
  if (!Array.isArray(versions)) return { served: [], failed: [malformedEntry(name)] };
  const listed = versions.map((version) => jsonOf(version)?.version);
  const preferred = jsonOf(group?.preferredVersion)?.version;
  const ordered = listed.includes(preferred)
    ? [preferred, ...listed.filter((version) => version !== preferred)]
    : listed;
  return groupVersionsOf(name, ordered);
}

function groupVersionsOf(group: string, versions: readonly unknown[]): NamedVersions {
  const named = versions.filter(isVersion);
  return {
    served: named.map((version) => ({ group, version })),
    failed: named.length < versions.length ? [malformedEntry(group)] : [],
  };
}

function isVersion(value: unknown): value is string {
  return typeof value === 'string' && isPathSegment(value);
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
    const { gitVersion } = Object(JSON.parse(body.toString('utf8'))) as { gitVersion?: unknown };
    return typeof gitVersion === 'string' ? gitVersion : undefined;
  } catch {
    return undefined;
  }
}
