import type { Plan } from '../../plan/plan.ts';

/**
 * uids of what may be made again without being a surprise: a remark has said so, or the namespace
 * goes in which it was made, and with it what was made.
 */
export function remadeObjects({ objects, remarks }: Plan): Set<string> {
  const uids = new Set(
    remarks.flatMap((remark) =>
      remark.code === 'recreated' ? remark.objects.map(({ uid }) => uid) : [],
    ),
  );
  const namespaces = new Set(
    objects.flatMap((object) =>
      object.kind === 'Namespace' && object.apiVersion === 'v1' && object.fate === 'deleted'
        ? [object.name]
        : [],
    ),
  );
  for (const { namespace, uid } of objects) if (namespaces.has(namespace)) uids.add(uid);
  return uids;
}
