import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { FixRequest } from '../fix-request.ts';

/** What became of one step. */
export interface FixResult {
  /**
   * changed: a guard did not hold any more; gone: the object is not there; refused: the server
   * rejected it.
   */
  readonly outcome: 'applied' | 'changed' | 'gone' | 'refused';
  /** The server's message when it rejected the step. */
  readonly message: string | undefined;
}

/** Sends one step with its guards. With `dryRun` the server checks everything and stores nothing. */
export async function applyFixStep(
  client: ClusterClient,
  { method, path, body, onlyWithout }: FixRequest,
  { dryRun }: { readonly dryRun: boolean },
): Promise<FixResult> {
  if (onlyWithout !== undefined) {
    const { status, body: content } = await client.request({ path: onlyWithout });
    await textOf(content);
    if (status !== 404) {
      const message = `${onlyWithout} is not certainly gone (HTTP status ${status})`;
      return { outcome: 'changed', message };
    }
  }
  const query = new URLSearchParams({
    ...(method !== 'DELETE' && { fieldManager: 'kubectl-gc' }),
    ...(dryRun && { dryRun: 'All' }),
  });
  // A DELETE with a body takes all its options from there, and none from the query (GC-50).
  const content = method === 'DELETE' && dryRun ? { ...Object(body), dryRun: ['All'] } : body;
  const response = await client.request({
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      'content-type': method === 'PATCH' ? 'application/json-patch+json' : 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify(content),
  });
  const { message, causes } = statusOf(await textOf(response.body));
  if (response.status >= 200 && response.status < 300) {
    return { outcome: 'applied', message: undefined };
  }
  if (response.status === 404) return { outcome: 'gone', message };
  if (response.status === 409) return { outcome: 'changed', message };
  // A test that fails is answered 422 as well, but without the causes of an invalid object.
  if (response.status === 422 && !causes) {
    return { outcome: 'changed', message: 'it is not what it was when the chain was read' };
  }
  return { outcome: 'refused', message };
}

function statusOf(body: string): { readonly message: string; readonly causes: boolean } {
  try {
    const { message, details } = Object(JSON.parse(body)) as Record<string, unknown>;
    return {
      message: typeof message === 'string' ? message : body,
      causes: Array.isArray(Object(details).causes),
    };
  } catch {
    return { message: body, causes: false };
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
