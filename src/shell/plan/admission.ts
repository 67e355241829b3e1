import { getObjects } from '../../cluster/list/get-objects.ts';
import { listInFull } from '../../cluster/list/list-in-full.ts';
import type { Plan, Planned, PlannedCluster, PlanRemark } from '../../deletion/plan/plan.ts';
import { type AdmissionRules, mayBeRefused } from '../../deletion/remarks/may-be-refused.ts';
import { requiredService } from '../../kube/admission-rule.ts';
import {
  bindingType,
  namespaceType,
  policyType,
  serviceType,
  webhookConfigurationTypes,
} from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { Failure } from '../../perform/failure.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { rehearseTargets } from '../../perform/rehearse-targets.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { isInteractive } from '../terminal/confirm.ts';
import { computing } from '../terminal/interruption.ts';
import { readAndPlan } from './plan-on-cluster.ts';
import type { Deletion } from './planning.ts';

/**
 * Plans a deletion, and asks the API server at the same time what it says to it, where somebody sees the plan
 * before anything is sent: dry runs of the targets, and which webhooks and policies judge the rest. Answers `refused`, the
 * targets that it refuses to delete by uid, which are not sent; `judged`, the same deletion without them; and `look`, which plans
 * the same again.
 */
export async function planWithDryRuns(
  deletion: Deletion,
  targets: readonly ObjectRecord[],
  where: PlannedCluster,
) {
  const { cluster, options, signal } = deletion;
  const asks = isShownFirst(deletion);
  const [first, { refused, unknown }, rules] = await orInterrupted(
    Promise.all([
      readAndPlan(cluster, targets, options, where),
      asks ? rehearseTargets(cluster, targets, options, signal) : nothingSaid,
      asks ? readRules(cluster, targets) : undefined,
    ]),
    signal,
  );
  const words = new Map([...refused].map(([uid, { message }]) => [uid, message]));
  const judged = { ...deletion, options: { ...options, refused: words } };
  const withRemarks = ({ plan, ...planned }: Planned): Planned => {
    const remarksOn = (other: Plan): readonly PlanRemark[] => {
      const along = rules ? mayBeRefused(other, planned.snapshot.records, rules) : [];
      return [...unknownRemark(unknown), ...along];
    };
    const remarks = [...plan.remarks, ...remarksOn(plan)];
    return { ...planned, plan: { ...plan, remarks }, remarksOn };
  };
  const look = async (objects: readonly ObjectRecord[]) =>
    withRemarks(await readAndPlan(cluster, objects, judged.options, where));
  const accepted = refused.size > 0 ? await withoutRefused(first, judged.options) : first;
  return { planned: withRemarks(accepted), look, refused, judged };
}

async function withoutRefused(planned: Planned, options: DeleteOptions): Promise<Planned> {
  const { planFrom } = await import('../../deletion/plan/plan-evidence.ts');
  return computing(() => planFrom(planned, options));
}

const nothingSaid = { refused: new Map<string, Failure>(), unknown: [] };

/** A script is answered by the server itself, and a dry run on the client asks it nothing. */
function isShownFirst({ flags, options }: Deletion): boolean {
  if (options.dryRun !== 'none') return options.dryRun === 'server';
  return (flags.preview ?? false) || (flags.compare ?? false) || (!flags.yes && isInteractive());
}

function unknownRemark([first, ...more]: readonly string[]): PlanRemark[] {
  if (first === undefined) return [];
  const others = more.length > 0 ? `, and for ${more.length} more reasons` : '';
  const message = `Whether the API server refuses this is not known: ${first}${others}.`;
  return [{ code: 'refusal-unknown', severity: 'note', message, objects: [] }];
}

/** What may not be read is not known to refuse anything. */
async function readRules(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
): Promise<AdmissionRules> {
  const read = async (type: ResourceType) => {
    const listing = listInFull(cluster.client, { type, namespace: undefined });
    return (await listing.catch(() => undefined))?.items ?? [];
  };
  const judging = async (type: ResourceType) =>
    (await read(type)).map((object) => ({ object, type }));
  const homes = new Set(targets.flatMap(({ namespace }) => namespace || []));
  const wanted = [...homes].map((name) => ({ type: namespaceType, namespace: '', name }));
  const [policies, bindings, homesRead, ...webhooks] = await Promise.all([
    judging(policyType),
    read(bindingType),
    getObjects(cluster.client, wanted, {}),
    ...webhookConfigurationTypes.map(judging),
  ]);
  const namespaces = homesRead.flatMap(({ record }) => record ?? []);
  const asked = webhooks.flat().flatMap(({ object, type }) =>
    (recordOf(object, type).facts?.webhooks ?? []).flatMap((webhook) => {
      const service = requiredService(webhook);
      return service ? [{ type: serviceType, ...service }] : [];
    }),
  );
  const services = await getObjects(cluster.client, asked, {});
  const missing = services.filter(({ record, problem }) => !record && !problem);
  const missingServices = new Set(
    missing.map(({ asked: { namespace, name } }) => `${namespace}/${name}`),
  );
  return { policies, bindings, namespaces, missingServices, webhooks: webhooks.flat() };
}
