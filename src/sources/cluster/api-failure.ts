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

const longestStatus = 64 * 1024;

/** Reads a refusal: a Status in JSON or protobuf, or a line of text; else the HTTP status is all there is. */
export async function failureOf(response: ApiResponse): Promise<ApiFailure> {
  const { status } = response;
  const told = await readRefusal(response);
  const message = told.message || `the server answered with HTTP status ${status}`;
  return new ApiFailure(status, message, told.continue || undefined);
}

interface Refusal {
  readonly message: string;
  readonly continue: string;
}

async function readRefusal(response: ApiResponse): Promise<Refusal> {
  try {
    const body = await readBody(response, longestStatus);
    if (isEnveloped(body)) {
      const status = contentOf(body);
      const metadata = fieldOf(status, 1);
      return { message: textOf(fieldOf(status, 3)), continue: textOf(fieldOf(metadata, 3)) };
    }
    const text = textOf(body);
    // Text is the words of the server or a proxy; HTML is not for people in a terminal.
    const isText = response.headers['content-type']?.startsWith('text/plain') ?? false;
    if (isText) return { message: text.trim().split('\n', 1)[0] ?? '', continue: '' };
    const { kind, message, metadata } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (kind === 'Status') {
      const token = Object(metadata).continue;
      return { message: String(message ?? ''), continue: String(token ?? '') };
    }
  } catch {
    // Whatever it was, it says nothing that could be passed on.
  }
  return { message: '', continue: '' };
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8');
}
