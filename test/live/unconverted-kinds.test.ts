import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { askingOf } from '../support/asking.ts';
import { certificateAuthority, issueCertificate } from '../support/certificates.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { serveKind } from '../support/served-kinds.ts';

const plane = await ownControlPlane({ controllers: ['*'] });
const { json } = askingOf(plane);

/** A conversion webhook that changes nothing but the version, and the authority of its certificate. */
async function convertingServer(): Promise<{ readonly server: Server; readonly client: object }> {
  const authority = certificateAuthority('conversion');
  const { certificate: cert, key } = issueCertificate(authority, {
    commonName: 'conversion',
    addresses: ['127.0.0.1'],
  });
  const convert = async (request: IncomingMessage, answer: ServerResponse) => {
    const { apiVersion, kind, request: asked } = JSON.parse(await text(request));
    const convertedObjects = asked.objects.map((object: object) => ({
      ...object,
      apiVersion: asked.desiredAPIVersion,
    }));
    const response = { uid: asked.uid, convertedObjects, result: { status: 'Success' } };
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ apiVersion, kind, response }));
  };
  const server = createServer({ cert, key }, (request, answer) => {
    // The test closes the connections, and controllers may be sending a request just then.
    void convert(request, answer).catch(() => answer.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return { server, client: { url: `https://127.0.0.1:${port}/`, caBundle } };
}

test('a namespace is stuck on custom resources whose conversion webhook has no server, although the API server lists them', async () => {
  const { server, client: clientConfig } = await convertingServer();
  onTestFinished(() => void server.close());
  // Objects are stored in the first version; controllers ask for v1, which is preferred.
  const kinds = { Song: ['v1beta1', 'v1'], Film: ['v1', 'v1beta1'] };
  for (const [kind, versions] of Object.entries(kinds)) {
    const definition = customDefinition(kind, 'converted.example.com', { versions });
    const webhook = { conversionReviewVersions: ['v1'], clientConfig };
    const conversion = { strategy: 'Webhook', webhook };
    await serveKind(plane, { ...definition, spec: { ...(definition.spec as object), conversion } });
    await plane.make(`Namespace of-${kind.toLowerCase()}`);
    await plane.make(`converted.example.com/v1 ${kind} of-${kind.toLowerCase()}/one`);
  }
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  const songs = '/apis/converted.example.com/v1/namespaces/of-song/songs';
  expect(await plane.names(songs)).toEqual(['one']);
  const planOf = (name: string) => json<Plan>(`delete ns/${name} --preview`);
  const fatesOf = ({ objects }: Plan) =>
    objects
      .filter(({ kind }) => ['Namespace', 'Song', 'Film'].includes(kind))
      .map(({ kind, fate, then }) => [kind, fate, then]);
  const stuck = await planOf('of-song');
  expect(fatesOf(stuck)).toEqual([
    ['Namespace', 'terminating', 'deleted'],
    ['Song', 'kept', 'deleted'],
  ]);
  expect(stuck.remarks.map(({ code, severity }) => [code, severity])).toContainEqual([
    'may-be-refused',
    'warning',
  ]);
  expect(fatesOf(await planOf('of-film'))).toEqual([
    ['Namespace', 'deleted', undefined],
    ['Film', 'deleted', undefined],
  ]);
  // What really happens.
  for (const name of ['of-film', 'of-song']) await plane.remove(`/api/v1/namespaces/${name}`);
  await eventually(
    'the namespace is deleted',
    async () => !(await plane.find('/api/v1/namespaces/of-film')),
  );
  await eventually('the failure of the other one', async () => {
    const { status } = await plane.get<{ status: object }>('/api/v1/namespaces/of-song');
    return /NamespaceDeletionContentFailure.*conversion webhook/.test(JSON.stringify(status));
  });
  expect(await plane.names(songs)).toEqual(['one']);
});
