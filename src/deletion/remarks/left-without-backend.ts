import type { ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf, objectKey } from '../../kube/object-reference.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { PlanRemark, RemarkCode } from '../plan/plan.ts';
import { isServiceNamed, lostBackends } from '../plan/play/lost-backends.ts';
import { countedNames, identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/**
 * Objects that stay and need a deleted program: webhooks, APIServices, conversions of definitions, and the volumes of
 * a CSI driver. They should be deleted first.
 */
export function leftWithoutBackend(input: RemarkInput): PlanRemark[] {
  const { going, fateOf, snapshot, context } = input;
  const leaving = going.flatMap((object) =>
    fateOf(object) === 'recreated' ? [] : [object.record],
  );
  if (leaving.length === 0) return [];
  const gone = new Set(going.map(({ key }) => key));
  const apart = context.webhooksAndApiServices?.records ?? [];
  const read = new Set(apart.map(objectKey));
  const staying = [
    ...snapshot.records.filter((record) => needsProgram(record) && !read.has(objectKey(record))),
    ...apart,
  ].filter((record) => !gone.has(objectKey(record)));
  const backends = lostBackends(snapshot.records, leaving);
  // A namespace may have thousands of Services, and few objects of a cluster ask any.
  const mayAsk = staying.filter(asksAny);
  const warnings = backends.flatMap(({ service, lost }) =>
    dependencies.flatMap(({ code, asks, effect }): PlanRemark[] => {
      const asking = mayAsk.filter((record) => asks(record, service));
      if (asking.length === 0) return [];
      const objects = identitiesOf(asking);
      const what = namesOf(objects);
      const backends = lost.every(isPod) ? 'pods' : 'endpoints';
      const why = lost.includes(service) ? 'is deleted' : `loses all of its ${backends}`;
      const [asks1, stays, them] =
        objects.length === 1 ? ['asks', 'stays', 'it'] : ['ask', 'stay', 'them'];
      const message = `${fullNameOf(service)} ${why}, and ${what}, which ${asks1} it, ${stays}: ${effect(asking)}. To delete ${them} as well, delete ${them} first.`;
      return [{ code, severity: 'warning', message, objects }];
    }),
  );
  return [
    ...warnings,
    ...driverRemarks(input, staying),
    ...unreadKindsRemark(context.webhooksAndApiServices?.unread ?? []),
  ];
}

/** Few of a cluster's objects do. */
function needsProgram(record: ObjectRecord): boolean {
  return asksAny(record) || record.facts?.source?.csi !== undefined;
}

function asksAny({ facts }: ObjectRecord): boolean {
  return (facts?.webhooks ?? facts?.serviceName ?? facts?.conversionClient) !== undefined;
}

interface Dependency {
  readonly code: RemarkCode;
  readonly asks: (record: ObjectRecord, service: ObjectRecord) => boolean;
  /** What is so afterwards. */
  readonly effect: (asking: readonly ObjectRecord[]) => string;
}

const dependencies: readonly Dependency[] = [
  {
    // With Ignore a webhook that does not answer is passed over.
    code: 'may-be-refused',
    asks: ({ facts }, service) =>
      (facts?.webhooks ?? []).some(
        ({ clientConfig, failurePolicy }) =>
          failurePolicy !== 'Ignore' && isServiceNamed(clientConfig?.service, service),
      ),
    effect: () => 'the API server refuses all that it would ask it about',
  },
  {
    code: 'unserved-api',
    asks: ({ facts }, service) =>
      isServiceNamed(
        { namespace: facts?.serviceNamespace ?? '', name: facts?.serviceName ?? '' },
        service,
      ),
    effect: (services) =>
      `its API does not answer any more, and while discovery fails for ${services.length === 1 ? 'it' : 'them'} no namespace is deleted to its end`,
  },
  {
    code: 'unserved-api',
    asks: ({ facts }, service) =>
      facts?.conversionStrategy === 'Webhook' &&
      isServiceNamed(facts.conversionClient?.service, service),
    effect: () =>
      'objects that are stored in another version cannot be read any more, and neither the garbage collector nor a namespace that is deleted gets past them',
  },
];

/** Volumes whose driver is taken out of the cluster: nothing detaches, unmounts or deletes them then. */
function driverRemarks(
  { goingOf, fateOf }: RemarkInput,
  staying: readonly ObjectRecord[],
): PlanRemark[] {
  return goingOf('csidrivers.storage.k8s.io').flatMap((object): PlanRemark[] => {
    if (fateOf(object) === 'recreated') return [];
    const { record: driver } = object;
    const volumes = identitiesOf(staying.filter(({ facts }) => facts?.source?.csi === driver.name));
    if (volumes.length === 0) return [];
    const [stays, them] = volumes.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
    const message = `CSIDriver ${driver.name} is deleted, and ${countedNames(volumes)} of it ${stays}: without its programs, nothing mounts, detaches or deletes ${them}. Delete the claims first, wait until the volumes are deleted, then delete the driver.`;
    return [{ code: 'volume', severity: 'warning', message, objects: volumes }];
  });
}

/** What asks a program may be of a kind that could not be read. */
function unreadKindsRemark(kinds: readonly string[]): PlanRemark[] {
  if (kinds.length === 0) return [];
  const message = `${kinds.join(', ')} could not be read: whether they depend on a deleted backend is unknown.`;
  return [{ code: 'refusal-unknown', severity: 'note', message, objects: [] }];
}
