import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { ObjectWithFacts } from './object-with-facts.ts';

function secret(name: string, type: string, data: Record<string, string>): KubeObject {
  const encoded = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: 'kube-system',
      annotations: { 'kubernetes.io/service-account.name': 'web' },
      labels: { 'kubernetes.io/legacy-token-last-used': '2026-01-01' },
    },
    type,
    data: Object.fromEntries(encoded),
  };
}

const bootstrapToken = 'bootstrap.kubernetes.io/token';
const secretType = 'kubernetes.io/service-account-token';

export const secrets: readonly ObjectWithFacts[] = [
  {
    what: 'for joining nodes',
    object: secret('bootstrap-token-aaaaaa', bootstrapToken, {
      'token-id': 'hush',
      'token-secret': 'hush',
      description: 'hush',
      expiration: '2026-01-01T00:00:00+09:00',
    }),
    facts: { secretType: bootstrapToken, expiration: '2026-01-01T00:00:00+09:00' },
  },
  {
    what: 'for joining nodes, without end',
    object: secret('bootstrap-token-bbbbbb', bootstrapToken, { 'token-secret': 'hush' }),
    facts: { secretType: bootstrapToken },
  },
  {
    what: 'for joining nodes, with an invalid time',
    object: secret('bootstrap-token-cccccc', bootstrapToken, { expiration: 'hush' }),
    facts: { secretType: bootstrapToken, expiration: 'unreadable' },
  },
  {
    what: 'of a service account',
    object: secret('web-token-x', secretType, { token: 'hush', expiration: 'hush' }),
    facts: { secretType },
  },
  {
    what: 'of any other type',
    object: secret('password', 'Opaque', { password: 'hush', expiration: '2026-01-01T00:00:00Z' }),
    facts: { secretType: 'Opaque' },
  },
];
