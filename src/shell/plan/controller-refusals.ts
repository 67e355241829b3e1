import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { getObjects } from '../../cluster/list/get-objects.ts';
import { defaultRetryPolicy } from '../../cluster/pacing.ts';
import { conversionMessage, isConversionFailure } from '../../cluster/unlistable.ts';
import { isJudgement } from '../../cluster/write/write-answer.ts';
import type { Planned } from '../../deletion/plan/plan.ts';
import { disappearingIn } from '../../deletion/plan/plan-totals.ts';
import type { ProvenRefusal, Refusals } from '../../deletion/plan/proven-refusals.ts';
import type { AdmissionJudge } from '../../deletion/remarks/may-be-refused.ts';
import { crdType } from '../../kube/core-types.ts';
import { bareRecord, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import {
  rehearsalsAtOnce,
  rehearseDeletionOf,
  untilPatienceEnds,
} from '../../perform/rehearse-targets.ts';
import {
  accountOf,
  type ControllerWithAccount,
  controllerTitles,
} from '../../why/controller-accounts.ts';

/** What dry runs in the names of controllers showed of what these delete, by uid. */
export interface RehearsedControllers {
  readonly refused: ReadonlyMap<string, ProvenRefusal>;
  readonly accepted: ReadonlySet<string>;
}

/** The maximum number of objects to try. */
const mostTried = 30;

/**
 * Has the API server judge, by dry runs in their names, what the garbage collector and the namespace controller delete after these
 * requests: admission may refuse a controller what it permits the user. Nothing where the user may not impersonate them.
 */
export async function rehearseControllers(
  client: ClusterClient,
  { plan, snapshot }: Planned,
  judges: readonly AdmissionJudge[],
  interrupted: AbortSignal,
): Promise<RehearsedControllers> {
  const signal = untilPatienceEnds(interrupted);
  const judged = new Map<ObjectRecord, AdmissionJudge[]>();
  for (const judge of judges) {
    for (const record of judge.judged) judged.set(record, [...(judged.get(record) ?? []), judge]);
  }
  const going = disappearingIn(plan);
  const emptied = new Set(
    snapshot.records
      .filter((record) => isNamespace(record) && going.some(({ uid }) => uid === record.uid))
      .map(({ name }) => name),
  );
  const tried = [...judged].slice(0, mostTried);
  const answers = await inParallel(tried, rehearsalsAtOnce, async ([record, by]) => {
    const told = await Promise.all(
      sendersOf(record, emptied).map((sender) => ask(client, record, sender, signal)),
    );
    const refusals = told.flatMap(({ refusal }) => refusal ?? []);
    return {
      uid: record.uid,
      isAccepted: told.some(({ isAccepted }) => isAccepted),
      // Of two controllers that delete it, one is enough.
      refusal: refusals.length === told.length ? refusalBy(refusals[0], by) : undefined,
    };
  });
  return {
    refused: new Map(
      answers.flatMap(({ uid, refusal }) => (refusal ? [[uid, refusal] as const] : [])),
    ),
    accepted: new Set(answers.flatMap(({ uid, isAccepted }) => (isAccepted ? [uid] : []))),
  };
}

/** The controllers that delete an object after others. `emptied`: the namespaces that are deleted. */
function sendersOf(
  { namespace, ownerReferences }: ObjectRecord,
  emptied: ReadonlySet<string>,
): ControllerWithAccount[] {
  return [
    ...(emptied.has(namespace) ? (['namespace-controller'] as const) : []),
    ...(ownerReferences.length > 0 ? (['garbage-collector-controller'] as const) : []),
  ];
}

interface Refused {
  readonly by: ControllerWithAccount;
  readonly message: string;
}

/** Neither is known where the user may not impersonate the controller, or the server does not answer. */
async function ask(
  client: ClusterClient,
  record: ObjectRecord,
  by: ControllerWithAccount,
  signal: AbortSignal,
): Promise<{ readonly isAccepted: boolean; readonly refusal?: Refused }> {
  const body = { propagationPolicy: 'Background' };
  const answer = await rehearseDeletionOf(client, record, body, signal, accountOf(by).name);
  const { outcome, code, message } = answer;
  const isPermission =
    code === 401 || (code === 403 && / cannot (impersonate|delete) /.test(message));
  const isRefused = outcome === 'refused' && code !== 409 && isJudgement(answer) && !isPermission;
  return { isAccepted: outcome === 'done', ...(isRefused && { refusal: { by, message } }) };
}

/** The policy or webhook that the refusal names; `judges`: those that are asked about the object. */
function refusalBy(
  refused: Refused | undefined,
  judges: readonly AdmissionJudge[],
): ProvenRefusal | undefined {
  if (!refused) return undefined;
  const { by, message } = refused;
  const isNamed = (name: string) => message.includes(`'${name}'`) || message.includes(`"${name}"`);
  const configuration = judges.find(({ names }) => names.some(isNamed))?.by;
  if (!configuration) return undefined;
  const { kind } = configuration.type;
  const [, silent] =
    /failed calling webhook "([^"]+)": (?:failed to call webhook: )?/.exec(message) ?? [];
  if (silent !== undefined) {
    return {
      configuration,
      webhook: silent,
      because: `the webhook ${silent} does not answer: ${message.replace(/^.*?failed to call webhook: /s, '')}`,
      fix: `First bring its server back, or delete ${kind} ${configuration.name}.`,
    };
  }
  const told = message.replace(/^.* denied (the )?request: /s, '');
  return {
    configuration,
    webhook: configuration.name,
    because: `${kind} ${configuration.name} refuses the ${controllerTitles[by]}: ${told}`,
    fix: `First exempt ${accountOf(by).name} in ${kind} ${configuration.name}.`,
  };
}

/** The maximum number of kinds of which an object is read. */
const mostRead = 30;

/**
 * The custom resources that no controller can delete, as their conversion webhook does not answer, by uid. A list is answered from
 * the watch cache of the API server, which may have converted them long ago; a deletion reads the object from etcd first, as a GET does
 * (Store.Delete, k8s.io/apiserver registry/generic). One object of each kind is read.
 */
export async function unconvertedAmong(
  client: ClusterClient,
  { plan, snapshot }: Planned,
  signal: AbortSignal,
): Promise<Refusals> {
  const asked = new Set(plan.requests.map(({ uid }) => uid));
  const going = new Set(disappearingIn(plan).flatMap(({ uid }) => (asked.has(uid) ? [] : uid)));
  const custom = snapshot.records.filter(
    ({ uid, type }) => going.has(uid) && !isBuiltInGroup(type.group),
  );
  const kinds = Map.groupBy(custom, ({ type }) => groupResourceOf(type));
  const first = [...kinds.values()].flatMap(([record]) => record ?? []).slice(0, mostRead);
  const answers = await getObjects(client, first, {
    signal,
    retry: { ...defaultRetryPolicy, tries: 1 },
  });
  return new Map(
    answers.flatMap(({ asked: { type }, problem }) => {
      if (!problem || !isConversionFailure(problem.message)) return [];
      const resource = groupResourceOf(type);
      const refusal = conversionRefusal(
        resource,
        conversionMessage(problem.message),
        snapshot.records,
      );
      return (kinds.get(resource) ?? []).map(({ uid }) => [uid, refusal] as const);
    }),
  );
}

function conversionRefusal(resource: string, message: string, records: readonly ObjectRecord[]) {
  const isDefinition = ({ type, name }: ObjectRecord) =>
    type.kind === crdType.kind && name === resource;
  const configuration =
    records.find(isDefinition) ?? bareRecord({ type: crdType, namespace: '', name: resource });
  return {
    configuration,
    webhook: resource,
    because: message,
    fix: `First bring the webhook back, or set spec.conversion.strategy of CustomResourceDefinition ${resource} to None.`,
  };
}
