import type { ApiResponse } from '../../cluster/connection/cluster-client.ts';
import { isGcError } from '../../errors.ts';
import type { Happening } from '../run-context.ts';

/** The server's answer to a DELETE or PATCH, as far as it decides what to do next. */
export interface DeleteAnswer {
  /** HTTP status. */
  readonly code: number;
  /** The Status' reason: `Conflict`, `Forbidden`; empty when there is none. */
  readonly reason: string;
  readonly message: string;
  /** It is about this object, not about its kind or path. */
  readonly namesObject: boolean;
  /** uid of the object that was met, where the answer says it. */
  readonly uid: string | undefined;
  /** metadata.generation, where the answer is the object. */
  readonly generation?: number | undefined;
  /** Milliseconds the server asks to wait. */
  readonly retryAfter: number | undefined;
}

/** Objects are answered as metadata; a server that cannot do that sends them whole. */
const longestBody = 4 * 1024 * 1024;

/** Reads an answer to its end; one that breaks off after a success is a success all the same. */
export async function readAnswer(response: ApiResponse): Promise<DeleteAnswer> {
  const { status: code } = response;
  let text = '';
  try {
    text = await textOf(response.body);
  } catch (error) {
    if (code < 200 || code >= 300) throw error;
  }
  const { reason, message, details, uid, generation } = toldBy(text);
  const seconds = Number(response.headers['retry-after'] ?? details.retryAfterSeconds);
  const plain = response.headers['content-type']?.startsWith('text/plain');
  return {
    code,
    reason,
    message:
      message || (plain && text.trim().split('\n')[0]) || `the server answered with HTTP ${code}`,
    namesObject: typeof details.name === 'string' && details.name !== '',
    uid,
    generation,
    retryAfter: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
  };
}

interface Told {
  readonly reason: string;
  readonly message: string;
  readonly details: { readonly name?: unknown; readonly retryAfterSeconds?: unknown };
  readonly uid: string | undefined;
  readonly generation?: number | undefined;
}

/** Reads a Status, or the object that a server answers with instead of one. */
function toldBy(text: string): Told {
  try {
    const body = Object(JSON.parse(text)) as Record<string, unknown>;
    const { kind, reason, message, metadata } = body;
    const isStatus = kind === 'Status';
    const details = Object(isStatus ? body.details : {}) as Told['details'];
    const { uid, generation } = Object(isStatus ? details : metadata) as Record<string, unknown>;
    return {
      reason: isStatus && typeof reason === 'string' ? reason : '',
      message: isStatus && typeof message === 'string' ? message : '',
      details,
      uid: typeof uid === 'string' && uid !== '' ? uid : undefined,
      generation: typeof generation === 'number' ? generation : undefined,
    };
  } catch {
    // A proxy's page says nothing that could be passed on.
    return { reason: '', message: '', details: {}, uid: undefined };
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longestBody) break;
  }
  return text + decoder.decode();
}

/** How a request ended. */
export type SendResult = Extract<Happening, { type: 'sent' | 'skipped' | 'refused' }>;

/** Failures of the server itself may be for ever, as of a webhook that nobody answers. */
export const mostServerErrors = 4;

/** A server may ask to wait this long, in milliseconds. */
export const longestAsked = 30_000;

/** A webhook's denial is for good, whatever code it chose. */
export function mayRetry({ code, message }: DeleteAnswer): boolean {
  if (/^admission webhook .* denied the request/.test(message)) return false;
  return code === 0 || code === 409 || code === 429 || [500, 502, 503, 504].includes(code);
}

/** No answer: with code 0 it is asked again, with -1 that would not help. */
export function lostAnswer(error: unknown): DeleteAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: isTransient(error) ? 0 : -1,
    reason: 'NoAnswer',
    message,
    namesObject: false,
    uid: undefined,
    retryAfter: undefined,
  };
}

/** Failures of the way to the server that pass: it restarts, a connection breaks, a network is away. */
const transient = new Set([
  'connection-dropped',
  'connection-refused',
  'connect-timeout',
  'request-timeout',
  'request-failed',
  'unreachable',
  'unknown-host',
  'invalid-compression',
]);

function isTransient(error: unknown): boolean {
  return isGcError(error) && transient.has(error.code);
}
