import type { Fate, Plan, PlannedObject, PlannedRequest } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import type { ResourceTypes } from '../../../src/kube/resource-types.ts';
import type { ProgressEvent, Waiting } from '../../../src/perform/progress-event.ts';
import type { ExecuteOptions, Pace } from '../../../src/perform/run-context.ts';
import { execute } from '../../../src/perform/send/execute.ts';
import { servedTypes } from '../../support/builders.ts';
import { clearanceOf } from '../../support/cleared.ts';
import type { Answer, FakeCluster, FakeRequest } from './fake-cluster.ts';

export function requestFor(
  record: ObjectRecord,
  changes: Partial<PlannedRequest> = {},
): PlannedRequest {
  return {
    verb: 'delete',
    ...referenceTo(record),
    propagationPolicy: 'Background',
    ...changes,
  };
}

export function planned(
  record: ObjectRecord,
  fate: Fate,
  changes: Partial<PlannedObject> = {},
): PlannedObject {
  return {
    ...referenceTo(record),
    wave: 0,
    fate,
    because: 'it is asked for',
    rule: 'GC-61',
    blockedBy: [],
    ...changes,
  };
}

export function planOf(
  requests: readonly PlannedRequest[],
  objects: readonly PlannedObject[],
): Plan {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster: { server: 'https://shop.example.com', uid: '' },
    createdAt: '2026-01-03T00:00:00Z',
    requests,
    objects,
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 1, objects: objects.length, problems: [] },
  };
}

/** A plan that deletes an object, and with it others. */
export function deletionOf(first: ObjectRecord, ...others: readonly ObjectRecord[]): Plan {
  const all = [first, ...others].map((record) => planned(record, 'deleted'));
  return planOf([requestFor(first)], all);
}

/** A plan that asks for the deletion of each of these. */
export function deletionsOf(...records: readonly ObjectRecord[]): Plan {
  return planOf(
    records.map((record) => requestFor(record)),
    records.map((record) => planned(record, 'deleted')),
  );
}

/** Real patience would make tests slow. */
export const pace: Pace = {
  firstRetry: 2,
  longestRetry: 10,
  rewatch: 2,
  longestRewatch: 10,
  giveUp: 60_000,
  grace: 20,
  poll: 10,
  open: 500,
  quiet: 60,
  quietWithFinalizers: 90,
  evidence: 500,
  silence: 60_000,
  lookAgain: 60_000,
  actorGone: 60_000,
  actorUnseen: 60_000,
};

export type RunWishes = Partial<Omit<ExecuteOptions, 'rehearses' | 'clearance'>> & {
  readonly rehearses?: true;
  readonly types?: ResourceTypes;
};

/** Performs a plan; `onEvent` may change the cluster while it runs. `types`: what it serves. */
export async function perform(
  cluster: Pick<FakeCluster, 'client'>,
  plan: Plan,
  { types = servedTypes, rehearses, ...options }: RunWishes = {},
  onEvent: (event: ProgressEvent) => void = () => undefined,
): Promise<ProgressEvent[]> {
  const events: ProgressEvent[] = [];
  const given: ExecuteOptions = {
    wait: 'tree',
    timeout: 3_000,
    useResourceVersion: false,
    now: () => 0,
    ...(rehearses ? { rehearses } : { clearance: clearanceOf(plan) }),
    ...options,
    pace: { ...pace, ...options.pace },
  };
  await execute(plan, cluster.client, types, given, (event) => {
    events.push(event);
    onEvent(event);
  });
  return events;
}

/** Events as short lines: what happened to what. */
export function told(events: readonly ProgressEvent[]): string[] {
  return events.map(lineOf);
}

/** Why each object is left, a line for each. */
export function reasonsLeft(events: readonly ProgressEvent[]): string {
  return events
    .flatMap((event) => (event.type === 'left' ? [`${event.object.name}: ${event.because}`] : []))
    .join('\n');
}

function lineOf(event: ProgressEvent): string {
  switch (event.type) {
    case 'planned':
      return `planned ${event.requests} ${event.objects}`;
    case 'left-alone':
      return `left-alone ${event.object.name}: ${event.because}`;
    case 'sent':
      return `sent ${event.request.name} ${event.code}`;
    case 'skipped':
      return `skipped ${event.request.name} ${event.reason}`;
    case 'refused':
      return `refused ${event.request.name} ${event.code} ${event.reason}`;
    case 'retrying':
      return `retrying ${event.request.name}`;
    case 'observed':
      return `observed ${event.object.name} ${event.observation}`;
    case 'watch':
      return `watch ${event.resource} ${event.state}`;
    case 'waiting':
      return `waiting ${event.waits.map(waitOf).join('; ')}`;
    case 'left':
      return `left ${event.object.name}`;
    case 'difference':
      return `difference ${event.object.name} ${event.predicted} ${event.observed}`;
    case 'unplanned':
      return `unplanned ${event.object.name} of ${event.owner.name}${event.gone ? ', gone' : ''}`;
    case 'done':
      return `done ${event.ended}`;
  }
}

function waitOf({ actor, name = '', state, objects, owner }: Waiting): string {
  const names = objects.map((object) => object.name);
  return [actor, name, state, ...names, owner && `of ${owner.name}`].filter(Boolean).join(' ');
}

/** What was told of requests, without what was observed. */
export async function sendingOf(...args: Parameters<typeof perform>): Promise<string[]> {
  const lines = told(await perform(...args));
  return lines.filter((line) => /^(sent|skipped|refused|retrying|done)/.test(line));
}

/** Answers the first DELETEs of a name in the cluster's place. */
export function answering(cluster: FakeCluster, name: string, answers: (Answer | Error)[]): void {
  cluster.before = ({ method, path }: FakeRequest) => {
    if (method !== 'DELETE' || !path.endsWith(`/${name}`)) return undefined;
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

/** Performs a plan, and does something once the Deployment `web` is seen to be gone. */
export function whenGone(
  cluster: FakeCluster,
  plan: Plan,
  work: () => void,
  options: RunWishes = {},
): Promise<ProgressEvent[]> {
  let isDone = false;
  return perform(cluster, plan, options, (event) => {
    if (isDone || event.type !== 'observed' || event.object.name !== 'web') return;
    isDone = true;
    work();
  });
}
