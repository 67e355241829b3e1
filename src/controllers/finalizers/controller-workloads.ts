import { matchesPattern } from '../../kube/matches-pattern.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { FinalizerController } from './known-finalizer.ts';

/** The labels by which manifests and charts name a program. */
export const programLabels: readonly string[] = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/part-of',
  'app.kubernetes.io/component',
  'k8s-app',
  'app',
  'name',
];

const kinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Pod']);

/**
 * Does this workload look like the controller? `images` are those of its containers, where they
 * were read.
 */
export function runsController(
  { type, name, labels }: Pick<ObjectRecord, 'type' | 'name' | 'labels'>,
  controller: FinalizerController,
  images: readonly string[] = [],
): boolean {
  if (!kinds.has(type.kind) || (type.group !== 'apps' && type.group !== '')) return false;
  return (
    (controller.names ?? []).some((known) => isNamed(name, known, type.kind === 'Pod')) ||
    (controller.labels ?? []).some((value) =>
      programLabels.some((label) => labels?.[label] === value),
    ) ||
    (controller.images ?? []).some((part) => images.some((image) => image.includes(part)))
  );
}

/** The controller as it is for objects of one API group. */
export function controllerFor(controller: FinalizerController, group: string): FinalizerController {
  const names = controller.namesByGroup?.[group];
  return names ? { ...controller, names, labels: names } : controller;
}

/** `cert-manager` names `cert-manager` and, in a release, `prod-cert-manager`, but not `cert-manager-webhook`. */
function isNamed(name: string, known: string, isPod: boolean): boolean {
  if (matchesPattern(known, name)) return true;
  // A pattern is not widened any further.
  if (known.includes('*')) return false;
  if (matchesPattern(`*-${known}`, name)) return true;
  return isPod && (matchesPattern(`${known}-*`, name) || matchesPattern(`*-${known}-*`, name));
}
