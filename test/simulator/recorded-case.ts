import { readFileSync } from 'node:fs';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { parseRequests } from '../../src/questions/simulate/scenario.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import type { Simulation } from '../../src/simulator/simulation.ts';
import { activeNamespace } from '../differential/active-namespace.ts';
import { servedRecords, servedTypes, snapshotOf } from '../support/builders.ts';

/** An object as it was left by a real control plane. */
export interface LeftObject {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting?: boolean;
  readonly phase?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly uid: string;
    readonly blockOwnerDeletion?: boolean;
  }[];
}

export interface WrittenEvent {
  /** Of the dependent. */
  readonly uid: string;
  readonly message: string;
}

/** One case that was played on a real control plane, at least twice. */
export interface RecordedCase {
  readonly id: string;
  readonly namespaces: readonly string[];
  readonly objects: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
  readonly requests: readonly unknown[];
  readonly replies: readonly { readonly code: number; readonly reason: string }[];
  readonly final: readonly LeftObject[];
  /** How another play of the same case ended, where one ended otherwise. */
  readonly otherFinal?: readonly LeftObject[];
  /** Seen in any of the plays. */
  readonly events: readonly WrittenEvent[];
  /** Seen in all of them. */
  readonly eventsAlways: readonly WrittenEvent[];
}

export interface Recording {
  readonly kubernetes: string;
  /** kube-controller-manager's --controllers. */
  readonly controllers: string;
  readonly start: 'running' | 'after-requests';
  readonly cases: readonly RecordedCase[];
}

export function readRecording(name: string): Recording {
  const url = new URL(`../fixtures/recorded/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Recording;
}

/** Every object of a case, its namespaces among them. */
function recordsOf({ objects, namespaces }: RecordedCase): ObjectRecord[] {
  const created = namespaces.map((name) =>
    activeNamespace(name, { uid: `uid-of-namespace-${name}` }),
  );
  return servedRecords([...objects, ...created]);
}

/** Plays a case as it was recorded: no kubelet, no other controllers. */
export function simulateCase(recording: Omit<Recording, 'cases'>, one: RecordedCase): Simulation {
  return simulate(
    snapshotOf(recordsOf(one), { types: servedTypes, serverVersion: recording.kubernetes }),
    parseRequests(one.requests, 'requests'),
    { controllers: recording.controllers.split(','), kubelets: false },
    { now: Date.parse('2026-02-01T00:00:00Z'), start: recording.start, duration: 600_000 },
  );
}

/** What a simulation says that the real control plane did not do; empty when it is right. */
export function mismatches(one: RecordedCase, simulation: Simulation): string[] {
  const open = new Set(simulation.undetermined.map(({ object }) => object.uid));
  const simulated = endsOf(
    simulation.objects.map((record) => ({
      kind: record.type.kind,
      name: record.name,
      uid: record.uid,
      deleting: record.deletionTimestamp !== undefined,
      finalizers: record.finalizers,
      ownerReferences: record.ownerReferences.map(({ uid, blockOwnerDeletion }) => ({
        uid,
        ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
      })),
      ...(record.facts?.phase !== undefined && { phase: record.facts.phase }),
    })),
  );
  const finals = [one.final, ...(one.otherFinal ? [one.otherFinal] : [])];
  return [
    ...new Set(finals.flatMap((final) => differences(endsOf(final), simulated, open))),
    ...wrongReplies(one, simulation),
    ...wrongEvents(one, simulation),
  ];
}

/** uid to what is compared of an object. */
function endsOf(objects: readonly LeftObject[]): Map<string, string> {
  return new Map(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => {
        const references = (object.ownerReferences ?? []).map(
          ({ uid, blockOwnerDeletion }) => `${uid}:${blockOwnerDeletion ?? 'unset'}`,
        );
        const parts = [
          object.deleting === true ? 'terminating' : 'alive',
          `finalizers ${[...(object.finalizers ?? [])].sort().join(',')}`,
          `owners ${references.sort().join(',')}`,
          ...(object.kind === 'Pod' ? [object.phase ?? ''] : []),
        ];
        return [object.uid, `${object.kind} ${object.name}: ${parts.join('; ')}`];
      }),
  );
}

/** Did plays end in two ways for one of these objects? */
export function endedInTwoWays(one: RecordedCase, uids: Iterable<string>): boolean {
  const [ends, others] = [endsOf(one.final), endsOf(one.otherFinal ?? one.final)];
  return [...uids].some((uid) => ends.get(uid) !== others.get(uid));
}

function differences(
  real: ReadonlyMap<string, string>,
  simulated: ReadonlyMap<string, string>,
  open: ReadonlySet<string>,
): string[] {
  const uids = [...new Set([...real.keys(), ...simulated.keys()])];
  return uids
    .filter((uid) => !open.has(uid) && real.get(uid) !== simulated.get(uid))
    .map((uid) => `really ${real.get(uid) ?? 'gone'}, simulated ${simulated.get(uid) ?? 'gone'}`);
}

function wrongReplies({ replies }: RecordedCase, simulation: Simulation): string[] {
  return replies.flatMap(({ code, reason }, at) => {
    const said = simulation.replies[at];
    if (said?.certain === false || (said?.code === code && said.reason === reason)) return [];
    return [`reply ${at}: really ${code} ${reason}, simulated ${said?.code} ${said?.reason}`];
  });
}

/** Every event that was written must be possible, every certain one must have been written. */
function wrongEvents({ events, eventsAlways }: RecordedCase, simulation: Simulation): string[] {
  const keyOf = ({ uid, message }: WrittenEvent) => `${uid} ${message}`;
  const simulated = simulation.events.map(({ involvedObject: { uid }, message, certain }) => ({
    key: keyOf({ uid, message }),
    certain,
  }));
  const possible = new Set(simulated.map(({ key }) => key));
  const always = new Set(eventsAlways.map(keyOf));
  return [
    ...events
      .filter((event) => !possible.has(keyOf(event)))
      .map((event) => `impossible: ${event.message}`),
    ...simulated
      .filter(({ key, certain }) => certain && !always.has(key))
      .map(({ key }) => `not written: ${key}`),
  ];
}
