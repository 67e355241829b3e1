import type { FinalizerController } from '../../controllers/finalizers/known-finalizer.ts';
import { runsController } from '../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, objectKey } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import type { TouchedObject } from '../plan/touched-objects.ts';
import { countsByKind, identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

const workloads = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'pods']);

/** Finalizers whose controller is deleted together with what they hold. */
export function finalizerDeadlocks(input: RemarkInput): PlanRemark[] {
  const { going, played } = input;
  const held = going.flatMap((object) =>
    object.record.finalizers.map((finalizer) => ({ finalizer, object })),
  );
  if (held.length === 0) return [];
  const leaving = going.filter(({ record }) => isProgram(record));
  if (leaving.length === 0) return [];
  const waves = new Map(played.requests.map((request) => [objectKey(request), request.wave]));
  const waveOf = (record: ObjectRecord) => waves.get(objectKey(record)) ?? 0;
  const remarks: PlanRemark[] = [];
  for (const [finalizer, holders] of Map.groupBy(held, (one) => one.finalizer)) {
    const objects = holders.map(({ object }) => object);
    const known = knownFinalizer(finalizer)?.setBy;
    const controller = known ?? guessed(finalizer, objects);
    if (controller?.runsIn !== 'workload') continue;
    const runs = ({ facts, ...record }: ObjectRecord) =>
      runsController(
        record,
        controller,
        (facts?.containers ?? []).flatMap(({ image }) => image ?? []),
      );
    if (staysAlive(input, runs)) continue;
    const found = leaving.map(({ record }) => record).filter(runs);
    const programs =
      found.length > 0 || known
        ? found
        : leaving.map(({ record }) => record).filter(({ name }) => operatorLike.test(name));
    if (programs.length === 0) continue;
    const first = Math.min(...programs.map(waveOf));
    // From the leaves up, what goes in an earlier wave than the program is let go in time.
    const caught = objects.filter(
      ({ record }) => input.intent.order === 'server' || waveOf(record) >= first,
    );
    if (caught.length === 0) continue;
    const certainty = known ? 'known' : found.length > 0 ? 'by name' : 'perhaps';
    remarks.push(deadlock(finalizer, caught, programs, certainty, input));
  }
  return remarks;
}

/** What operators are called whose finalizers say nothing of them. */
const operatorLike = /(^|-)(operator|controller|controller-manager)$/;

function deadlock(
  finalizer: string,
  held: readonly TouchedObject[],
  programs: readonly ObjectRecord[],
  certainty: 'known' | 'by name' | 'perhaps',
  { intent }: RemarkInput,
): PlanRemark {
  const objects = held.map(({ identity }) => identity).sort(compareObjects);
  const running = identitiesOf(programs);
  const caught = new Set(objects.map(objectKey));
  const rest = identitiesOf(intent.targets).filter((target) => !caught.has(objectKey(target)));
  const then = rest.length > 0 ? rest : running;
  const removes = certainty === 'known' ? 'which removes' : 'which by its name removes';
  const what = `finalizer ${finalizer} from ${countsByKind(objects)}`;
  const risk =
    certainty === 'perhaps'
      ? `Which program removes ${what} is not known. If it is ${namesOf(running)}, that is deleted as well, and what it leaves stays terminating for ever.`
      : `${namesOf(running)}, ${removes} ${what}, is deleted as well: what it leaves stays terminating for ever.`;
  const order = `Delete ${namesOf(objects)} first and wait until ${objects.length === 1 ? 'it is' : 'they are'} gone, then ${namesOf(then)}.`;
  return {
    code: 'finalizer-deadlock',
    severity: 'warning',
    message: `${risk} ${order}`,
    objects: [...objects, ...running],
  };
}

/** Another program of that kind lives on, and does the work. */
function staysAlive({ after }: RemarkInput, runs: (record: ObjectRecord) => boolean): boolean {
  return [...workloads].some((kind) =>
    after
      .of(kind, '')
      .some((record) => !isBeingDeleted(record) && isProgram(record) && runs(record)),
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

/**
 * The finalizer is unknown, but its domain may name a program, `mysql.presslabs.org` is
 * mysql-operator's, and so may the kind that it is on, where the domain is that of the kind's group.
 */
function guessed(
  finalizer: string,
  held: readonly TouchedObject[],
): FinalizerController | undefined {
  const [domain = ''] = finalizer.split('/');
  if (!domain.includes('.')) return undefined;
  const words = domain
    .split('.')
    .slice(0, -1)
    .filter((word) => word.length > 1 && !generic.has(word));
  const kinds = new Set(
    held.flatMap(({ record: { type } }) =>
      type.group !== '' && `.${domain}`.endsWith(`.${type.group}`)
        ? [type.kind.toLowerCase(), type.resource]
        : [],
    ),
  );
  const names = [...words, ...kinds].flatMap((word) => [
    `${word}-operator`,
    `${word}-controller`,
    `${word}-controller-manager`,
    `${word}-operator-controller-manager`,
    `${word}-manager`,
  ]);
  // A short word alone is anybody's name.
  names.push(...words.filter((word) => word.length >= 4));
  return { title: domain, runsIn: 'workload', names };
}
