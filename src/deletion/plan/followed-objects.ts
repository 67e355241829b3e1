import { managedBy, serviceName } from '../../controllers/endpoints/endpointslice.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Next } from './relations.ts';

/**
 * What an object goes after without being owned by it, as a controller deletes it then: a volume after its
 * claim (PV-2), Endpoints and what is mirrored from them after their Service (OTH-2, OTH-3), a token after
 * its ServiceAccount (SAT-5), a pod after its Node (PG-12).
 */
export function followedAmong<T extends { readonly record: ObjectRecord }>(
  touched: readonly T[],
): Next<T> {
  const byName = new Map(
    touched.map((object) => {
      const { type, namespace, name } = object.record;
      return [type.group === '' ? keyOf(type.kind, namespace, name) : '', object];
    }),
  );
  return ({ record }) => followed(record).flatMap((key) => byName.get(key) ?? []);
}

function followed(record: ObjectRecord): string[] {
  const { type, namespace, name, labels, annotations, facts } = record;
  switch (type.kind) {
    case 'PersistentVolume': {
      const claim = facts?.claimRef;
      return claim ? [keyOf('PersistentVolumeClaim', claim.namespace ?? '', claim.name)] : [];
    }
    case 'Endpoints':
      return [keyOf('Service', namespace, name)];
    case 'EndpointSlice': {
      const service = labels?.[managedBy] === undefined ? undefined : labels[serviceName];
      if (service === undefined) return [];
      return [keyOf('Endpoints', namespace, service), keyOf('Service', namespace, service)];
    }
    case 'Secret': {
      const account = annotations?.['kubernetes.io/service-account.name'];
      return account === undefined ? [] : [keyOf('ServiceAccount', namespace, account)];
    }
    case 'Pod': {
      const node = isPod(record) ? knownNodeOf(record) : undefined;
      return node === undefined ? [] : [keyOf('Node', '', node)];
    }
    default:
      return [];
  }
}

const keyOf = (kind: string, namespace: string, name: string) => `${kind} ${namespace}/${name}`;
