import { programLabels } from '../../controllers/finalizers/known-finalizers.ts';
import { bearerOf, podsReady } from '../../controllers/finalizers/program-life.ts';
import {
  type FinalizerTraces,
  holdsDomain,
  holdsWord,
  isNamedIn,
  tracesOf,
} from '../../controllers/finalizers/traces.ts';
import { leaseType, podType, workloadTypes } from '../../kube/core-types.ts';
import type { ContainerStatus } from '../../kube/facts/pod.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { removalAge } from '../deletion-age.ts';
import { type Evidence, evidenceOf, type Inquiry, notHeld, readAllWhole } from '../inquiry.ts';
import {
  type Account,
  type Permission,
  type PermittedAccounts,
  permittedAccounts,
} from './permitted-accounts.ts';

/** A program that runs and may be the one that removes a finalizer. */
export interface PossibleProgram {
  /** `Deployment shop/db-operator`. */
  readonly title: string;
  readonly reason: string;
}

interface ProgramSearch {
  readonly found: readonly PossibleProgram[];
  /** What was looked at, and what could not be read. */
  readonly evidence: readonly Evidence[];
  readonly isComplete: boolean;
}

/**
 * Looks for every running program that may remove a finalizer: by the finalizer's domain and the
 * object's API group in names, labels, images and Leases, and by what RBAC lets it change. A field
 * manager proves nothing, as most programs write as `manager` or `main`. Where a list of finalizers
 * names the program, a permission counts only if it names the kind of a custom resource: many may
 * change a ConfigMap.
 */
export function possiblePrograms(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  isKnown: boolean,
): ProgramSearch {
  // What roles permit is not kept of files.
  const accounts = inquiry.origin === 'files' ? undefined : permittedAccounts(inquiry, record);
  const kind = groupResourceOf(record.type);
  return inquiry.once(`programs of ${finalizer} ${isKnown} ${kind} ${accounts?.key}`, () =>
    searchPrograms(inquiry, record, finalizer, { isKnown, accounts }),
  );
}

function searchPrograms(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  {
    isKnown,
    accounts,
  }: { readonly isKnown: boolean; readonly accounts: PermittedAccounts | undefined },
): ProgramSearch {
  const { group } = record.type;
  const traces = tracesOf(finalizer, group);
  const { programs, unread } = inquiry.once('running programs', () => runningPrograms(inquiry));
  const reasons = inquiry.once(`programs named in ${finalizer} ${group}`, () =>
    programs.map((program) => nameReason(program, traces)),
  );
  const leases = inquiry.once('Leases', () =>
    readAllWhole(inquiry.ask({ ask: 'list', type: leaseType, namespace: undefined })),
  );
  const missing = [...unread, ...(accounts?.unread ?? [])];
  if (leases.state === 'unread') missing.push(...evidenceOf(leases, () => ''));
  const found: PossibleProgram[] = [];
  const passedOver = new Set<string>();
  for (const [index, program] of programs.entries()) {
    const permission = accounts?.permissionOf(program);
    const named = reasons[index];
    if (named !== undefined) found.push({ title: program.title, reason: named });
    else if (!permission) continue;
    else if (permission.isWildcard && program.namespace === 'kube-system') {
      passedOver.add(`${program.title} (${permission.role})`);
    } else if (!isKnown || (!permission.isWildcard && record.type.group.includes('.'))) {
      found.push({ title: program.title, reason: permissionReason(program, permission, record) });
    }
  }
  if (leases.state === 'read') {
    const renewed = inquiry.once(`Leases named in ${finalizer} ${group}`, () =>
      leases.value.filter(
        ({ name, facts }) =>
          inquiry.now - Date.parse(facts?.renewTime ?? '') < removalAge && isNamedIn(name, traces),
      ),
    );
    for (const { namespace, name, facts } of renewed) {
      const title = `the holder of Lease ${namespace}/${name}`;
      found.push({ title, reason: `renewed at ${facts?.renewTime}` });
    }
  }
  const readAt = leases.state === 'pending' ? '' : leases.readAt;
  const evidence: Evidence[] = found.map(({ title, reason }) => ({
    what: title,
    readAt,
    value: reason,
  }));
  if (passedOver.size > 0) {
    evidence.push({
      what: 'programs of kube-system that may change everything',
      readAt,
      value: `not counted: ${[...passedOver].join(', ')}`,
    });
  }
  if (found.length + missing.length === 0) {
    const value = `${programs.length} read, none of them may remove ${finalizer} by its name, labels, images, Lease or permissions`;
    evidence.push({ what: 'running programs', readAt, value });
  }
  return { found, evidence: [...evidence, ...missing], isComplete: missing.length === 0 };
}

/** Which of its names identifies a program as the possible one. */
function nameReason(
  { name, titles, labels, images }: RunningProgram,
  { domains, words }: FinalizerTraces,
): string | undefined {
  const inLabel = labels.find((label) => domains.some((domain) => holdsDomain(label, domain)));
  if (inLabel !== undefined) return `its label ${inLabel} has the domain of the finalizer`;
  const inImage = images.find((image) => domains.some((domain) => holdsDomain(image, domain)));
  if (inImage !== undefined) return `its image ${inImage} has the domain of the finalizer`;
  for (const word of words) {
    if (holdsWord(name, word)) return `its name holds "${word}"`;
    const title = titles.find((one) => holdsWord(one, word));
    if (title !== undefined) return `its label ${title} holds "${word}"`;
    const image = images.find((one) => holdsWord(programIn(one), word));
    if (image !== undefined) return `its image ${image} holds "${word}"`;
  }
  return undefined;
}

/** `acme/db-operator` of `registry.example.com/acme/db-operator:1@sha256:…`. */
function programIn(image: string): string {
  const path = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return path.split('/').slice(-2).join('/');
}

function permissionReason(
  { account }: RunningProgram,
  { role, isWildcard }: Permission,
  { type }: ObjectRecord,
): string {
  const what = isWildcard
    ? `${groupResourceOf(type)}, as many other kinds,`
    : groupResourceOf(type);
  return `its ServiceAccount ${account} may change ${what} by ${role}`;
}

/** A program that runs in the cluster: a workload with a ready pod, or a pod with a running container, of its start too. */
interface RunningProgram extends Account {
  /** `Deployment shop/db-operator`. */
  readonly title: string;
  readonly name: string;
  readonly images: readonly string[];
  /** Values of the labels by which a program is named. */
  readonly titles: readonly string[];
  /** Values of all its labels. */
  readonly labels: readonly string[];
}

/** Every program that runs, and what could not be read of them. */
function runningPrograms(inquiry: Inquiry): {
  readonly programs: readonly RunningProgram[];
  readonly unread: readonly Evidence[];
} {
  const programs = new Map<string, RunningProgram>();
  const unread: Evidence[] = [];
  for (const type of [...workloadTypes, podType]) {
    const reading = readAllWhole(inquiry.ask({ ask: 'list', type, namespace: undefined }));
    if (reading.state === 'unread') unread.push(...evidenceOf(reading, () => ''));
    if (reading.state !== 'read') continue;
    for (const record of reading.value) {
      const runs = isPod(record) ? hasRunningContainer(record) : workloadRuns(record, inquiry);
      if (runs === false) continue;
      const program = programOf(record);
      if (runs === undefined) {
        unread.push(notHeld(program.title, reading.readAt, 'status'));
        continue;
      }
      programs.set(`${program.title} ${program.serviceAccount} ${program.images}`, program);
    }
  }
  return { programs: [...programs.values()], unread };
}

/** A workload, or what bears a pod. */
function programOf(record: ObjectRecord): RunningProgram {
  const { namespace, facts = {} } = record;
  const { kind, name } = isPod(record)
    ? bearerOf(record)
    : { kind: record.type.kind, name: record.name };
  const labels = Object.entries(record.labels ?? {});
  // What a pod without a name of its own gets (ServiceAccount admission).
  const serviceAccount = facts.serviceAccountName || 'default';
  const containers = [...(facts.containers ?? []), ...(facts.initContainers ?? [])];
  return {
    title: `${kind} ${namespace}/${name}`,
    namespace,
    name,
    serviceAccount,
    account: `${namespace}/${serviceAccount}`,
    images: containers.flatMap(({ image }) => image ?? []),
    titles: labels.filter(([key]) => programLabels.includes(key)).map(([, value]) => value),
    labels: labels.map(([, value]) => value),
  };
}

function workloadRuns(workload: ObjectRecord, { isCurrent }: Inquiry): boolean | undefined {
  const { state } = podsReady(workload, isCurrent);
  return state === 'unread' ? undefined : state === 'runs';
}

/**
 * A container that waits for its restart does nothing, while an init container may run alone: a sidecar for as long as
 * the pod does. Without container statuses, the pod may be running.
 */
function hasRunningContainer({ facts = {} }: ObjectRecord): boolean {
  const { phase, containerStatuses = [], initContainerStatuses = [] } = facts;
  const isRunning = ({ running }: ContainerStatus) => running === true;
  if (phase === 'Pending') return initContainerStatuses.some(isRunning);
  if (phase !== 'Running') return false;
  return (
    containerStatuses.length === 0 ||
    [...containerStatuses, ...initContainerStatuses].some(isRunning)
  );
}
