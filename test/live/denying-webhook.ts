import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '../support/certificates.ts';
import type { Cluster } from '../support/cluster.ts';
import type { ControlPlane } from '../support/control-plane.ts';

/**
 * A webhook server on this machine that denies all it is asked, and its Service `hook` in a namespace: an ExternalName, to which API
 * servers connect without a network of Pods.
 */
export async function startDenyingWebhook(
  plane: Cluster & Pick<ControlPlane, 'authority'>,
  namespace: string,
) {
  const { certificate, key } = issueCertificate(plane.authority, {
    commonName: 'hook',
    dnsNames: [`hook.${namespace}.svc`],
  });
  let asked = 0;
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { apiVersion, kind, request: review } = JSON.parse(text);
    asked += 1;
    const answer = { uid: review.uid, allowed: false, status: { message: 'keep this' } };
    // The next request finds the Service again.
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ apiVersion, kind, response: answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await plane.make(`Service ${namespace}/hook`, {
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  });
  return {
    clientConfig: {
      service: { namespace, name: 'hook', port },
      caBundle: Buffer.from(plane.authority.certificate).toString('base64'),
    },
    asked: () => asked,
    stop: () => server.close(),
  };
}
