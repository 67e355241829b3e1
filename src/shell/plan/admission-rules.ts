import { getObjects, snapshotOfAnswers, withAsked } from '../../cluster/list/get-objects.ts';
import { listInFull } from '../../cluster/list/list-in-full.ts';
import type { AdmissionRules } from '../../deletion/remarks/may-be-refused.ts';
import {
  bindingType,
  endpointSliceType,
  namespaceType,
  policyType,
  serviceType,
  webhookConfigurationTypes,
} from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { coversOperation, requiredService } from '../../programs/admission-rule.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';

/** Webhooks, what answers behind them, and the namespaces of the targets. */
export type Judges = Pick<Snapshot, 'records' | 'coverage'>;

/** What may not be read is not known to refuse anything. */
export async function readRules(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
): Promise<{ readonly rules: AdmissionRules; readonly judges: Judges }> {
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
  const configurations = webhooks.flat().map(({ object, type }) => recordOf(object, type));
  const asked = configurations.flatMap(({ facts }) =>
    (facts?.webhooks ?? []).flatMap((webhook) => {
      const isAsked = (webhook.rules ?? []).some((rule) => coversOperation(rule, 'delete'));
      const service = isAsked ? requiredService(webhook) : undefined;
      return service ? [{ type: serviceType, ...service }] : [];
    }),
  );
  const servers = await readServers(cluster, asked);
  const judges = {
    records: [...configurations, ...namespaces, ...servers.records],
    coverage: servers.coverage,
  };
  return { rules: { policies, bindings, namespaces, webhooks: webhooks.flat() }, judges };
}

/** The Services that webhooks ask, and what answers behind them. */
async function readServers(
  cluster: OpenedCluster,
  services: readonly ObjectLocation[],
): Promise<Judges> {
  const [answers, slices] = await Promise.all([
    getObjects(cluster.client, services, { facts: true }),
    readCluster(cluster, {
      namespaces: [...new Set(services.map(({ namespace }) => namespace))],
      namespacedOnly: true,
      kinds: [groupResourceOf(endpointSliceType)],
      facts: true,
      latest: true,
    }),
  ]);
  return withAsked(slices, snapshotOfAnswers(cluster.client, cluster, answers));
}
