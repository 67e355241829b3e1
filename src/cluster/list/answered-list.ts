import type { V1Status } from '@kubernetes/client-node';
import { brief, metadataFault } from '../../files/object-fault.ts';
import { fieldsOf, type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { isPathSegment } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { mayListAs } from '../../kube/resource-types.ts';
import { ApiFailure } from '../api-failure.ts';
import { parseJsonBody, UnreadableJson } from '../read-body.ts';

/** One page of a list in JSON, checked. */
export interface AnsweredList {
  readonly items: readonly KubeObject[];
  /** The token of the next page; empty after the last one. */
  readonly continue: string;
  /** Empty when the server does not say. */
  readonly resourceVersion: string;
}

/**
 * The list in the body of a 200. Throws UnreadableJson when it is anything else, because what is no
 * list would count as an empty one; ApiFailure when it is a Status.
 */
export function answeredList(body: Buffer, type?: ResourceType): AnsweredList {
  const list = answeredObject(body);
  const { kind, items, metadata } = list;
  if (typeof kind !== 'string' || kind === '') throw new UnreadableJson('the answer is not a list');
  // Go writes the empty list of a PartialObjectMetadataList as null.
  const isEmpty = items === null && kind.endsWith('List');
  if (!isEmpty && !Array.isArray(items)) {
    throw new UnreadableJson(`the answer is not a list, but a ${brief(kind)} without items`);
  }
  if (type && !mayListAs(type, kind)) {
    throw new UnreadableJson(`the answer is a ${brief(kind)}, and not a list of ${type.kind}s`);
  }
  const checked = isEmpty
    ? []
    : (items as unknown[]).map((item, at) => checkedItem(item, `item ${at + 1} of the list`));
  const fields = jsonOf(metadata);
  return {
    items: checked,
    continue: textOf(fields?.continue) ?? '',
    resourceVersion: textOf(fields?.resourceVersion) ?? '',
  };
}

/** Field selectors may leave pages nearly empty; more of them in a row than this lead nowhere. */
const mostThinPages = 1000;
const thinPage = 10;
/** Characters; it stands in the address of the next page, and servers take no longer ones. */
const longestToken = 16 * 1024;
/** Of one kind; more do not fit into memory, and no cluster is known to come near. */
export const mostObjects = 2_000_000;

/** Follows a list from page to page; throws UnreadableJson where the pages have no end. */
export class Pages {
  readonly #tokens = new Set<string>();
  #thin = 0;
  #objects = 0;

  /** The token to go on with, after a page of so many objects; empty after the last one. */
  next(token: string, objects: number): string {
    this.#thin = objects < thinPage ? this.#thin + 1 : 0;
    this.#objects += objects;
    if (token === '') return '';
    if (this.#tokens.has(token)) {
      throw new UnreadableJson('the server sent the same continue token twice');
    }
    if (token.length > longestToken) {
      throw new UnreadableJson(`its continue token is longer than ${longestToken} characters`);
    }
    if (this.#thin > mostThinPages) {
      throw new UnreadableJson(
        `the list goes on after ${mostThinPages} pages of less than ${thinPage} objects`,
      );
    }
    if (this.#objects > mostObjects) {
      throw new UnreadableJson(`the list goes on after ${mostObjects} objects`);
    }
    this.#tokens.add(token);
    return token;
  }
}

/** The single object in the body of a 200; it must have the name that was asked for. */
export function answeredItem(body: Buffer, name: string): KubeObject {
  const object = answeredObject(body);
  const given = jsonOf(object.metadata)?.name;
  if (given !== name) throw new UnreadableJson('the answer is not the object that was asked for');
  const fault = metadataFault(fieldsOf(object.metadata));
  if (fault !== undefined) throw new UnreadableJson(`the object is malformed: ${fault}`);
  return object as KubeObject;
}

/** A JSON object that is no refusal. A proxy may send a Status with HTTP status 200. */
export function answeredObject(body: Buffer): Json {
  const object = parseJsonBody(body) as Json;
  if (Array.isArray(object)) throw new UnreadableJson('the answer is not an object');
  const { kind, code, message } = fieldsOf<V1Status>(object);
  if (kind === 'Status') {
    const status = typeof code === 'number' ? code : 0;
    const reason = typeof message === 'string' && message !== '' ? `: ${message}` : '';
    throw new ApiFailure(status, `the answer is a Status${status ? ` of ${status}` : ''}${reason}`);
  }
  return object;
}

/** Who wrote what is left out: so every record is the same, whatever the encoding of its object. */
export function withoutManagedFields<T extends Json>(object: T): T {
  const { managedFields, ...metadata } = fieldsOf(object.metadata);
  return managedFields === undefined ? object : { ...object, metadata };
}

/** An object as a cluster may hold it; `what` it is, for the error. */
export function checkedItem(item: unknown, what: string): KubeObject {
  const metadata = fieldsOf(fieldsOf(item).metadata);
  const { name } = metadata;
  if (typeof name !== 'string' || !isPathSegment(name)) {
    throw new UnreadableJson(`${what} is not an object with a name`);
  }
  const fault = metadataFault(metadata);
  if (fault === undefined) return item as KubeObject;
  throw new UnreadableJson(`${what} is malformed: ${fault}`);
}
