import { GcError } from '../../errors.ts';
import { fieldsOf, type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { apiPath, isPathSegment } from '../../kube/path-segment.ts';
import { groupVersionSegments, type ResourceType } from '../../kube/resource-type.ts';
import { type FailedGroupVersion, ResourceTypes, unnamedGroup } from '../../kube/resource-types.ts';
import { ApiFailure, failureOf, statusError } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { type GetOptions, get, serverTimeOf } from '../get.ts';
import { inParallel } from '../in-parallel.ts';
import { readBody, UnreadableJson } from '../read-body.ts';
import { isLoopback } from '../server-host.ts';
import { answeredObject } from './answered-list.ts';

export interface Discovery {
  readonly types: ResourceTypes;
  /** `v1.36.3`; undefined when the server does not say. */
  readonly serverVersion: string | undefined;
  /** RFC 3339, by the server's clock; undefined when it does not say. */
  readonly serverTime: string | undefined;
  /** Is the server on this machine, not just a tunnel's end? */
  readonly isNear: boolean;
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
  const first = discoverBelow(client, '/api', options);
  const [core, groups, version] = await Promise.all([
    first,
    discoverBelow(client, '/apis', options),
    askVersion(client, options, first),
  ]);
  return {
    types: new ResourceTypes([...core.types, ...groups.types], {
      failed: [...core.failed, ...groups.failed],
      exhaustive: true,
    }),
    ...version,
    serverTime: groups.serverTime ?? core.serverTime,
  };
}

/** Milliseconds; a tunnel to a cluster elsewhere takes longer. */
const nearby = 10;

/**
 * On a server of this machine, or behind a tunnel that begins here, the question waits until there is a connection
 * for it: to open another takes longer than the answer. A tunnel shows by the time of that answer.
 */
async function askVersion(
  client: ClusterClient,
  options: GetOptions,
  connected: Promise<unknown>,
): Promise<Pick<Discovery, 'serverVersion' | 'isNear'>> {
  const isLocal = isLoopback(new URL(client.server));
  if (isLocal) await connected;
  const start = performance.now();
  const serverVersion = await readServerVersion(client, options);
  return { serverVersion, isNear: isLocal && performance.now() - start < nearby };
}

async function discoverBelow(
  client: ClusterClient,
  root: Root,
  options: GetOptions,
): Promise<DiscoveredTypes & { readonly serverTime: string | undefined }> {
  const response = await get(client, root, accept, options);
  const serverTime = serverTimeOf(response);
  if (response.status !== 200) {
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
        suggestions: ["Check the server's address; a proxy in front of it may require a login."],
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
  if (named === undefined) throw new UnreadableJson('the answer is not a list of APIs');
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

/** The versions of an APIGroup, the preferred one first. */
function groupVersionsIn(entry: unknown) {
  const { name, versions, preferredVersion } = fieldsOf(entry);
  if (!isSegment(name)) return { served: [], failed: [malformedEntry(unnamedGroup)] };
  if (!Array.isArray(versions)) return { served: [], failed: [malformedEntry(name)] };
  const listed = new Set(versions.map((version) => fieldsOf(version).version));
  const { version: preferred } = fieldsOf(preferredVersion);
  return groupVersionsOf(
    name,
    listed.has(preferred) ? [...new Set([preferred, ...listed])] : [...listed],
  );
}

function groupVersionsOf(group: string, versions: readonly unknown[]) {
  const named = versions.filter(isSegment);
  return {
    served: named.map((version) => ({ group, version })),
    failed: named.length < versions.length ? [malformedEntry(group)] : [],
  };
}

function isSegment(value: unknown): value is string {
  return typeof value === 'string' && isPathSegment(value);
}

const longestVersion = 64 * 1024;

/** The version is for information only, so not to get it is no failure. */
export async function readServerVersion(
  client: ClusterClient,
  options: GetOptions = {},
): Promise<string | undefined> {
  const response = await get(client, '/version', 'application/json', options);
  try {
    const { gitVersion } = answeredObject(await readBody(response, longestVersion));
    return response.status === 200 ? textOf(gitVersion) : undefined;
  } catch (error) {
    if (error instanceof UnreadableJson || error instanceof ApiFailure) return undefined;
    throw error;
  }
}

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

const concurrency = 8;

/** Unaggregated discovery: one request per group version; those that fail are reported, the rest is kept. */
async function discoverGroupVersions(
  client: ClusterClient,
  groupVersions: readonly GroupVersion[],
  options: GetOptions,
): Promise<DiscoveredTypes> {
  const failed: FailedGroupVersion[] = [];
  const types = await inParallel(groupVersions, concurrency, async ({ group, version }) => {
    const name = group === '' ? version : `${group}/${version}`;
    try {
      const path = apiPath(...groupVersionSegments({ group, version }));
      const response = await get(client, path, 'application/json', options);
      if (response.status !== 200) throw await failureOf(response);
      const list = answeredObject(await readBody(response));
      // Go writes an empty list as null.
      const resources = list.resources === null ? [] : list.resources;
      if (list.kind !== 'APIResourceList' || !Array.isArray(resources)) {
        throw new UnreadableJson('the answer is not an APIResourceList');
      }
      const found = typesOfResourceList(group, version, resources);
      failed.push(...found.failed);
      return found.types;
    } catch (error) {
      if (!(error instanceof ApiFailure || error instanceof UnreadableJson)) throw error;
      const message = `the kinds of the API ${name} are unknown: ${error.message}`;
      failed.push({ group, version, message });
      return [];
    }
  });
  return { types: types.flat(), failed };
}

export interface DiscoveredTypes {
  readonly types: readonly ResourceType[];
  readonly failed: readonly FailedGroupVersion[];
}

/**
 * What one entry of a list of kinds is: undefined, and it stands for none; `malformed`: for one
 * that is not known.
 */
type ReadType = ResourceType | undefined | 'malformed';

/**
 * The types in one APIGroupDiscoveryList (v2 or v2beta1), in the server's order of preference. Of an
 * entry that is malformed the group version counts as failed; the others are kept.
 */
function typesOfDiscovery(items: readonly unknown[], isCore: boolean): DiscoveredTypes {
  const types: ResourceType[] = [];
  const failed: FailedGroupVersion[] = [];
  for (const item of items) {
    const { name } = fieldsOf(fieldsOf(item).metadata);
    const group = isCore ? '' : isSegment(name) ? name : unnamedGroup;
    const versions = fieldsOf(item).versions ?? [];
    if (group === unnamedGroup || !jsonOf(item) || !Array.isArray(versions)) {
      failed.push(malformedEntry(group));
    } else for (const version of versions) take(group, fieldsOf(version), types, failed);
  }
  return { types, failed };
}

function take(
  group: string,
  discovered: Json,
  types: ResourceType[],
  failed: FailedGroupVersion[],
): void {
  const { version, freshness } = discovered;
  const resources = discovered.resources ?? [];
  if (!isSegment(version)) failed.push(malformedEntry(group));
  else if (freshness === 'Stale') {
    failed.push({ group, version, message: staleMessage(group, version) });
  } else if (!Array.isArray(resources)) failed.push(malformedEntry(group, version));
  else {
    const read = resources.map((resource) => aggregatedType(group, version, jsonOf(resource)));
    types.push(...read.filter(isType));
    if (read.includes('malformed')) failed.push(malformedEntry(group, version));
  }
}

function aggregatedType(group: string, version: string, resource: Json | undefined): ReadType {
  if (!resource) return 'malformed';
  const { responseKind = null } = resource;
  const kind = responseKind === null ? '' : (jsonOf(responseKind)?.kind ?? '');
  if (responseKind !== null && !jsonOf(responseKind)) return 'malformed';
  // client-go drops a resource without a kind, too: nothing can be addressed by it.
  if (kind === '') return undefined;
  return typeOf(group, version, {
    ...resource,
    kind,
    name: resource.resource,
    singularName: resource.singularResource,
    namespaced: resource.scope === 'Namespaced',
  });
}

/** The types in one APIResourceList of unaggregated discovery, subresources left out. */
function typesOfResourceList(
  group: string,
  version: string,
  resources: readonly unknown[],
): DiscoveredTypes {
  const read = resources.map((entry): ReadType => {
    const resource = jsonOf(entry);
    const isSubresource = textOf(resource?.name)?.includes('/') ?? false;
    return isSubresource ? undefined : resource ? typeOf(group, version, resource) : 'malformed';
  });
  return {
    types: read.filter(isType),
    failed: read.includes('malformed') ? [malformedEntry(group, version)] : [],
  };
}

/** An APIResource; each of its names becomes part of a path. */
function typeOf(group: string, version: string, resource: Json): ReadType {
  const name = textOf(resource.name);
  const kind = textOf(resource.kind);
  const [verbs, shortNames, categories] = [
    resource.verbs,
    resource.shortNames,
    resource.categories,
  ].map(textsIn);
  if (name === undefined || !isPathSegment(name) || !kind) return 'malformed';
  if (!verbs || !shortNames || !categories) return 'malformed';
  return {
    group,
    version,
    kind,
    resource: name,
    singular: textOf(resource.singularName) || kind.toLowerCase(),
    shortNames,
    categories,
    namespaced: resource.namespaced === true,
    verbs,
  };
}

function isType(read: ReadType): read is ResourceType {
  return typeof read === 'object';
}

/** Undefined when it is no list of strings; Go writes an empty one as null or not at all. */
function textsIn(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isTexts ? value : undefined;
}

/** An answer with a malformed part. */
function malformedEntry(group: string, version?: string): FailedGroupVersion {
  const whose =
    group === unnamedGroup
      ? 'an API that the server does not name'
      : `the API ${[group, version].filter(Boolean).join('/') || 'of the core group'}`;
  return {
    group,
    version,
    message: `${whose} is described in a malformed way, so the kinds it serves are unknown`,
  };
}

function staleMessage(group: string, version: string): string {
  return `the API ${group}/${version} is not answering, so the kinds it serves are unknown`;
}
