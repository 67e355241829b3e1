import { expect, test } from 'vitest';
import { readHelmRelease } from '../../src/cluster/helm-release.ts';
import { type Answer, fakeClient, refusal } from './fake-client.ts';

const secrets = '/api/v1/namespaces/shop/secrets';
const list = `${secrets}?labelSelector=owner%3Dhelm%2Cname%3Dweb`;
const first = 'sh.helm.release.v1.web.v1';
const revision = { name: first, labels: { version: '1' } };
const forbidden = refusal(403, 'secrets is forbidden: User "eve" cannot list them');

function reading(answers: Readonly<Record<string, Answer>>) {
  return readHelmRelease(fakeClient(answers), 'shop', 'web');
}

test.each<[string, Readonly<Record<string, Answer>>, string, string]>([
  [
    'whose Secrets may not be listed',
    { [list]: forbidden },
    'forbidden',
    'could not read release "web" in namespace shop: secrets is forbidden: User "eve" cannot list them (HTTP 403)',
  ],
  [
    'whose newest Secret may not be read',
    {
      [list]: { body: { kind: 'SecretList', items: [{ metadata: revision }] } },
      [`${secrets}/${first}`]: forbidden,
    },
    'forbidden',
    'could not read release "web" in namespace shop: secrets is forbidden: User "eve" cannot list them (HTTP 403)',
  ],
  [
    'that a login page answers for',
    { [list]: { body: { error: 'login required' } } },
    'server-error',
    'could not read release "web" in namespace shop: the answer is not a list',
  ],
  [
    'that nobody has installed',
    { [list]: { body: { kind: 'SecretList', items: [] } } },
    'not-found',
    'release "web" not found in namespace shop',
  ],
])('a release %s is an error with its reason, and no bug', async (_, answers, code, message) => {
  await expect(reading(answers)).rejects.toMatchObject({ name: 'GcError', code, message });
});
