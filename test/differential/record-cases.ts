import type { KubeObject } from '../../src/kube/record-codec.ts';
import type {
  LeftObject,
  RecordedCase,
  Recording,
  WrittenEvent,
} from '../simulator/recorded-case.ts';
import { apiPath } from '../support/api-path.ts';
import { servedTypes } from '../support/builders.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { activeNamespace } from './active-namespace.ts';
import type { GeneratedCase } from './generate-case.ts';
import { kinds } from './generated-kinds.ts';
import { untilQuiet } from './until-quiet.ts';

/** Controllers that are not those of kube-controller-manager. */
export interface OtherControllers {
  settled(): Promise<unknown>;
  stop(): void;
}

export interface RecordOptions {
  readonly controllers: readonly string[];
  /** Starts these controllers in place of kube-controller-manager. */
  readonly runOthers?: (plane: ControlPlane) => Promise<OtherControllers>;
  readonly start: Recording['start'];
  /** How long nothing may change before a case counts as ended. */
  readonly quietSeconds: number;
}

/** Plays all cases at once on a fresh control plane, and says what was answered and what was left. */
export async function recordCases(
  cases: readonly GeneratedCase[],
  { controllers, start, quietSeconds, runOthers }: RecordOptions,
): Promise<RecordedCase[]> {
  const names = cases.flatMap(({ namespaces }) => namespaces);
  const plane = await startControlPlane({
    controllers: 'none',
    definitions: exampleDefinitions,
    objects: names.map((name) => activeNamespace(name)),
  });
  let others: OtherControllers | undefined;
  const startControllers = async () => {
    if (runOthers) others = await runOthers(plane);
    else await plane.startControllers(controllers);
  };
  const end = async (seconds: number): Promise<LeftObject[]> => {
    const read = async () => {
      const left = await everything(plane);
      await readEvents();
      return left;
    };
    if (!others) return untilQuiet(seconds, read);
    await others.settled();
    return everything(plane);
  };
  // A namespace takes the events in it along, so they are read all the time.
  const events = new Map<string, NamedEvent>();
  const readEvents = async () => {
    for (const event of await eventsOf(plane)) events.set(`${event.uid} ${event.message}`, event);
  };
  try {
    await plane.putObjects(cases.flatMap(({ objects }) => objects));
    if (start === 'running') {
      await startControllers();
      // No namespace is deleted yet, so there is no long wait of its controller to sit out.
      await end(Math.min(quietSeconds, 12));
    }
    const replies = new Map<string, RecordedCase['replies'][number][]>();
    for (const { id, requests } of cases) {
      const answers: RecordedCase['replies'][number][] = [];
      for (const request of requests) answers.push(await send(plane, request));
      replies.set(id, answers);
    }
    if (start === 'after-requests') await startControllers();
    const left = await end(quietSeconds);
    const written = [...events.values()];
    return cases.map((one) => ({
      ...one,
      replies: replies.get(one.id) ?? [],
      final: left.filter(({ name }) => name.startsWith(`${one.id}-`)),
      events: written.filter(({ name }) => name.startsWith(`${one.id}-`)),
      eventsAlways: written.filter(({ name }) => name.startsWith(`${one.id}-`)),
    }));
  } finally {
    others?.stop();
    await plane.stop();
  }
}

async function everything(plane: ControlPlane): Promise<LeftObject[]> {
  const lists = await Promise.all(
    kinds.map(async ({ apiVersion, kind }) => {
      const type = servedTypes.find(apiVersion, kind);
      if (!type) throw new Error(`nobody serves ${apiVersion} ${kind}`);
      const { items } = await plane.get<{ items: KubeObject[] }>(apiPath(type));
      return items.map((item) => leftObject(kind, item));
    }),
  );
  return lists.flat();
}

function leftObject(kind: string, { metadata, status }: KubeObject): LeftObject {
  const { name, uid, deletionTimestamp, finalizers, ownerReferences } = metadata;
  const phase = (status as { phase?: string } | undefined)?.phase;
  return {
    kind,
    name: String(name),
    uid: String(uid),
    ...(deletionTimestamp !== undefined && { deleting: true }),
    ...(kind === 'Pod' && phase !== undefined && { phase }),
    ...(finalizers !== undefined && { finalizers: finalizers as string[] }),
    ...(ownerReferences !== undefined && {
      ownerReferences: ownerReferences as NonNullable<LeftObject['ownerReferences']>,
    }),
  };
}

interface Involved {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string; readonly uid: string };
}

type NamedEvent = WrittenEvent & { readonly name: string };

async function eventsOf(plane: ControlPlane): Promise<NamedEvent[]> {
  const { items } = await plane.get<{ items: Involved[] }>('/api/v1/events');
  return items
    .filter(({ reason }) => reason === 'OwnerRefInvalidNamespace')
    .map(({ message, involvedObject: { name, uid } }) => ({ name, uid, message }));
}

const patchTypes: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

/** Sends one of a scenario's requests as kubectl would. */
async function send(plane: ControlPlane, request: Readonly<Record<string, unknown>>) {
  const { verb, apiVersion, kind, namespace, name, patch, patchType, ...options } = request;
  const type = servedTypes.find(String(apiVersion), String(kind));
  if (!type) throw new Error(`nobody serves ${String(apiVersion)} ${String(kind)}`);
  const path = apiPath(type, namespace === undefined ? '' : String(namespace), String(name ?? ''));
  const answer =
    verb === 'patch'
      ? await plane.request(path, {
          method: 'PATCH',
          body: patch,
          headers: { 'content-type': patchTypes[String(patchType ?? 'merge')] ?? '' },
        })
      : await plane.request(path, {
          method: 'DELETE',
          body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
        });
  const status = JSON.parse(answer.body) as { kind?: string; status?: string; reason?: string };
  const failed = answer.status >= 400;
  return { code: answer.status, reason: failed ? (status.reason ?? '') : '' };
}

/** Several plays of the same cases as one recording: what differs between them is kept. */
export function merged(plays: readonly (readonly RecordedCase[])[]): RecordedCase[] {
  const [first = [], ...others] = plays;
  return first.map((one, index) => {
    const again = others.flatMap((play) => play[index] ?? []);
    const key = ({ uid, message }: WrittenEvent) => `${uid} ${message}`;
    const all = new Map([one, ...again].flatMap(({ events }) => events.map((e) => [key(e), e])));
    const always = one.events.filter((event) =>
      again.every(({ events }) => events.some((other) => key(other) === key(event))),
    );
    const finalKey = ({ final }: RecordedCase) => JSON.stringify(final);
    const other = again.find((play) => finalKey(play) !== finalKey(one));
    return {
      ...one,
      events: [...all.values()],
      eventsAlways: always,
      ...(other && { otherFinal: other.final }),
    };
  });
}
