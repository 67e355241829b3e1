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
import { conditionOf, isNamespace } from '../../../kube/well-known-kinds.ts';
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
import { withDeletionsOpen } from './left-open.ts';

const webhookKinds = new Set(webhookConfigurationTypes.map(groupResourceOf));
const apiServices = groupResourceOf(apiServiceType);
const [policies, bindings] = [policyType, bindingType].map((type, at) =>
  [type, mutatingPolicyTypes[at] ?? type].map(groupResourceOf),
) as [string[], string[]];

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

/** Leaves open what is deleted once a play has removed what may refuse its deletion. */
export function refusalsLifted(
  snapshot: Snapshot,
  records: readonly ObjectRecord[],
  settings: SeenSettings,
  now: number,
): (played: Simulation) => Simulation {
  const keepers = records.filter(mayKeepOthers);
  if (keepers.length === 0) return (played) => played;
  return (played) => {
    const left = new Set(played.objects.map(objectKey));
    const gone = keepers.filter((keeper) => !left.has(objectKey(keeper)));
    return withDeletionsOpen(played, keptBy(snapshot, gone, settings, now));
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
