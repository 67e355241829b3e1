import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { readBody } from './read-body.ts';

/** Both the settings of kubelets and what they keep on their nodes need these. */
const shared = /^\/api\/v1\/nodes\/[^/]+\/proxy\/(configz|flagz)$/;

/** The same connection, over which several readers ask a kubelet for its configuration once. */
export function askingOnce(client: ClusterClient): ClusterClient {
  const answers = new Map<string, Promise<() => ApiResponse>>();
  return {
    server: client.server,
    namespace: client.namespace,
    close: () => client.close(),
    async request(request) {
      if (!shared.test(request.path)) return client.request(request);
      let answer = answers.get(request.path);
      if (!answer) {
        answer = client.request(request).then(repeatable);
        answers.set(request.path, answer);
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
