import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { linksOf } from '../../src/why/chain.ts';
import { accountOf, type ControllerWithAccount } from '../../src/why/controller-accounts.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

// Admission may refuse a controller what it permits the user who asks.

const since = '2026-05-30T00:00:00Z';
const refused = (status: number, message: string): Answer => {
  return { readAt, value: { accepted: false, status, message } };
};
const denied = refused(
  422,
  `configmaps "left" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: no`,
);

/** Refuses requests of this controller, and all requests in another name where none is named. */
const refusing =
  (answer: Answer, controller?: ControllerWithAccount) =>
  (query: Query): Answer | undefined => {
    const as = query.ask === 'rehearsal' ? query.request.as : undefined;
    if (!as) return undefined;
    return !controller || as.name === accountOf(controller).name ? answer : undefined;
  };
const mayNotImpersonate = refusing(refused(403, 'users "x" is forbidden: cannot impersonate'));

const policy = (expression: string) =>
  kube(
    'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy keep',
    {},
    {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], operations: ['DELETE'], resources: ['configmaps'] }],
        },
        matchConditions: [{ name: 'who', expression }],
      },
    },
  );
const byUser = policy("request.userInfo.username == 'a'");
const byName = policy("request.name == 'a'");

const owned = (owner: { readonly apiVersion: string; readonly kind: string }, name: string) => ({
  ownerReferences: [{ ...owner, name, uid: `uid-${name}`, blockOwnerDeletion: true }],
});
const owner = kube('v1 Secret owner', {
  uid: 'uid-owner',
  deletionTimestamp: since,
  finalizers: ['foregroundDeletion'],
});
const namespace = kube(
  'v1 Namespace shop',
  { deletionTimestamp: since },
  { spec: { finalizers: ['kubernetes'] } },
);
const cases: readonly [string, string, ControllerWithAccount, readonly KubeObject[]][] = [
  [
    'a dependent',
    'secret/owner -n shop',
    'garbage-collector-controller',
    [owner, kube('v1 ConfigMap left', owned({ apiVersion: 'v1', kind: 'Secret' }, 'owner'))],
  ],
  [
    'garbage',
    'configmap/left -n shop',
    'garbage-collector-controller',
    [kube('v1 ConfigMap left', owned({ apiVersion: 'v1', kind: 'Secret' }, 'missing'))],
  ],
  [
    'the content of a namespace',
    'namespace/shop',
    'namespace-controller',
    [namespace, kube('v1 ConfigMap left')],
  ],
];

const ends = async (
  line: string,
  objects: readonly KubeObject[],
  answer: (query: Query) => Answer | undefined,
) => {
  const chain = await diagnosed(line, [leaseOf(readAt), ...objects], answer);
  const { state, blockers } = diagnosedOf(chain);
  return [state, ...blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`)];
};

test.each(cases)(
  '%s is blocked by the policy that refuses its controller alone',
  async (_, line, by, objects) => {
    expect(await ends(line, objects, refusing(denied, by))).toEqual([
      'stuck',
      'ValidatingAdmissionPolicy/keep deletion-refused',
    ]);
  },
);

test.each(cases)(
  '%s may be refused by a policy that goes by the user, where nobody may be impersonated',
  async (_, line, _by, objects) => {
    const chain = await diagnosed(line, [leaseOf(readAt), byUser, ...objects], mayNotImpersonate);
    const judges = (links: ReturnType<typeof linksOf>) =>
      links.flatMap(({ object, cause, state }) =>
        cause === 'admission-policy' ? [`${object.name} ${state}`] : [],
      );
    expect(judges(linksOf(chain))).toEqual(['keep unknown']);
    const other = await diagnosed(line, [leaseOf(readAt), byName, ...objects], mayNotImpersonate);
    expect(judges(linksOf(other))).toEqual([]);
  },
);

test('the request of a controller is rehearsed in its own name only where it has one', async () => {
  const asked = new Set<string>();
  const [, line, , objects] = cases[2] as (typeof cases)[number];
  const whom = (isShared: boolean) => (query: Query) => {
    if (query.ask === 'rehearsal') asked.add(query.request.as?.name ?? 'the user');
    if (query.ask !== 'settings' || !isShared) return undefined;
    const value = {
      ...({ thresholdFrom: 'default', controllersFrom: 'default' } as const),
      settings: { ...defaultControllerSettings, useServiceAccountCredentials: false },
    };
    return { readAt, value };
  };
  await ends(line, objects, whom(true));
  expect([...asked]).toContain('the user');
  asked.clear();
  await ends(line, objects, whom(false));
  expect([...asked]).toEqual([accountOf('namespace-controller').name]);
});
