import { madeByJob } from '../../controllers/left-without-reference.ts';
import { precedingObjects } from '../../deletion/plan/relations.ts';
import { certificateNamedIn } from '../../delivery/cert-manager.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';

/** An object to which another belongs without an owner reference. */
export interface UnreferencedRelation {
  /** Why it belongs to it: `cert-manager issued it for`. */
  readonly relation: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** By what an object without owners belongs to others all the same. */
export function unreferencedRelations(record: ObjectRecord): UnreferencedRelation[] {
  const { namespace, ownerReferences } = record;
  if (ownerReferences.length > 0) return [];
  const certificate = certificateNamedIn(record);
  const job = madeByJob(record);
  return [
    ...(certificate === undefined
      ? []
      : [
          {
            relation: 'cert-manager issued it for',
            kind: 'Certificate',
            namespace,
            name: certificate,
          },
        ]),
    ...(job ? [{ relation: 'it was created by', kind: 'Job', namespace, name: job.name }] : []),
    ...precedingObjects(record).flatMap(({ resource, ...place }) => {
      const known = relations[resource];
      return known ? [{ ...known, ...place }] : [];
    }),
  ];
}

const relations: Readonly<
  Record<string, Pick<UnreferencedRelation, 'relation' | 'kind'> | undefined>
> = {
  persistentvolumeclaims: { relation: 'it is the volume of', kind: 'PersistentVolumeClaim' },
  services: { relation: 'it lists the endpoints of', kind: 'Service' },
  serviceaccounts: { relation: 'it is a token of', kind: 'ServiceAccount' },
};

/** `cert-manager issued it for Certificate web-tls`. */
export function relationInWords(
  { relation, kind, namespace, name }: UnreferencedRelation,
  home: string,
): string {
  return `${relation} ${kind} ${namespace === home ? '' : `${namespace}/`}${name}`;
}
