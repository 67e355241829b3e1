import type { UsedKind } from '../../kube/pod-references.ts';
import type { PlanRemark } from '../plan/plan.ts';
import type { TouchedObject } from '../plan/play/touched-objects.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';
import { usedKindOf } from './uses.ts';

/** What cannot be done any more without an object of a kind, by those that refer to it. */
const effects: Readonly<Record<UsedKind, string>> = {
  ConfigMap: 'new containers may not start without it',
  Secret: 'new containers may not start without it',
  PersistentVolumeClaim: 'new Pods cannot start without it',
  ServiceAccount: 'the API server refuses new Pods, and tokens of running ones become invalid',
  StorageClass: 'no volume is provisioned or expanded for a claim of it',
  PriorityClass: 'the API server refuses new Pods',
  RuntimeClass: 'the API server refuses new Pods',
};

/** Deleted objects that others use which stay, and targets of which that is not known. */
export function inUse({ uses, fateOf, recreations }: RemarkInput): PlanRemark[] {
  const found = [...uses].flatMap(([object, use]) => {
    const kind = usedKindOf(object.record);
    const remadeBy = recreations.get(object)?.who;
    const until = remadeBy === undefined ? '' : ` before ${remadeBy} makes another`;
    return kind ? [{ object, use, kind, until }] : [];
  });
  const used = found.flatMap((one) => {
    if (one.use.state !== 'used') return [];
    const isHeld = one.kind === 'PersistentVolumeClaim' && fateOf(one.object) === 'terminating';
    return { ...one, effect: isHeld ? heldByUse : effects[one.kind] };
  });
  // Only Pods and workloads use claims, and what of these was not read is said of its protection.
  const open = found.filter(
    ({ object, use, kind, until }) =>
      use.state === 'unknown' &&
      object.isTarget &&
      kind !== 'PersistentVolumeClaim' &&
      until === '',
  );
  return [
    ...[
      ...Map.groupBy(
        used,
        ({ use, effect, until }) => `${effect} ${use.because} ${until}`,
      ).values(),
    ].map(usedRemark),
    ...[...Map.groupBy(open, ({ use }) => use.gap).values()].map(unknownRemark),
  ];
}

interface UsedObject {
  readonly object: TouchedObject;
  readonly use: NonNullable<ReturnType<RemarkInput['uses']['get']>>;
  readonly kind: UsedKind;
  /** Where another is made. */
  readonly until: string;
}

/** Of a claim: PVC protection (PV-12). */
const heldByUse = 'the claim remains until no Pod on a Node uses it';

function usedRemark(group: readonly (UsedObject & { readonly effect: string })[]): PlanRemark {
  const [{ use, effect: lost, until }] = group as [(typeof group)[number]];
  const objects = identitiesOf(group.map(({ object }) => object.record));
  const is = objects.length === 1 ? 'is' : 'are';
  const effect = use.optional
    ? 'containers start without it'
    : `${lost}${lost === heldByUse ? '' : until}`;
  const message = `${namesOf(objects)} ${is} ${use.because}: ${effect}.`;
  const severity = use.optional ? 'note' : 'warning';
  return { code: 'in-use', severity, message, objects: [...objects, ...use.by] };
}

function unknownRemark(group: readonly UsedObject[]): PlanRemark {
  const [{ use }] = group as [UsedObject];
  const objects = identitiesOf(group.map(({ object }) => object.record));
  const is = objects.length === 1 ? 'is' : 'are';
  const message = `Unknown whether ${namesOf(objects)} ${is} used: ${use.gap}.`;
  return { code: 'in-use', severity: 'note', message, objects };
}
