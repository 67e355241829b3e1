import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { trimmedRight } from '../../kube/names.ts';
import { type Body, streamedAnswer } from './answer-body.ts';
import type { ApiResponse } from './cluster-client.ts';
import { ConnectionReset, type Exchange, notBegun, RequestWatchdog } from './supervision.ts';

/** One request and its answer over HTTP/2. Rejects with a GcError when no answer comes, or when its body is cut short. */
export async function exchangeOverHttp2(
  session: ClientHttp2Session,
  options: Exchange,
): Promise<ApiResponse> {
  if (options.signal?.aborted) throw notBegun(options);
  const stream = requestOf(session, options);
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  let body: Body | undefined;
  const supervision = new RequestWatchdog(options, stream, () => body?.received ?? 0);
  // A stream whose connection was lost ends as if its body were complete: only the code shows it.
  const isCut = () => stream.rstCode !== 0;
  const explain = (error: unknown) => supervision.errorFor(isCut() ? new ConnectionReset() : error);
  let isAnswered = false;
  stream.once('response', ({ ':status': status = 0, ...given }) => {
    isAnswered = true;
    stream.once('end', () => {
      if (!isCut()) supervision.answered(status);
    });
    const failureOf = (error: unknown) => (error || isCut() ? explain(error) : undefined);
    streamedAnswer(status, { ...given }, stream, failureOf).then((answer) => {
      body = answer.body;
      resolve(answer);
    }, reject);
  });
  stream.once('error', (error) => reject(explain(error)));
  stream.once('close', () => {
    supervision.end();
    // To make an error takes longer than all else here.
    if (!isAnswered || isCut()) reject(explain(new ConnectionReset()));
  });
  return promise;
}

function requestOf(session: ClientHttp2Session, options: Exchange) {
  const { method = 'GET', body } = options;
  const { host, pathname, search } = new URL(options.url);
  try {
    const headers = carriedHeaders(options.headers);
    // Node would name the host without the brackets of IPv6, and always with a port, by which some proxies do not know it.
    const named = {
      ...headers,
      ':method': method,
      ':authority': host,
      ':path': pathname + search,
      // A proxy that goes on over HTTP/1.1 frames the body of a DELETE by it.
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    };
    const stream = session.request(named, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    return stream;
  } catch (error) {
    // Or the session was closed since it was chosen.
    throw notBegun(options, error);
  }
}

/**
 * The headers as HTTP/1.1 brings them to a server: without spaces around their values. Those that HTTP/2 does not
 * allow would be left out without a word: a request would go out as another user.
 */
function carriedHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const entries = Object.entries(headers).map(([name, given]) => {
    const values = [given]
      .flat()
      .map((value) => trimmedRight(`${value}`, ' \t').replace(/^[ \t]+/, ''));
    for (const value of values) validateHeaderValue(name, value);
    return [name, values];
  });
  return Object.fromEntries(entries);
}
