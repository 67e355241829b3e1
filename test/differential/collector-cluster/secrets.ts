import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { timestampOf } from '../../../src/kube/time.ts';
import { container, type Draw, day, hour, type Loose, namespaces, second, times } from './draw.ts';

const year = 365 * day;
const account = (index: number) => `account-${index}`;

/** ServiceAccounts, their tokens in use, unused and forgotten, and tokens for joining nodes. */
export function secrets(draw: Draw): Loose[] {
  const tokens = times(24, (index) => accountToken(draw, index));
  const users = tokens.filter(() => draw.chance(0.15)).map((token) => user(draw, token));
  return [
    // Since when tokens are tracked: without it no token is ever unused (SAT-2).
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'kube-apiserver-legacy-service-account-token-tracking',
        namespace: 'kube-system',
      },
      data: { since: draw.ago(5 * year).slice(0, 10) },
    },
    ...accounts(draw, tokens),
    ...tokens,
    ...users,
    ...times(8, (index) => bootstrapToken(draw, index)),
  ];
}

function accounts({ chance, seed }: Draw, tokens: readonly Loose[]): Loose[] {
  return namespaces.flatMap((namespace) =>
    times(3, (index) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: account(index), namespace, uid: `account-${seed}-${namespace}-${index}` },
      // Those that it lists were made for it (SAT-3).
      secrets: tokens
        .filter((token) => token.metadata.namespace === namespace && chance(0.8))
        .map((token) => ({ name: token.metadata.name })),
    })),
  );
}

/** A token of a ServiceAccount that is not there. */
export function isForgottenToken({ kind, metadata }: KubeObject): boolean {
  const { 'kubernetes.io/service-account.name': name, 'kubernetes.io/service-account.uid': uid } =
    (metadata.annotations ?? {}) as Readonly<Record<string, string>>;
  return kind === 'Secret' && (name === account(7) || uid === 'somebody-else');
}

function accountToken({ chance, one, ago, seed }: Draw, index: number): Loose {
  const namespace = one(namespaces);
  const number = one([0, 1, 2, 0, 1, 2, 7]);
  const uid = `account-${seed}-${namespace}-${number}`;
  const dates = [ago(30 * day), ago(3 * year), ago(2 * year)].map((time) => time.slice(0, 10));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `token-${index}`,
      namespace,
      creationTimestamp: ago(one([2 * year, 3 * year, 3 * year, 10 * day])),
      annotations: {
        ...(chance(0.95) && { 'kubernetes.io/service-account.name': account(number) }),
        ...(chance(0.9) && {
          'kubernetes.io/service-account.uid': chance(0.9) ? uid : 'somebody-else',
        }),
      },
      labels: {
        ...(chance(0.5) && { 'kubernetes.io/legacy-token-last-used': one([...dates, 'lately']) }),
        ...(chance(0.5) && {
          'kubernetes.io/legacy-token-invalid-since': one([...dates, 'lately']),
        }),
      },
    },
    type: 'kubernetes.io/service-account-token',
    data: { token: 'eA==', 'ca.crt': 'eA==', namespace: btoa(namespace) },
  };
}

/** A pod that refers to a Secret in one of the places where one can. */
function user({ one }: Draw, { metadata }: Loose): Loose {
  const name = `${metadata.name}`;
  const spec = one<Record<string, unknown>>([
    { volumes: [{ name: 'v', secret: { secretName: name } }] },
    { imagePullSecrets: [{ name }] },
    { volumes: [{ name: 'v', projected: { sources: [{ secret: { name } }] } }] },
    { containers: [{ ...container, envFrom: [{ secretRef: { name } }] }] },
    {
      initContainers: [
        {
          name: 'i',
          image: 'i',
          env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'token' } } }],
        },
      ],
    },
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `uses-${name}`, namespace: metadata.namespace },
    spec: { containers: [container], ...spec },
    status: { phase: 'Running' },
  };
}

function bootstrapToken({ one, chance, now, ago }: Draw, index: number): Loose {
  const expiration = one([
    timestampOf(now - hour),
    timestampOf(now + 30 * second),
    timestampOf(now + 45 * second),
    timestampOf(now + hour),
    'tomorrow',
    '',
    undefined,
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `bootstrap-token-${index}`,
      namespace: chance(0.9) ? 'kube-system' : 'clean-a',
      ...(chance(0.1) && {
        finalizers: ['example.com/hold'],
        deletionTimestamp: ago(hour),
        deletionGracePeriodSeconds: 0,
      }),
    },
    type: chance(0.9) ? 'bootstrap.kubernetes.io/token' : 'Opaque',
    data: { ...(expiration !== undefined && { expiration: btoa(expiration) }) },
  };
}
