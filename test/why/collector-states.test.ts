import { expect, test } from 'vitest';
import { configMapType, secretType } from '../../src/kube/core-types.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { CollectorState } from '../../src/why/garbage-collector/collector-health.ts';
import type { Query } from '../../src/why/inquiry.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import {
  apiService,
  asking,
  garbage,
  healthReport,
  hook,
  type Otherwise,
} from './collector-stage.ts';
import { leaseOf, readAt } from './diagnosed.ts';

/** The garbage collector in each of its states, and the one word for it that every command prints. */
interface State {
  readonly health: CollectorState;
  readonly objects?: readonly KubeObject[];
  readonly types?: ResourceTypes;
  readonly otherwise?: Otherwise;
  readonly overdue?: number;
  readonly except?: readonly string[];
}

const lease = leaseOf(readAt);
const dead = leaseOf('2026-05-31T00:00:00Z');
const settings = (value: object): Otherwise => {
  return ({ ask }) => ask === 'settings' && { readAt, value };
};
/** As on a managed cluster: no pod shows what kube-controller-manager runs with. */
const hidden = settings({ controllersFrom: 'unknown' });
const off = settings({
  controllersFrom: 'pod',
  settings: { controllers: ['*', '-garbage-collector-controller'] },
});
const forbidden: Otherwise = () => ({ readAt, reason: 'forbidden', message: 'no' });
/** Garbage that is read again is gone. */
const collects: Otherwise = (query) =>
  query.ask === 'object' && query.isLater ? { readAt, value: undefined } : hidden(query);

/** Dry runs of these are refused. */
const refuses =
  (isRefused: (request: Extract<Query, { ask: 'rehearsal' }>['request']) => boolean): Otherwise =>
  (query) =>
    query.ask === 'rehearsal' && {
      readAt,
      value: {
        accepted: !isRefused(query.request),
        status: 422,
        message: "ValidatingAdmissionPolicy 'keep' denied request",
      },
    };
const policy = kube('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy keep');
const two = [garbage('a'), garbage('b', 'v1 Secret')];
const owner = kube('v1 ConfigMap owner', { namespace: 'shop' });
const owned = (kind: string) =>
  kube(`${kind} owned`, {
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'uid-owner' }],
  });
const webhookFor = (rules: readonly object[]) =>
  kube(hook, {}, { webhooks: [{ ...asking, rules }] });
const down = (group: string) =>
  new ResourceTypes(servedTypes.all, {
    failed: [{ group, version: 'v1', message: 'no answer' }],
    exhaustive: true,
  });
const behind = Array.from({ length: 400 }, (_, index) => garbage(`of-${index}`));
const stillThere: Otherwise = (query) =>
  query.ask === 'content' &&
  query.isLater === true && {
    readAt,
    value: {
      records: behind.slice(60).map((object) => recordOf(object, configMapType)),
      unread: [],
    },
  };

const states: Readonly<Record<string, State>> = {
  on: { health: 'works', objects: [lease, owner, owned('v1 Secret')] },
  'off by --controllers': { health: 'does-not-work', objects: [lease], otherwise: off },
  'off, where nothing shows the flags, with garbage': {
    health: 'unknown',
    objects: [lease, ...two],
    otherwise: hidden,
    overdue: 2,
  },
  'paused: its leader renews the Lease, and garbage stays': {
    health: 'unknown',
    objects: [lease, ...two],
    overdue: 2,
  },
  'a dead leader': { health: 'does-not-work', objects: [dead] },
  'a dead leader, with garbage': {
    health: 'does-not-work',
    objects: [dead, ...two],
    overdue: 2,
  },
  'no permission to see anything': { health: 'unknown', otherwise: forbidden },
  'an API down that stores objects': {
    health: 'works-except',
    objects: [lease, apiService('False', 'toys.example.com')],
    types: down('toys.example.com'),
    except: ['toys.example.com'],
  },
  'an API of metrics down': {
    health: 'works',
    objects: [lease, apiService('False', 'metrics.k8s.io')],
    types: down('metrics.k8s.io'),
  },
  'a webhook without a server for one kind': {
    health: 'works-except',
    objects: [
      lease,
      webhookFor([{ apiGroups: [''], resources: ['secrets'], operations: ['DELETE'] }]),
      owner,
      owned('v1 Secret'),
    ],
    except: ['secrets'],
  },
  'a webhook that refuses all kinds': {
    health: 'does-not-work',
    objects: [lease, webhookFor(asking.rules), owner, owned('v1 Secret'), owned('v1 Service')],
    otherwise: refuses(() => true),
    except: ['configmaps', 'leases.coordination.k8s.io', 'secrets', 'services'],
  },
  'a policy that refuses one kind': {
    health: 'works-except',
    objects: [lease, policy, owner, owned('v1 Secret'), owned('v1 Service')],
    otherwise: refuses(({ type }) => type.kind === 'Secret'),
    except: ['secrets'],
  },
  'a policy that refuses all kinds': {
    health: 'does-not-work',
    objects: [lease, policy, owner, owned('v1 Secret'), owned('v1 Service')],
    otherwise: refuses(() => true),
    except: ['secrets', 'services'],
  },
  'a managed cluster without visible pods, and no garbage': {
    health: 'unknown',
    objects: [lease],
    otherwise: hidden,
  },
  'a managed cluster without visible pods, while it deletes': {
    health: 'works',
    objects: [lease, garbage('a')],
    otherwise: collects,
  },
  'without leader election, while it deletes': {
    health: 'works',
    objects: [garbage('a')],
    otherwise: collects,
  },
  'five minutes behind': {
    health: 'works',
    objects: [lease, ...behind],
    otherwise: stillThere,
    overdue: 340,
  },
  'without its permissions': {
    health: 'does-not-work',
    objects: [lease],
    otherwise: ({ ask }) => ask === 'access' && { readAt, value: { allowed: false, reason: '' } },
  },
  'a kind that the API server cannot list': {
    health: 'works-except',
    objects: [lease],
    otherwise: ({ ask }) =>
      ask === 'content' && {
        readAt,
        value: {
          records: [recordOf(kube('v1 Secret a', { namespace: 'shop' }), secretType)],
          unread: [{ resource: 'toys.example.com', reason: 'unlistable', message: 'no' }],
        },
      },
    except: ['toys.example.com'],
  },
};

test.each(Object.entries(states))('the garbage collector: %s', async (_, state) => {
  const { health, objects = [], types, otherwise = () => false, overdue, except } = state;
  const report = await healthReport(otherwise, objects, types);
  expect([report.health, report.overdue, report.except]).toEqual([health, overdue, except]);
});
