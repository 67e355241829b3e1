import type { VersionInfo } from '@kubernetes/client-node';
import { GcError } from '../../errors.ts';
import { fieldsOf, type Json, jsonOf, listOf, textOf } from '../../kube/json-value.ts';
import { isPathSegment } from '../../kube/names.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { type FailedGroupVersion, ResourceTypes, unnamedGroup } from '../../kube/resource-types.ts';
import { ApiFailure, statusError } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { type GetOptions, get } from '../get.ts';
import { readBody, UnreadableJson } from '../read-body.ts';
import { isLoopback } from '../server-host.ts';
import { answeredObject } from './answered-list.ts';

export interface Discovery {
  readonly types: ResourceTypes;
  /** `v1.36.3`; undefined when the server does not say. */
  readonly serverVersion: string | undefined;
  /** Is the server on this machine, not just a tunnel's end? */
  readonly isNear: boolean;
}

type Root = '/api' | '/apis';

/** The last is for an answer that says what else the server is. */
const accept = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Asks what the server serves, in two requests: API servers aggregate that by default since v1.27. */
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
): Promise<DiscoveredTypes> {
  const response = await get(client, root, accept, options);
  if (response.status !== 200) {
    throw await statusError(response, `find out which kinds ${client.server} serves`);
  }
  try {
    const document = answeredObject(await readBody(response));
    const found = typesIn(document, root);
    // Every server has pods and namespaces, and some group besides.
    if (root === '/api' && found.types.length + found.failed.length === 0) throw namesNothing();
    return found;
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

function typesIn({ kind, items }: Json, root: Root): DiscoveredTypes {
  if (kind === 'APIVersions' || kind === 'APIGroupList') {
    throw new UnreadableJson('it lists its kinds API by API, as before Kubernetes v1.27');
  }
  if (kind !== 'APIGroupDiscoveryList' || !Array.isArray(items)) {
    throw new UnreadableJson('the answer is not a list of APIs');
  }
  if (items.length === 0) throw namesNothing();
  return typesOfDiscovery(items, root === '/api');
}

function namesNothing(): UnreadableJson {
  return new UnreadableJson('the answer names no API');
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
    const answer = answeredObject(await readBody(response, longestVersion));
    const { gitVersion } = fieldsOf<VersionInfo>(answer);
    return response.status === 200 ? textOf(gitVersion) : undefined;
  } catch (error) {
    if (error instanceof UnreadableJson || error instanceof ApiFailure) return undefined;
    throw error;
  }
}

interface DiscoveredTypes {
  readonly types: readonly ResourceType[];
  readonly failed: readonly FailedGroupVersion[];
}

/**
 * The types in one APIGroupDiscoveryList (v2 or v2beta1), in the server's order of preference. Of an
 * entry that is malformed the group version counts as failed; the others are kept.
 */
function typesOfDiscovery(items: readonly unknown[], isCore: boolean): DiscoveredTypes {
  const types: ResourceType[] = [];
  const failed: FailedGroupVersion[] = [];
  const fail = (group: string, version?: string, why = 'is described in a malformed way') => {
    const named = [group, version].filter(Boolean).join('/') || 'of the core group';
    const whose =
      group === unnamedGroup ? 'an API that the server does not name' : `the API ${named}`;
    const message = `${whose} ${why}, so the kinds it serves are unknown`;
    failed.push({ group, version, message });
  };
  for (const item of items) {
    const { name } = fieldsOf(fieldsOf(item).metadata);
    const group = isCore ? '' : isSegment(name) ? name : unnamedGroup;
    const versions = fieldsOf(item).versions ?? [];
    if (group === unnamedGroup || !jsonOf(item) || !Array.isArray(versions)) {
      fail(group);
      continue;
    }
    for (const { version, freshness, resources } of versions.map(fieldsOf)) {
      if (!isSegment(version)) fail(group);
      else if (freshness === 'Stale') fail(group, version, 'is not answering');
      else {
        const entries = resources ?? [];
        const isList = Array.isArray(entries);
        const read = isList ? entries.map((entry) => typeIn(group, version, entry)) : [malformed];
        types.push(...read.filter((type) => typeof type === 'object'));
        if (read.includes(malformed)) fail(group, version);
      }
    }
  }
  return { types, failed };
}

const malformed = 'malformed';

/**
 * What one entry of a list of kinds is; undefined of one that stands for none, `malformed` of one that is not known. Each
 * of its names becomes part of a path.
 */
function typeIn(
  group: string,
  version: string,
  entry: unknown,
): ResourceType | undefined | typeof malformed {
  const { responseKind, resource, singularResource, scope, ...lists } = fieldsOf(entry);
  const kind = fieldsOf(responseKind).kind ?? '';
  const hasKind = (responseKind ?? null) === null || jsonOf(responseKind);
  // client-go drops a resource without a kind, too: nothing can be addressed by it.
  if (jsonOf(entry) && hasKind && kind === '') return undefined;
  const [verbs, shortNames, categories] = [lists.verbs, lists.shortNames, lists.categories].map(
    textsIn,
  );
  if (!isSegment(resource) || typeof kind !== 'string' || kind === '') return malformed;
  if (!verbs || !shortNames || !categories) return malformed;
  return {
    group,
    version,
    kind,
    resource,
    singular: textOf(singularResource) || kind.toLowerCase(),
    shortNames,
    categories,
    namespaced: scope === 'Namespaced',
    verbs,
  };
}

/** Undefined when it is no list of strings; Go writes an empty one as null or not at all. */
function textsIn(value: unknown): readonly string[] | undefined {
  return (value ?? null) === null ? [] : listOf(value, textOf);
}
