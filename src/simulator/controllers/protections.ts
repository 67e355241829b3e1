import { protection, protections } from '../../controllers/finalizers/protection.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { KeyedController } from './keyed-controller.ts';

/** What is being deleted loses its protection once nothing uses it (PROT-1 to PROT-3). */
export const protectionControllers: readonly KeyedController[] = protections.map(
  ({ controller, kind, reads, rule }) => ({
    id: protection.id,
    controller,
    kinds: [kind],
    reads,
    concerns: isBeingDeleted,
    // Few of them are ever being deleted.
    affected: (_change, { state }) => [...state.ofResource(kind)],
    decide: (record, { view, settings }, { now }) =>
      protection
        .decide(view, settings, now)
        .filter((decision) => decision.object === record && decision.rule === rule),
    linksOf,
  }),
);

/** A class or a group and what names it; all ranges and addresses, of which each may count for the others. */
function linksOf({ type, namespace, name, facts = {} }: ObjectRecord): readonly string[] {
  switch (type.kind) {
    case 'VolumeAttributesClass':
      return [name];
    case 'PersistentVolume':
    case 'PersistentVolumeClaim':
      return [
        facts.volumeAttributesClassName ?? [],
        facts.currentVolumeAttributesClassName ?? [],
        facts.targetVolumeAttributesClassName ?? [],
      ].flat();
    case 'ServiceCIDR':
    case 'IPAddress':
      return ['addresses'];
    case 'PodGroup':
      return [`${namespace}/${name}`];
    case 'Pod':
      return facts.podGroupName === undefined ? [] : [`${namespace}/${facts.podGroupName}`];
    default:
      return [];
  }
}
