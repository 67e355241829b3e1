import { matchesPattern } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import { finalizerTable } from './finalizer-table.ts';

/** Where to look for the program that removes a finalizer. */
export interface FinalizerController {
  /** As its own project calls it: `external-provisioner of the CSI driver`. */
  readonly title: string;
  /** `workload`: pods of the cluster; the other two run in the control plane. */
  readonly runsIn: 'kube-controller-manager' | 'kube-apiserver' | 'workload';
  /** Managed clusters run it out of sight, so its absence proves nothing. */
  readonly mayRunElsewhere?: true;
  /** There is one for each driver, provider or service, so a running one may belong to another. */
  readonly oneOfMany?: true;
  /** Which of `names` it is for objects of an API group, where there are several. */
  readonly namesByGroup?: Readonly<Record<string, readonly string[]>>;
  /** Its name for kube-controller-manager's --controllers. */
  readonly controllerName?: string;
  /** Names of Deployments, StatefulSets and DaemonSets; a release's name may stand in front or behind. */
  readonly names?: readonly string[];
  /** Values of the labels app.kubernetes.io/name, app.kubernetes.io/part-of, k8s-app, app and name. */
  readonly labels?: readonly string[];
  /** Parts of its containers' images. */
  readonly images?: readonly string[];
  /** It watches its own namespace, and further ones that these arguments or variables name. */
  readonly namespacesFrom?: readonly string[];
  /** Names of the Leases that its leader renews; `*` stands for anything. */
  readonly leases?: readonly string[];
}

/** The entry of one finalizer, or of a family of finalizers. */
export interface KnownFinalizer {
  /** The finalizer; a `*` stands for anything. */
  readonly name: string;
  /** The only kind of which this is said. */
  readonly kind?: string;
  readonly setBy: FinalizerController;
  /** What would be lost or left behind without it. */
  readonly protects: string;
  /** What has to happen before its controller removes it. */
  readonly removedWhen: string;
  /** Where this can be read. */
  readonly source: string;
}

/** The labels by which manifests and charts name a program. */
export const programLabels: readonly string[] = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/part-of',
  'app.kubernetes.io/component',
  'k8s-app',
  'app',
  'name',
];

const workloadKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Pod']);

/**
 * Does this workload look like the controller? `images` are those of its containers, where they
 * were read.
 */
export function runsController(
  { type, name, labels }: Pick<ObjectRecord, 'type' | 'name' | 'labels'>,
  controller: FinalizerController,
  images: readonly string[] = [],
): boolean {
  if (!workloadKinds.has(type.kind) || (type.group !== 'apps' && type.group !== '')) return false;
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
  // A pattern is not widened any further.
  if (known.includes('*')) return matchesPattern(known, name);
  if (!name.includes(known)) return false;
  if (name === known || name.endsWith(`-${known}`)) return true;
  return isPod && (name.startsWith(`${known}-`) || name.includes(`-${known}-`));
}

const kubernetes = 'https://github.com/kubernetes/kubernetes/blob/v1.36.3';

const lists: readonly string[] = ['names', 'labels', 'images', 'leases', 'namespacesFrom'];
const manager = ['kube-controller-manager'];

let knownList: readonly KnownFinalizer[] | undefined;

/** Every finalizer that is known, in the order of docs/finalizers.md. The table is read when it is first asked for. */
export function knownFinalizers(): readonly KnownFinalizer[] {
  knownList ??= finalizersOf(finalizerTable);
  return knownList;
}

/** Finalizers have two lines each below them, further in. */
function finalizersOf(table: string): KnownFinalizer[] {
  const found: KnownFinalizer[] = [];
  let setBy: FinalizerController = { title: '', runsIn: 'workload' };
  let source = '';
  const entries = table
    .replaceAll(/^#.*\n/gm, '')
    .trim()
    .split(/\n+(?! {4})/);
  for (const entry of entries) {
    const [line = '', protects, removedWhen = ''] = entry.split(/\n +/);
    const [title = '', page] = line.trim().split(/ ?\| /);
    if (page !== undefined) source = page.replace(/^k8s:/, kubernetes);
    if (!line.startsWith(' ')) setBy = { title, runsIn: 'workload', names: [] };
    else if (protects !== undefined) {
      const [name = '', kind] = title.split(' on ');
      const onKind = kind === undefined ? {} : { kind };
      found.push({ name, ...onKind, setBy, protects, removedWhen, source });
    } else if (title !== '') setBy = withAttributes(setBy, title);
  }
  return found;
}

/** `names=keda-operator labels=keda-operator mayRunElsewhere`; by an API group, the names of its program. */
function withAttributes(controller: FinalizerController, line: string): FinalizerController {
  const read: Record<string, unknown> = {};
  const namesByGroup = { ...controller.namesByGroup };
  for (const word of line.split(' ')) {
    const [key = '', value] = word.split('=');
    if (value === undefined) read[key] = true;
    else if (lists.includes(key)) read[key] = value.split(',');
    else if (key.includes('.')) namesByGroup[key] = value.split(',');
    else read[key] = value;
  }
  const isManaged = read.runsIn === 'kube-controller-manager';
  return {
    ...controller,
    ...(isManaged && { names: manager, images: manager, leases: manager }),
    ...read,
    ...(Object.keys(namesByGroup).length > 0 && { namesByGroup }),
  };
}

const entries = new Map<string, KnownFinalizer | undefined>();

/**
 * The entry of a finalizer on an object of a kind: the entry with that name, else the narrowest family that contains it. An
 * entry for that kind takes precedence.
 */
export function knownFinalizer(
  name: string,
  type?: Pick<ResourceType, 'kind'>,
): KnownFinalizer | undefined {
  const key = `${name} ${type?.kind}`;
  if (!entries.has(key)) entries.set(key, entryOf(name, type?.kind));
  return entries.get(key);
}

function entryOf(name: string, kind: string | undefined): KnownFinalizer | undefined {
  const matching = knownFinalizers().filter(
    (one) => (one.kind === undefined || one.kind === kind) && matchesPattern(one.name, name),
  );
  const rank = (one: KnownFinalizer) =>
    (one.kind === undefined ? 0 : 2) + (one.name === name ? 1 : 0);
  return matching.sort((a, b) => rank(b) - rank(a) || b.name.length - a.name.length)[0];
}
