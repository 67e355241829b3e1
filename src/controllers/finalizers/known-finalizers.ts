import { matchesPattern } from '../../kube/names.ts';
import { cloudFinalizers } from './cloud-finalizers.ts';
import { deliveryFinalizers } from './delivery-finalizers.ts';
import type { KnownFinalizer } from './known-finalizer.ts';
import { kubernetesFinalizers } from './kubernetes-finalizers.ts';
import { operatorFinalizers } from './operator-finalizers.ts';
import { platformFinalizers } from './platform-finalizers.ts';
import { storageFinalizers } from './storage-finalizers.ts';

/** Every finalizer that is known, in the order of docs/finalizers.md. */
export const knownFinalizers: readonly KnownFinalizer[] = [
  ...kubernetesFinalizers,
  ...storageFinalizers,
  ...cloudFinalizers,
  ...deliveryFinalizers,
  ...platformFinalizers,
  ...operatorFinalizers,
];

const exact = new Map(knownFinalizers.map((known) => [known.name, known]));
const families = knownFinalizers
  .filter(({ name }) => name.includes('*'))
  .sort((a, b) => b.name.length - a.name.length);

/** What is known of a finalizer: the entry of that name, else the narrowest family it belongs to. */
export function knownFinalizer(name: string): KnownFinalizer | undefined {
  return exact.get(name) ?? families.find((family) => matchesPattern(family.name, name));
}
