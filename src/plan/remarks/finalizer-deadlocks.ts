import type { FinalizerController } from '../../finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../finalizers/known-finalizers.ts';
import { runsController } from '../../finalizers/workloads-of.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { identityOf, type ObjectIdentity } from '../../simulator/timeline.ts';
import { compareObjects, keyOf, keyOfRecord } from '../object-key.ts';
import type { PlanRemark } from '../plan.ts';
import type { TouchedObject } from '../touched-objects.ts';
import { countsByKind, namesOf, type RemarkInput } from './remark-input.ts';

const workloads = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'pods']);

/** Finalizers whose controller is deleted together with what they hold. */
export function finalizerDeadlocks(input: RemarkInput): PlanRemark[] {
  const { going, played } = input;
  const holders = holdersOf(going);
  if (holders.size === 0) return [];
  const leaving = going.filter(({ record }) => isProgram(record));
  if (leaving.length === 0) return [];
  const waves = new Map(played.requests.map((request) => [keyOf(request), request.wave]));
  const waveOf = (record: ObjectRecord) => waves.get(keyOfRecord(record)) ?? 0;
  const remarks: PlanRemark[] = [];
  for (const [finalizer, held] of holders) {
    const controller = knownFinalizer(finalizer)?.setBy ?? guessed(finalizer);
    if (controller?.runsIn !== 'workload') continue;
    const runs = ({ facts, ...record }: ObjectRecord) =>
      runsController(
        record,
        controller,
        (facts?.containers ?? []).flatMap(({ image }) => image ?? []),
      );
    const programs = leaving.map(({ record }) => record).filter(runs);
    if (programs.length === 0 || staysAlive(input, runs)) continue;
    const first = Math.min(...programs.map(waveOf));
    // From the leaves up, what goes in an earlier wave than the program is let go in time.
    const caught = held.filter(
      ({ record }) => input.intent.order === 'server' || waveOf(record) >= first,
    );
    if (caught.length === 0) continue;
    remarks.push(deadlock(finalizer, caught, programs, knownFinalizer(finalizer) === undefined));
  }
  return remarks;
}

function deadlock(
  finalizer: string,
  held: readonly TouchedObject[],
  programs: readonly ObjectRecord[],
  isGuess: boolean,
): PlanRemark {
  const objects = held.map(({ identity }) => identity).sort(compareObjects);
  const running: ObjectIdentity[] = programs.map(identityOf).sort(compareObjects);
  const removes = isGuess ? 'which by its name removes' : 'which removes';
  const message = `${namesOf(running)}, ${removes} finalizer ${finalizer} from ${countsByKind(objects)}, is deleted as well: what it leaves stays terminating for ever. Delete ${namesOf(objects)} first and wait until ${objects.length === 1 ? 'it is' : 'they are'} gone, then ${namesOf(running)}.`;
  return {
    code: 'finalizer-deadlock',
    severity: 'warning',
    message,
    objects: [...objects, ...running],
  };
}

function holdersOf(going: readonly TouchedObject[]): Map<string, TouchedObject[]> {
  const holders = new Map<string, TouchedObject[]>();
  for (const object of going) {
    for (const finalizer of object.record.finalizers) {
      const list = holders.get(finalizer);
      if (list) list.push(object);
      else holders.set(finalizer, [object]);
    }
  }
  return holders;
}

/** Another program of that kind lives on, and does the work. */
function staysAlive({ after }: RemarkInput, runs: (record: ObjectRecord) => boolean): boolean {
  return [...workloads].some((kind) =>
    after
      .of(kind, '')
      .some(
        (record) => record.deletionTimestamp === undefined && isProgram(record) && runs(record),
      ),
  );
}

/** Workloads, and pods that no workload made. */
function isProgram({ type, ownerReferences }: ObjectRecord): boolean {
  const resource = groupResourceOf(type);
  if (!workloads.has(resource)) return false;
  return resource !== 'pods' || ownerReferences.length === 0;
}

const generic = new Set([
  'finalizer',
  'finalizers',
  'operator',
  'controller',
  'kubernetes',
  'example',
  'cluster',
]);

/** Nobody knows the finalizer, but its domain may name a program: `mysql.presslabs.org` is mysql-operator's. */
function guessed(finalizer: string): FinalizerController | undefined {
  const [domain = ''] = finalizer.split('/');
  const words = domain
    .split('.')
    .slice(0, -1)
    .filter((word) => word.length >= 4 && !generic.has(word));
  if (!domain.includes('.') || words.length === 0) return undefined;
  const names = words.flatMap((word) => [
    `${word}-operator`,
    `${word}-controller`,
    `${word}-controller-manager`,
    `${word}-manager`,
    word,
  ]);
  return { title: domain, runsIn: 'workload', names };
}
