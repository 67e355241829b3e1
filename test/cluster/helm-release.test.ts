import { expect, test } from 'vitest';
import { readHelmRelease } from '../../src/cluster/helm-release.ts';
import { type Answer, fakeClient, refusal } from './fake-client.ts';

const secrets = '/api/v1/namespaces/shop/secrets';
const list = `${secrets}?labelSelector=owner%3Dhelm%2Cname%3Dweb`;
const first = 'sh.helm.release.v1.web.v1';
const revision = { name: first, labels: { version: '1' } };
const forbidden = refusal(403, 'secrets is forbidden');
const refused = 'secrets is forbidden (HTTP 403)';

test.each<[string, Readonly<Record<string, Answer>>, string, string]>([
  ['whose Secrets may not be listed', { [list]: forbidden }, 'forbidden', refused],
  [
    'whose newest Secret may not be read',
    {
      [list]: { body: { kind: 'SecretList', items: [{ metadata: revision }] } },
      [`${secrets}/${first}`]: forbidden,
    },
    'forbidden',
    refused,
  ],
  [
    'behind a login page',
    { [list]: { body: { error: 'login required' } } },
    'server-error',
    'the answer is not a list',
  ],
])('a release %s is an error', async (_, answers, code, why) => {
  const message = `could not read release "web" in namespace shop: ${why}`;
  const reading = readHelmRelease(fakeClient(answers), 'shop', 'web');
  await expect(reading).rejects.toMatchObject({ name: 'GcError', code, message });
});
