import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
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
      let answer = answers.get(request.path);
      if (!answer) {
        answer = client.request(request).then(repeatable);
        answers.set(request.path, answer);
        // What failed is asked again.
        answer.catch(() => answers.delete(request.path));
      }
      return (await answer)();
    },
  };
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
