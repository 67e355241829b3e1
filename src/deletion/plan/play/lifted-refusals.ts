import type { Decision } from '../../../controllers/controller.ts';
import {
  apiServiceType,
  bindingType,
  mutatingPolicyTypes,
  policyType,
  webhookConfigurationTypes,
} from '../../../kube/core-types.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { kindAndName, objectKey } from '../../../kube/object-reference.ts';
import { groupResourceOf } from '../../../kube/resource-type.ts';
import { minute } from '../../../kube/time.ts';
import { conditionOf, isNamespace, isPod } from '../../../kube/well-known-kinds.ts';
import {
  coversKind,
  coversOperation,
  mayJudge,
  selectorsTake,
  type Webhook,
} from '../../../programs/admission-rule.ts';
import {
  defaultControllerSettings,
  type SeenSettings,
} from '../../../settings/controller-settings.ts';
import { simulatedDeletions } from '../../../simulator/forecast/forecast-actions.ts';
import { simulate } from '../../../simulator/simulate.ts';
import type { Simulation } from '../../../simulator/simulation.ts';
import type { Snapshot } from '../../../snapshot/snapshot.ts';
import { canDisappearWith } from '../relations.ts';
import { withDeletionsOpen } from './left-open.ts';
import { isServiceNamed, lostBackends } from './lost-backends.ts';

const webhookKinds = new Set(webhookConfigurationTypes.map(groupResourceOf));
const apiServices = groupResourceOf(apiServiceType);
const [policies, bindings] = [policyType, bindingType].map((type, at) =>
  [type, mutatingPolicyTypes[at] ?? type].map(groupResourceOf),
) as [string[], string[]];

/** What may keep others from their deletion, and might no longer once these targets are deleted. `members`: what they can reach. */
export function keepersAmong(
  snapshot: Snapshot,
  members: readonly ObjectRecord[],
  targets: readonly ObjectRecord[],
): ObjectRecord[] {
  const isAny = members.some(mayKeepOthers) || ignoredIn(snapshot).length > 0;
  return isAny ? keepersGoing(snapshot, canDisappearWith(members, targets)) : [];
}

/** What keeps others from their deletion no longer, once these objects are deleted. */
function keepersGoing(snapshot: Snapshot, gone: readonly ObjectRecord[]): ObjectRecord[] {
  return [...gone.filter(mayKeepOthers), ...passedOver(snapshot, gone)];
}

/**
 * Webhook configurations with those webhooks alone that are passed over, as nothing answers for them once these objects are deleted:
 * the API server goes on without them (failurePolicy Ignore; Dispatch, k8s.io/apiserver pkg/admission/plugin/webhook/validating).
 */
export function passedOver(
  snapshot: Pick<Snapshot, 'records'>,
  gone: readonly ObjectRecord[],
): ObjectRecord[] {
  const ignored = ignoredIn(snapshot);
  if (ignored.length === 0) return [];
  const lost = lostBackends(snapshot.records, gone);
  const without = ignored.filter(({ webhook }) =>
    lost.some(({ service }) => isServiceNamed(webhook.clientConfig?.service, service)),
  );
  return [...Map.groupBy(without, ({ configuration }) => configuration)].map(
    ([{ facts, ...configuration }, all]) => ({
      ...configuration,
      facts: { ...facts, webhooks: all.map(({ webhook }) => webhook) },
    }),
  );
}

/** The webhooks that may refuse a deletion only as long as their Services answer. */
function ignoredIn({ records }: Pick<Snapshot, 'records'>) {
  return records.flatMap((configuration) =>
    (configuration.facts?.webhooks ?? []).flatMap((webhook) =>
      isIgnored(webhook) ? [{ configuration, webhook }] : [],
    ),
  );
}

function isIgnored({ failurePolicy, clientConfig, rules = [] }: Webhook): boolean {
  return (
    failurePolicy === 'Ignore' &&
    clientConfig?.service !== undefined &&
    rules.some((rule) => coversOperation(rule, 'delete') || coversOperation(rule, 'update'))
  );
}

/** May it keep others from their deletion: by what it refuses, or as an API that does not answer? */
export function mayKeepOthers({ type }: Pick<ObjectRecord, 'type'>): boolean {
  const kind = groupResourceOf(type);
  return webhookKinds.has(kind) || [apiServices, ...policies, ...bindings].includes(kind);
}

/**
 * What controllers are about to delete and `keepers` may refuse, or keep waiting: it may be deleted once these
 * are deleted. Whether they do refuse it is not asked, so that these are too many rather than too few.
 */
export function keptBy(
  snapshot: Snapshot,
  keepers: readonly ObjectRecord[],
  settings: SeenSettings,
  now: number,
): Decision<string>[] {
  if (keepers.length === 0) return [];
  const keeps = keepers.map((keeper) => ({ keeper, isKept: keptWhile(snapshot, keeper) }));
  const due = dueFor(snapshot, settings, now);
  const dueByUid = new Map(due.map((one) => [one.object.uid, one]));
  return snapshot.records.flatMap((record): Decision<string>[] => {
    const action = dueByUid.get(record.uid);
    if (!action && !isBeingDeleted(record)) return [];
    const by = keeps.find(({ isKept }) => isKept(record))?.keeper;
    if (!by || record.uid === '') return [];
    const isApi = groupResourceOf(by.type) === apiServices;
    const why = action ? `${action.because}; ` : '';
    return [
      {
        collector: action?.collector ?? 'kube-apiserver',
        object: record,
        action: 'delete',
        because: `${why}${kindAndName(by)} may ${isApi ? 'block' : 'refuse'} its deletion until then`,
        rule: isApi ? 'GC-71' : 'GC-43',
        confidence: 'unknown',
        notBefore: now,
        notAfter: undefined,
      },
    ];
  });
}

/** The objects of a deletion, and those that are deleted with their namespace without being played. */
interface PlayedScope {
  readonly snapshot: Snapshot;
  readonly records: readonly ObjectRecord[];
  readonly content: ReadonlySet<ObjectRecord>;
}

/** Leaves open what is deleted once a play has removed what may refuse its deletion. */
export function refusalsLifted(
  { snapshot, records, content }: PlayedScope,
  keepers: readonly ObjectRecord[],
  settings: SeenSettings,
  now: number,
): (played: Simulation) => Simulation {
  if (keepers.length === 0) return (played) => played;
  return (played) => {
    const ends = new Map(played.objects.map((end) => [objectKey(end), end]));
    // The containers of a Pod stop while a finalizer blocks it.
    const isGone = (record: ObjectRecord) => {
      const end = ends.get(objectKey(record));
      if (content.has(record) || end?.uid !== record.uid) return true;
      return isPod(record) && isBeingDeleted(end);
    };
    const lifted = keepersGoing(snapshot, records.filter(isGone));
    return withDeletionsOpen(played, keptBy(snapshot, lifted, settings, now));
  };
}

/** What is due in so short a time is due now: pod garbage collection passes every 20 s. */
const dueSoon = 2 * minute;

interface Due {
  readonly settings: SeenSettings;
  readonly now: number;
  readonly found: ReturnType<typeof simulatedDeletions>;
}

/** What reaches and plays of one plan ask alike. */
const known = new WeakMap<Snapshot, Due>();

function dueFor(snapshot: Snapshot, settings: SeenSettings, now: number): Due['found'] {
  const before = known.get(snapshot);
  if (before?.settings === settings && before.now === now) return before.found;
  const whole = { ...defaultControllerSettings, ...settings };
  const simulation = simulate(snapshot, [], whole, { now, duration: dueSoon, forecast: true });
  const found = simulatedDeletions(snapshot, simulation, now, now + dueSoon).filter(
    ({ action, follows }) => action === 'delete' && !follows,
  );
  known.set(snapshot, { settings, now, found });
  return found;
}

type IsKept = (record: ObjectRecord) => boolean;

function keptWhile(snapshot: Snapshot, keeper: ObjectRecord): IsKept {
  const kind = groupResourceOf(keeper.type);
  if (kind === apiServices) {
    // The namespace controller reports every API that it cannot discover, and keeps the Namespace (GC-71).
    const answers = conditionOf(keeper, 'Available')?.status === 'True';
    return (record) => !answers && isNamespace(record) && isBeingDeleted(record);
  }
  if (webhookKinds.has(kind)) {
    const homes = new Map(snapshot.records.filter(isNamespace).map((one) => [one.name, one]));
    const { webhooks } = keeper.facts ?? {};
    return (record) =>
      webhooks?.some((webhook) => mayAsk(webhook, record, homes.get(record.namespace))) ?? true;
  }
  // A binding does not say what it is about: its policy does.
  const judging = policies.includes(kind)
    ? [keeper]
    : snapshot.records.filter(({ type }) => policies.includes(groupResourceOf(type)));
  return (record) =>
    judging.some(
      (policy) =>
        policy.facts?.policyRules === undefined || mayJudge(policy, operationOn(record), record),
    );
}

/** A controller deletes a living object; of one that is being deleted it removes finalizers. */
function operationOn(record: ObjectRecord): 'delete' | 'update' {
  return isBeingDeleted(record) ? 'update' : 'delete';
}

function mayAsk(webhook: Webhook, record: ObjectRecord, home: ObjectRecord | undefined): boolean {
  const operation = operationOn(record);
  const { rules = [] } = webhook;
  return (
    rules.some((rule) => coversOperation(rule, operation) && coversKind(rule, record.type)) &&
    (selectorsTake(webhook, record, home) ?? true)
  );
}
