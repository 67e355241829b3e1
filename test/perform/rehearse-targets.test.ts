import { expect, test } from 'vitest';
import { GcError } from '../../src/errors.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { rehearseTargets } from '../../src/perform/rehearse-targets.ts';
import { type Answer, clientThat } from '../cluster/fake-client.ts';
import { configMap, gadget } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';
import { failure } from './send/fake-cluster.ts';

/** A server that answers a name with this, and everything else with a success. */
function server(answers: Readonly<Record<string, Answer | GcError>>) {
  return clientThat(({ path }) => {
    const name = path.replace(/\?.*/, '').split('/').at(-1) ?? '';
    const answer = answers[name] ?? { body: { kind: 'Status', status: 'Success' } };
    if (answer instanceof GcError) throw answer;
    return answer;
  });
}

const refusal = (status: number, reason: string, message: string): Answer =>
  failure(status, reason, message, { name: 'x' });

const said = async (answers: Parameters<typeof server>[0], targets: readonly ObjectRecord[]) => {
  const client = server(answers);
  // What else is known of the deletion is not sent.
  const options = { policy: 'Foreground', gracePeriodSeconds: 5, dryRun: 'none' } as const;
  const { signal } = new AbortController();
  const { refused, unknown } = await rehearseTargets({ client }, targets, options, signal);
  return { refused: [...refused], unknown, sent: client.requests };
};

test('each target is sent as planned, bound to its uid, as a dry run', async () => {
  const { sent, ...rest } = await said({}, [configMap('a')]);
  expect(rest).toEqual({ refused: [], unknown: [] });
  expect(sent.map(({ method, path, body }) => [method, path, JSON.parse(body ?? '')])).toEqual([
    [
      'DELETE',
      '/api/v1/namespaces/shop/configmaps/a?dryRun=All',
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 5,
        preconditions: { uid: configMap('a').uid },
        dryRun: ['All'],
      },
    ],
  ]);
});

const refusals = rowsOf(`
  a policy                   | 422 | Invalid       | ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no
  a webhook                  | 403 | Forbidden     | admission webhook "w" denied the request: no
  a webhook without a server | 500 | InternalError | Internal error occurred: failed calling webhook "w": no
  a protected namespace      | 403 | Forbidden     | namespaces "default" is forbidden: this namespace may not be deleted
`);
test.each(refusals)('%s refuses', async (_, code, reason = '', message = '') => {
  const target = configMap('a');
  const answer = refusal(Number(code), reason, message);
  const { refused, unknown } = await said({ a: answer }, [target]);
  const status = { code: Number(code), reason };
  expect([refused, unknown]).toEqual([[[target.uid, { message, status }]], []]);
});

const others = rowsOf(`
  is gone                         | 404 | NotFound  | configmaps "x" not found
  was replaced                    | 409 | Conflict  | Precondition failed: UID in precondition: a, UID in object meta: b
  is being emptied                | 409 | Conflict  | The system is ensuring all content is removed
  may not be deleted by this user | 403 | Forbidden | User "u" cannot delete resource "configmaps" in API group ""
`);
test.each(others)(
  'a target that %s needs no dry run',
  async (_, code, reason = '', message = '') => {
    const answer = refusal(Number(code), reason, message);
    const { refused, unknown } = await said({ a: answer }, [configMap('a')]);
    expect([refused, unknown]).toEqual([[], []]);
  },
);

test('other answers to a dry run are no verdict, and each reason is reported once', async () => {
  const unsupported = 'admission webhook "w" does not support dry run';
  const { refused, unknown } = await said(
    {
      a: refusal(400, 'BadRequest', unsupported),
      b: refusal(400, 'BadRequest', unsupported),
      c: refusal(401, 'Unauthorized', 'Unauthorized'),
      d: refusal(429, 'TooManyRequests', 'too many requests'),
      e: refusal(503, '', 'apiserver is shutting down'),
      f: new GcError('the connection broke', { code: 'connection-dropped' }),
    },
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => configMap(name)),
  );
  expect(refused).toEqual([]);
  expect(unknown).toEqual([
    unsupported,
    'Unauthorized',
    'too many requests',
    'apiserver is shutting down',
    'the connection broke',
  ]);
});

test('an API that another server serves is not asked, as it may not heed a dry run', async () => {
  const service = { name: 'v1.example.com' };
  const aggregated = { status: 200, body: { spec: { service: { name: 'own', namespace: 'x' } } } };
  const other = await said({ [service.name]: aggregated }, [gadget('g'), gadget('h')]);
  expect(other.sent.map(({ path }) => path)).toEqual([
    '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com',
  ]);
  expect(other.unknown.join('\n')).toMatchInlineSnapshot(
    `"no dry run was sent: a separate API server may serve example.com and ignore the dry run"`,
  );
  const local = await said({ [service.name]: { status: 200, body: { spec: {} } } }, [gadget('g')]);
  expect(local.sent.map(({ path }) => path)).toEqual([
    '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com',
    '/apis/example.com/v1/gadgets/g?dryRun=All',
  ]);
  const hidden = refusal(403, 'Forbidden', 'no');
  expect((await said({ [service.name]: hidden }, [gadget('g')])).unknown).toHaveLength(1);
});

test('only the first of very many targets get a dry run, which is reported', async () => {
  const many = Array.from({ length: 53 }, (_, index) => configMap(`c-${index}`));
  const { sent, unknown } = await said({}, many);
  expect(sent).toHaveLength(50);
  expect(unknown).toEqual(['it was asked about 50 objects of 53']);
});
