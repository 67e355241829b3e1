import type { ObjectRecord } from './object-record.ts';

export function isPod({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Pod';
}

export function isNamespace({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Namespace';
}

export function isCustomResourceDefinition({ type }: ObjectRecord): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}
