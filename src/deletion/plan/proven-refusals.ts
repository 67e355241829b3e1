import { endpointSliceType, serviceType } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import {
  hasBackend,
  mustAnswer,
  requiredService,
  type Webhook,
  withoutServerInWords,
} from '../../programs/admission-rule.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** A webhook that must answer before an object is deleted or changed and has no server, or what refuses a controller. */
export interface ProvenRefusal {
  /** That of the webhook, or the policy itself. */
  readonly configuration: ObjectRecord;
  /** The name of the webhook or the policy. */
  readonly webhook: string;
  readonly because: string;
  /** What lifts it: `First …`. */
  readonly fix: string;
}

export type Refusals = ReadonlyMap<string, ProvenRefusal>;
const known = {
  delete: new WeakMap<Snapshot, Refusals>(),
  update: new WeakMap<Snapshot, Refusals>(),
};

/** The objects of which no deletion or change is accepted as long as nothing answers for a webhook, by their uids. */
export function refusalsNow(snapshot: Snapshot, operation: 'delete' | 'update'): Refusals {
  const found = known[operation].get(snapshot) ?? refusalsBy(snapshot, snapshot, operation);
  known[operation].set(snapshot, found);
  return found;
}

/** The same for the objects of a snapshot, where webhooks and their servers were read apart. */
export function refusalsBy(
  judges: Pick<Snapshot, 'records' | 'coverage'>,
  snapshot: Pick<Snapshot, 'records'>,
  operation: 'delete' | 'update',
): Refusals {
  const judging = judges.records.filter(({ facts }) => facts?.webhooks !== undefined);
  if (judging.length === 0) return new Map();
  const backends = backendsIn(judges);
  const dead = judging.flatMap((configuration) =>
    (configuration.facts?.webhooks ?? [])
      .filter((webhook) => hasNoServer(backends, judges.coverage, webhook))
      .map((webhook) => ({ configuration, webhook })),
  );
  if (dead.length === 0) return new Map();
  const namespaces = new Map(
    [...judges.records, ...snapshot.records]
      .filter(isNamespace)
      .map((record) => [record.name, record]),
  );
  return new Map(
    snapshot.records.flatMap((record) => {
      const home = namespaces.get(record.namespace);
      const first = dead.find(({ webhook }) => mustAnswer(webhook, operation, record, home));
      if (!first || record.uid === '') return [];
      const { configuration, webhook } = first;
      const because = withoutServerInWords(webhook);
      const { type, name } = configuration;
      const fix = `First bring its server back, or delete ${type.kind} ${name}.`;
      return [[record.uid, { configuration, webhook: webhook.name, because, fix }] as const];
    }),
  );
}

/** Services, and their EndpointSlices, by namespace and name of the Service. */
interface Backends {
  readonly services: ReadonlyMap<string, readonly ObjectRecord[]>;
  readonly slices: ReadonlyMap<string, readonly ObjectRecord[]>;
}

function backendsIn({ records }: Pick<Snapshot, 'records'>): Backends {
  const of = (wanted: ResourceType) =>
    records.filter(({ type }) => groupResourceOf(type) === groupResourceOf(wanted));
  return {
    services: Map.groupBy(of(serviceType), ({ namespace, name }) => `${namespace}/${name}`),
    slices: Map.groupBy(
      of(endpointSliceType),
      ({ namespace, labels }) => `${namespace}/${labels?.['kubernetes.io/service-name']}`,
    ),
  };
}

/** Is it certain that nothing answers? */
function hasNoServer(
  { services, slices }: Backends,
  coverage: Snapshot['coverage'],
  webhook: Webhook,
): boolean {
  const required = requiredService(webhook);
  if (!required) return false;
  const { namespace, name } = required;
  const index = coverageIndexOf(coverage);
  const at = `${namespace}/${name}`;
  const [service] = services.get(at) ?? [];
  if (!service) return index.covers(serviceType, namespace, name);
  const own = slices.get(at) ?? [];
  const isRead =
    index.coversKind(endpointSliceType, namespace) && own.every(({ facts }) => facts !== undefined);
  return hasBackend(service, isRead ? own : undefined) === false;
}
