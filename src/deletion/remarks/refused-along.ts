import { countsByKind } from '../../kube/counts-by-kind.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { mayJudge } from '../../programs/admission-rule.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { countedNames, type RemarkInput } from './remark-input.ts';

/** What is not asked for and stays, as the API server refuses its deletion. */
export function refusedAlong({ played, after, fateOf }: RemarkInput): PlanRemark[] {
  const { targets, touched } = played;
  const { proven, records } = played.scope;
  if (proven.size === 0) return [];
  const homes = new Set(
    touched
      .filter((object) => object.isTarget && fateOf(object) === 'terminating')
      .map(({ record }) => record.name),
  );
  const owners = new Set(touched.map(({ record }) => record.uid));
  const staying = records.filter(
    ({ uid, namespace, ownerReferences }) =>
      proven.has(uid) &&
      after.living(uid) !== undefined &&
      (homes.has(namespace) || ownerReferences.some((reference) => owners.has(reference.uid))),
  );
  const asked = new Set(
    touched.filter(({ key }) => targets.has(key)).map(({ record }) => record.uid),
  );
  const groups = Map.groupBy(
    staying.filter(({ uid }) => !asked.has(uid)),
    ({ uid }) => proven.get(uid),
  );
  return [...Map.groupBy([...groups], ([refusal]) => refusal?.because ?? '')].map(
    ([because, all]) => {
      const objects = all.flatMap(([, records]) => records.map(referenceTo)).sort(compareObjects);
      return refusalRemark(objects, because, all[0]?.[0]?.fix ?? '');
    },
  );
}

/** That none of these objects is deleted before the cause is resolved. */
function refusalRemark(
  objects: readonly ObjectReference[],
  because: string,
  fix: string,
): PlanRemark {
  const message = `The API server refuses to delete ${countedNames(objects)}: ${because}. ${fix}`;
  return { code: 'may-be-refused', severity: 'warning', message, objects };
}

/** Policies in files that judge what is deleted: what they answer, only the API server shows. */
export function judgedInFiles({ snapshot, going }: RemarkInput): PlanRemark[] {
  if (snapshot.origin.kind !== 'files') return [];
  const policies = snapshot.records.filter(({ facts }) => facts?.policyRules !== undefined);
  return policies.flatMap((policy) => {
    const judged = going.filter(({ record }) => mayJudge(policy, 'delete', record));
    if (judged.length === 0) return [];
    const { type, name } = policy;
    const what = countsByKind(judged.map(({ identity }) => identity));
    const message = `${type.kind} ${name} judges the deletion of ${what}: files do not show whether it refuses that.`;
    return { code: 'may-be-refused', severity: 'note', message, objects: [referenceTo(policy)] };
  });
}
