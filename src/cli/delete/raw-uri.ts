import { usageError } from '../../errors.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';

/** What the path of a request names. */
export interface NamedByPath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for all namespaces, and for what is in none. */
  readonly namespace: string;
  /** Undefined for a collection. */
  readonly name: string | undefined;
  /** It goes on below an object, as in `…/pods/web/status`. */
  readonly isBelow: boolean;
}

/** The URI of `--raw`, taken apart. */
export interface RawUri {
  /** Path and query, exactly as they are sent. */
  readonly request: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined when it is no path of objects, such as `/healthz`. */
  readonly named: NamedByPath | undefined;
}

/**
 * Reads the URI of `--raw`. What is judged is what is sent: dot segments are resolved in both. Of a
 * whole URL kubectl takes path and query, and no more.
 */
export function rawUriOf(raw: string): RawUri {
  const isPath = raw.startsWith('/');
  if (!isPath && !/^[a-z]+:/i.test(raw)) throw invalid(raw);
  try {
    const { pathname, search, searchParams } = new URL(isPath ? `http://server${raw}` : raw);
    if (!pathname.startsWith('/')) throw invalid(raw);
    const parts = decodeURIComponent(pathname).split('/').filter(Boolean);
    return {
      request: pathname + search,
      path: pathname,
      query: searchParams,
      named: namedBy(parts),
    };
  } catch {
    throw invalid(raw);
  }
}

/** Below a namespace these belong to the Namespace itself, and to no object in it. */
const partsOfNamespaces = new Set(['status', 'finalize']);

/** As the server takes a path apart, once it is decoded (RequestInfoFactory.NewRequestInfo). */
function namedBy([root, ...parts]: readonly string[]): NamedByPath | undefined {
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? parts.shift() : '';
  const version = parts.shift();
  const isWithin =
    parts.length > 2 && parts[0] === 'namespaces' && !partsOfNamespaces.has(parts[2] ?? '');
  const [namespace = ''] = isWithin ? parts.splice(0, 2).slice(1) : [];
  const [resource, name, ...below] = parts;
  if (group === undefined || version === undefined || resource === undefined) return undefined;
  return { group, version, resource, namespace, name, isBelow: below.length > 0 };
}

/** Where it leads, as far as that decides whether it is protected. */
export function placeOf({ named }: RawUri): Omit<ObjectReference, 'uid'> | undefined {
  if (!named) return undefined;
  const { group, version, resource, namespace, name = '' } = named;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const kind = apiVersion === 'v1' && resource === 'namespaces' ? 'Namespace' : '';
  return { apiVersion, kind, namespace, name };
}

function invalid(raw: string) {
  return usageError(
    'wrong-raw',
    `--raw must be a valid URL path: parse "${raw}": invalid URI for request`,
  );
}
