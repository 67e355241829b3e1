import type { ApiRequest, ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { temporaryStatuses } from './get.ts';
import { readBody } from './read-body.ts';

/** Both the settings of kubelets and what they keep on their nodes need it. */
const shared = /^\/api\/v1\/nodes\/[^/]+\/proxy\/configz$/;

interface Remembered {
  /** Paths of which the answer is kept; by default what several readers ask a kubelet. */
  readonly paths?: RegExp;
  /** For how many milliseconds; by default as long as the connection is used. */
  readonly milliseconds?: number;
}

/** The same connection, over which several readers ask for the same once. */
export function askingOnce(
  client: ClusterClient,
  { paths = shared, milliseconds = Number.POSITIVE_INFINITY }: Remembered = {},
): ClusterClient {
  const answers = new Map<string, Promise<() => ApiResponse>>();
  const ask = (request: ApiRequest, key: string) => {
    const answer = client.request(request).then(repeatable);
    answers.set(key, answer);
    const forget = () => answers.delete(key);
    // What failed is asked again.
    answer.then((again) => mayChange(request, again()) && forget(), forget);
    return answer;
  };
  let since = performance.now();
  return {
    server: client.server,
    namespace: client.namespace,
    close: () => client.close(),
    async request(request) {
      if (!paths.test(request.path)) return client.request(request);
      if (performance.now() - since > milliseconds) {
        answers.clear();
        since = performance.now();
      }
      const key = `${request.path} ${request.body ?? ''}`;
      return (await (answers.get(key) ?? ask(request, key)))();
    },
  };
}

/** A busy server may answer the next try. A kubelet that does not answer is not asked again. */
function mayChange({ method, path }: ApiRequest, { status }: ApiResponse): boolean {
  if (method === 'POST') return status >= 300;
  return temporaryStatuses.has(status) && !shared.test(path);
}

async function repeatable(response: ApiResponse): Promise<() => ApiResponse> {
  const body = await readBody(response);
  return () => ({
    ...response,
    body: (async function* () {
      yield body;
    })(),
  });
}
