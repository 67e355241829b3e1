import { apiServiceType } from '../../kube/core-types.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import { objectPath } from '../api-path.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { get } from '../get.ts';
import { parseJsonBody, readBody } from '../read-body.ts';
import { rehearsal } from './clearance.ts';
import { DryRunServer } from './dry-run-server.ts';
import { type SendOptions, sendWrite } from './send-write.ts';
import { noAnswer, type WriteAnswer } from './write-answer.ts';
import type { WriteRequest } from './write-request.ts';

/** Has the server judge a request and store nothing; it is not sent where its server might store it. */
export async function rehearse(
  client: ClusterClient,
  write: WriteRequest,
  options: SendOptions = {},
): Promise<WriteAnswer> {
  const server = await DryRunServer.behind(write.path, (name) =>
    apiService(client, name, options.signal),
  );
  if (server) return sendWrite(client, rehearsal(write, server), options);
  const [, , group] = write.path.split('/');
  const message = `no dry run was sent: a separate API server may serve ${group} and ignore the dry run`;
  return {
    ...noAnswer(message, false),
    ...{ outcome: 'not-sent', reason: dryRunNotHeeded, error: undefined },
  };
}

/** The reason of an answer to a dry run that was not sent. */
export const dryRunNotHeeded = 'DryRunNotHeeded';

const askedApiServices = new WeakMap<ClusterClient, Map<string, Promise<Json | undefined>>>();

/** Asked once over each connection. Undefined where it cannot be read, which is asked again. */
async function apiService(
  client: ClusterClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Json | undefined> {
  const asked = askedApiServices.get(client) ?? new Map<string, Promise<Json | undefined>>();
  askedApiServices.set(client, asked);
  const answer = asked.get(name) ?? readApiService(client, name, signal);
  asked.set(name, answer);
  if ((await answer) === undefined) asked.delete(name);
  return answer;
}

async function readApiService(
  client: ClusterClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Json | undefined> {
  try {
    const path = objectPath(apiServiceType, '', name);
    const response = await get(client, path, 'application/json', { signal });
    return response.status === 200 ? fieldsOf(parseJsonBody(await readBody(response))) : undefined;
  } catch {
    return undefined;
  }
}
