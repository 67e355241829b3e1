import { waysToFree, whySilent } from '../../controllers/nodes/silent-node.ts';
import { isOperatorVersion } from '../../delivery/olm.ts';
import { countsByKind, firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, objectKey } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { isProgram, looksLike, programKinds } from '../../programs/program-life.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import { isOfCluster } from '../../snapshot/snapshot.ts';
import { controllerOfFinalizer } from '../plan/finalizer-programs.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { isForeign } from '../plan/play/blocking-finalizers.ts';
import type { TouchedObject } from '../plan/play/touched-objects.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Finalizers whose controller is deleted together with what they hold. */
export function finalizerDeadlocks(input: RemarkInput): PlanRemark[] {
  const { going } = input;
  const held = going.flatMap((object) =>
    object.record.finalizers.map((finalizer) => ({ finalizer, object })),
  );
  if (held.length === 0) return [];
  const leaving = going.map(({ record }) => record).filter(isProgram);
  if (leaving.length === 0) return [];
  const remarks: PlanRemark[] = [];
  // Programs of one project share a finalizer, each for its API group.
  const groups = Map.groupBy(held, ({ finalizer, object: { record } }) =>
    knownFinalizer(finalizer, record.type)?.setBy.namesByGroup
      ? `${finalizer} ${record.type.group}`
      : finalizer,
  );
  for (const group of groups.values()) {
    const [{ finalizer }] = group as [(typeof group)[number]];
    const objects = group.map(({ object }) => object);
    const types = objects.map(({ record }) => record.type);
    const { controller, isKnown } = controllerOfFinalizer(finalizer, types);
    if (controller?.runsIn !== 'workload') continue;
    const runs = (record: ObjectRecord) => looksLike(record, controller);
    // Many operators run such a program; the remaining one may serve others.
    const isDoubtful = staysAlive(input, runs);
    if (isDoubtful && !controller.oneOfMany) continue;
    const found = leaving.filter(runs);
    const programs =
      found.length > 0 || isKnown || isDoubtful
        ? found
        : leaving.filter(({ name }) => operatorLike.test(name));
    if (programs.length === 0) continue;
    const isUnsure = isDoubtful || (!isKnown && found.length === 0);
    const certainty = isUnsure ? 'perhaps' : isKnown ? 'known' : 'by name';
    remarks.push(deadlock(finalizer, objects, programs, certainty, input));
  }
  return remarks;
}

/** Names of operators whose finalizers do not identify them. */
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
      ? `Which program removes ${what} is not known. If it is ${namesOf(running)}, that is deleted as well, and what it leaves never finishes terminating.`
      : `${namesOf(running)}, ${removes} ${what}, is deleted as well: what it leaves never finishes terminating.`;
  const order = `Delete ${namesOf(objects)} first, wait until ${objects.length === 1 ? 'it does' : 'they do'} not exist, then delete ${namesOf(then)}.`;
  return {
    code: 'finalizer-deadlock',
    severity: 'warning',
    message: `${risk} ${order}`,
    objects: [...objects, ...running],
  };
}

/** Another program of that kind lives on, and does the work. */
function staysAlive(
  { after, context: { finalizerPrograms } }: Pick<RemarkInput, 'after' | 'context'>,
  runs: (record: ObjectRecord) => boolean,
): boolean {
  const isAlive = (record: ObjectRecord) =>
    !isBeingDeleted(record) && isProgram(record) && runs(record);
  return (
    programKinds.some((kind) => after.all(kind).some(isAlive)) ||
    (finalizerPrograms?.records ?? []).some(isAlive)
  );
}

/**
 * Objects that stay and need a deleted program: the last one that removes their finalizers. Without it they
 * can never be deleted, so they should be deleted first. The program is recognized by its name, or by the
 * ClusterServiceVersion that installed both it and the definition of the objects.
 */
export function leftWithoutProgram(input: RemarkInput): PlanRemark[] {
  const { going, fateOf, snapshot, context } = input;
  const leaving = going.flatMap((object) =>
    isProgram(object.record) && fateOf(object) !== 'recreated' ? [object.record] : [],
  );
  if (leaving.length === 0) return [];
  const gone = new Set(going.map(({ key }) => key));
  const brought = broughtBy(input, gone);
  const waiting = [
    ...snapshot.records,
    ...(context.customResourcesElsewhere?.records ?? []),
  ].flatMap((record) => {
    const { finalizers } = record;
    if (finalizers.length === 0 || gone.has(objectKey(record))) return [];
    return finalizers.filter(isForeign).map((finalizer) => ({ finalizer, record }));
  });
  const groups = Map.groupBy(
    waiting,
    ({ finalizer, record }) => `${finalizer} ${record.type.group}`,
  );
  const warnings = [...groups.values()].flatMap((group): PlanRemark[] => {
    const [{ finalizer, record: first }] = group as [(typeof group)[number]];
    const { controller, isKnown } = controllerOfFinalizer(finalizer, [first.type]);
    // Of a program of which there are many, it is not known which one is meant.
    if (isKnown && (controller?.runsIn !== 'workload' || controller.oneOfMany)) return [];
    const runs = (record: ObjectRecord) =>
      controller !== undefined && looksLike(record, controller);
    const named = leaving.filter(runs);
    if (isKnown && named.length === 0) return [];
    const versions = group.flatMap(({ record }) => brought.get(groupResourceOf(record.type)) ?? []);
    const programs = identitiesOf(new Set(versions.length > 0 ? versions : named));
    const stays = (record: ObjectRecord) => runs(record) && !gone.has(objectKey(record));
    if (programs.length === 0 || staysAlive(input, stays)) return [];
    const objects = identitiesOf(new Set(group.map(({ record }) => record)));
    const removes = isKnown
      ? 'which removes'
      : versions.length > 0
        ? 'which brought what removes'
        : 'which by its name removes';
    const [stay, them, they] =
      objects.length === 1 ? ['stays', 'it', 'it does'] : ['stay', 'them', 'they do'];
    const message = `${countsByKind(objects)} ${stay}, with finalizer ${finalizer}, and can never be deleted without ${namesOf(programs)}, ${removes} it. To delete ${them} as well: delete ${namesOf(objects)} first, wait until ${they} not exist, then delete ${namesOf(programs)}.`;
    return [
      {
        code: 'finalizer-deadlock',
        severity: 'warning',
        message,
        objects: [...objects, ...programs],
      },
    ];
  });
  return [...warnings, ...unreadKinds(context.customResourcesElsewhere?.unread ?? [], leaving)];
}

/** The ClusterServiceVersion that goes and brought a definition which stays, by its name: none where another one stays. */
function broughtBy(
  { going, played: { scope } }: RemarkInput,
  gone: ReadonlySet<string>,
): ReadonlyMap<string, ObjectRecord> {
  const versions = going.map(({ record }) => record).filter(isOperatorVersion);
  const isStaying = (record: ObjectRecord) =>
    isOperatorVersion(record) && !gone.has(objectKey(record));
  return new Map(
    versions.flatMap((version) =>
      scope.deliveries
        .below(version)
        .filter(
          ({ record, stays }) =>
            stays !== undefined && !scope.deliveries.above(record).some(isStaying),
        )
        .map(({ record }) => [record.name, version]),
    ),
  );
}

const mostNamed = 3;

/** What waits for a program may be of a kind that could not be read. */
function unreadKinds(unread: readonly string[], leaving: readonly ObjectRecord[]): PlanRemark[] {
  if (unread.length === 0) return [];
  const programs = identitiesOf(leaving);
  const more = unread.length > mostNamed ? ` and ${unread.length - mostNamed} more kinds` : '';
  return [
    {
      code: 'finalizer-deadlock',
      severity: 'note',
      message: `${unread.slice(0, mostNamed).join(', ')}${more} could not be read everywhere: what has a finalizer there that only ${namesOf(programs)} removes can never be deleted afterwards.`,
      objects: programs,
    },
  ];
}

/** Pods whose deletion no kubelet confirms, because their Nodes are silent; and Pods for which that is unknown. */
export function silentNodes(input: RemarkInput): PlanRemark[] {
  return [...silent(input), ...unreadNodes(input)];
}

function silent({ going, played: { assumed } }: RemarkInput): PlanRemark[] {
  const { silentNodeOfPod } = assumed;
  const pods = going.map(({ record }) => record).filter(({ uid }) => silentNodeOfPod.has(uid));
  const [node] = silentNodeOfPod.values();
  if (pods.length === 0 || !node) return [];
  const objects = identitiesOf(pods);
  const names = nodesOf(pods);
  const because =
    names.length === 1
      ? `Node ${node.name} is not ready (${whySilent(node)}), so its kubelet does`
      : `Nodes ${firstOf(names)} are not ready, so their kubelets do`;
  const they = objects.length === 1 ? 'it stays' : 'they stay';
  const ways = waysToFree(names.length === 1 ? node.name : undefined);
  const message = `${because} not confirm that the containers of ${namesOf(objects)} stopped: ${they} terminating. ${ways}`;
  return [{ code: 'silent-node', severity: 'warning', message, objects }];
}

/** A plan says what may go, and so takes a Node for ready that could not be read. Of files that is no news. */
function unreadNodes({ going, played, snapshot }: RemarkInput): PlanRemark[] {
  if (!isOfCluster(snapshot)) return [];
  const stopped = new Set(
    played.plays.held.steps.flatMap(({ actor, object }) =>
      actor === 'kubelet' ? [objectKey(object)] : [],
    ),
  );
  if (stopped.size === 0) return [];
  const { coversNode } = readCoverageOf(snapshot);
  const read = new Set(snapshot.records.filter(isNode).map(({ name }) => name));
  const pods = going
    .filter(({ key }) => stopped.has(key))
    .map(({ record }) => record)
    .filter((pod) => {
      const name = knownNodeOf(pod) ?? '';
      return !read.has(name) && !coversNode(name);
    });
  if (pods.length === 0) return [];
  const objects = identitiesOf(pods);
  const names = nodesOf(pods);
  const because =
    names.length === 1
      ? `Node ${firstOf(names)} was not read: where its kubelet does`
      : `Nodes ${firstOf(names)} were not read: where a kubelet does`;
  const stay = objects.length === 1 ? 'stays' : 'stay';
  const message = `${because} not answer, ${namesOf(objects)} ${stay} terminating.`;
  return [{ code: 'silent-node', severity: 'note', message, objects }];
}

function nodesOf(pods: readonly ObjectRecord[]): string[] {
  return [...new Set(pods.map((pod) => knownNodeOf(pod) ?? ''))].sort(compareText);
}
