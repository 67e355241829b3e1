import type { ApiResponse } from '../../client/cluster-client.ts';
import { contentOf, fieldOf, isEnveloped } from './envelope.ts';
import { readBody } from './read-body.ts';

/** An answer other than 2xx, with what the server's Status said about it. */
export class ApiFailure extends Error {
  readonly status: number;
  /** With a 410: a token that goes on with what is left of the list, at a later moment. */
  readonly continueToken: string | undefined;

  constructor(status: number, message: string, continueToken?: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.continueToken = continueToken;
  }
}

const longestStatus = 1024 * 1024;

/** Reads a refusal; bodies that are no Status (a proxy's page) are reduced to the HTTP status. */
export async function failureOf(response: ApiResponse): Promise<ApiFailure> {
  const { status } = response;
  let message = '';
  let next = '';
  try {
    const body = await readBody(response, longestStatus);
    if (isEnveloped(body)) {
      const status = contentOf(body);
      message = fieldOf(status, 3).toString('utf8');
      next = fieldOf(fieldOf(status, 1), 3).toString('utf8');
    } else {
      const json = JSON.parse(body.toString('utf8')) as {
        kind?: unknown;
        message?: unknown;
        metadata?: { continue?: unknown };
      };
      if (json.kind === 'Status') {
        if (typeof json.message === 'string') message = json.message;
        if (typeof json.metadata?.continue === 'string') next = json.metadata.continue;
      }
    }
  } catch {
    // What the server wrote is not a Status: its HTTP status is all there is to tell.
  }
  return new ApiFailure(
    status,
    message || `the server answered with HTTP status ${status}`,
    next || undefined,
  );
}
