import type { ApiResponse, ClusterClient } from '../../client/cluster-client.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { full, metadataObject, metadataObjectJson } from './accept.ts';
import { answeredItem } from './answered-list.ts';
import { failureOf } from './api-failure.ts';
import { decodeItem, hasFacts } from './decode-item.ts';
import { contentOf } from './envelope.ts';
import { type GetOptions, get, mayTryAgain, serverTimeOf } from './get.ts';
import { isInterruption } from './interruption.ts';
import type { ObjectCoordinates } from './object-coordinates.ts';
import { problemOf } from './problem-of.ts';
import { isJson, readBody } from './read-body.ts';
import { resourcePath } from './resource-path.ts';
import { StringPool } from './string-pool.ts';
import { WireError, WireReader } from './wire-reader.ts';

export type { ObjectCoordinates };

/** The answer to a GET: an object, `undefined` record for a 404, or a problem when nobody can tell. */
export interface GottenObject {
  readonly record: ObjectRecord | undefined;
  readonly problem: CoverageProblem | undefined;
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
}

export interface GetObjectOptions extends GetOptions {
  /** Who wrote what (writers), too: JSON. */
  readonly managedFields?: boolean | undefined;
  /** The spec and status fields that records keep (ObjectFacts), too; never of Secrets. */
  readonly facts?: boolean | undefined;
}

/** Asks for one object's metadata, and more with the options. */
export async function getObject(
  client: ClusterClient,
  { type, namespace, name }: ObjectCoordinates,
  options: GetObjectOptions = {},
): Promise<GottenObject> {
  const isWhole = options.facts && hasFacts(type);
  const accept = isWhole ? full : options.managedFields ? metadataObjectJson : metadataObject;
  for (let failures = 1; ; failures++) {
    let answered = false;
    try {
      const path = resourcePath(type, namespace, name);
      const response = await get(client, path, accept, options);
      answered = true;
      const serverTime = serverTimeOf(response);
      if (response.status === 200) {
        const record = await readObject(response, { type, name }, options.managedFields ?? false);
        return { record, problem: undefined, serverTime };
      }
      const failure = await failureOf(response);
      if (failure.status !== 404) throw failure;
      return { record: undefined, problem: undefined, serverTime };
    } catch (error) {
      // Without any answer it was tried often enough already.
      if (answered && isInterruption(error) && (await mayTryAgain(failures, options))) continue;
      const where = namespace === '' ? '' : ` in ${namespace}`;
      const doing = `get ${groupResourceOf(type)}/${name}${where}`;
      const problem = problemOf(error, doing, type, namespace);
      return { record: undefined, problem, serverTime: undefined };
    }
  }
}

async function readObject(
  response: ApiResponse,
  { type, name }: Pick<ObjectCoordinates, 'type' | 'name'>,
  managedFields: boolean,
): Promise<ObjectRecord> {
  const body = await readBody(response);
  if (!isJson(response)) {
    const record = decodeItem(new WireReader(contentOf(body)), type, new StringPool(16));
    if (record.name !== name) throw new WireError('it is not the object that was asked for');
    return record;
  }
  const object = answeredItem(body, name);
  if (!managedFields) delete object.metadata.managedFields;
  return recordOf(object, type);
}
