import { expect, test } from 'vitest';
import { saysUnlistable } from '../../src/cluster/unlistable.ts';
import { rowsOf } from '../support/rows.ts';

const initializing = 'storage is (re)initializing';

/** What was asked of which group, what the server answered, and whether that is about the API itself. */
const answers = rowsOf(`
  list | shop.example.com | 500 | conversion webhook for shop.example.com/v2, Kind=Order failed | yes
  get  | shop.example.com | 500 | conversion webhook for shop.example.com/v2, Kind=Order failed | yes
  list |                  | 500 | failed to read one or more secrets from the storage: /registry/secrets/a/b (object not decodable) | yes
  list |                  | 429 | ${initializing}: failed to list *core.ConfigMap: illegal base64 data at input byte 8 | yes
  list |                  | 500 | ${initializing}: illegal base64 data at input byte 8 | yes
  list |                  | 429 | ${initializing} | no
  list |                  | 429 | ${initializing}: failed to list *core.Pod: etcdserver: request timed out | no
  list |                  | 500 | ${initializing}: context deadline exceeded | no
  list | shop.example.com | 404 | the server could not find the requested resource | yes
  get  | shop.example.com | 404 | the server could not find the requested resource | no
  list | shop.example.com | 405 | the server does not allow this method on the requested resource | yes
  list | metrics.k8s.io   | 503 | service unavailable | yes
  list | apps             | 503 | service unavailable | no
  get  | metrics.k8s.io   | 503 | service unavailable | no
  list | metrics.k8s.io   | 503 | the server answered with HTTP status 503 | no
  list |                  | 429 | too many requests, please try again later | no
  list |                  | 500 | Internal error occurred | no
  list | shop.example.com | 502 | bad gateway | no
  list |                  | 504 | request did not complete within the allotted timeout | no
`);
test.each(answers)('a %s in group %j answered with %s %s means unlistable: %s', (...row) => {
  const [verb, group = '', status, message = '', says] = row;
  const answer = { verb: verb as 'get' | 'list', status: Number(status), message };
  expect(saysUnlistable(group, answer)).toBe(says === 'yes');
});
