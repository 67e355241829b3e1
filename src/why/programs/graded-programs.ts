import { leaseType, podType, workloadTypes } from '../../kube/core-types.ts';
import type { ContainerStatus } from '../../kube/facts/pod.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type FinalizerController, programLabels } from '../../programs/known-finalizers.ts';
import { bearerOf, looksLike, podsReady } from '../../programs/program-life.ts';
import {
  type FinalizerTraces,
  holdsDomain,
  holdsWord,
  isNamedIn,
  tasksIn,
  tracesOf,
} from '../../programs/traces.ts';
import { watchedNamespace } from '../../programs/watched-namespaces.ts';
import { removalAge } from '../deletion-age.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  listEverywhere,
  notHeld,
  seenIn,
} from '../inquiry.ts';
import {
  type Account,
  type AccountRights,
  type PermittedAccounts,
  permittedAccounts,
} from './permitted-accounts.ts';

/**
 * How much shows that a program removes a finalizer. `proof`: the list of finalizers or the field manager names it. `hint`: its
 * name, labels, images or Lease contain a name of the finalizer. `possibility`: permissions alone. Sentences mention proofs and
 * hints, and only a proof leads to advice.
 */
export type Grade = 'proof' | 'hint' | 'possibility';

/** A program that may remove a finalizer. */
export interface GradedProgram {
  /** `Deployment shop/db-operator`. */
  readonly program: string;
  readonly evidence: Grade;
  /** The evidence: `its name contains "db"`. */
  readonly because: string;
  /** Why it is not running. */
  readonly stopped?: string;
  /** Why it cannot: `no patch or update on configmaps by ClusterRole db`, `it watches db only (--watch-namespace)`. */
  readonly lacks?: string;
}

interface ProgramSearch {
  /** The surest first. */
  readonly programs: readonly GradedProgram[];
  /** What was read, and what could not be. */
  readonly evidence: readonly Evidence[];
  readonly isComplete: boolean;
}

/** What is looked for: the program of a finalizer, on an object of a kind. */
export interface Wanted {
  readonly finalizer: string;
  readonly record: ObjectRecord;
  /** The program that the list of finalizers or the field manager names. */
  readonly named: FinalizerController | undefined;
  readonly isListed: boolean;
}

/** Every program that may remove a finalizer, with how much shows that it does: the one answer, for all commands. */
export function gradedPrograms(inquiry: Inquiry, wanted: Wanted): ProgramSearch {
  const { finalizer, record, named, isListed } = wanted;
  const accounts = permittedAccounts(inquiry, record);
  const kind = groupResourceOf(record.type);
  const key = `programs of ${finalizer} ${isListed} ${named?.title} ${kind} ${accounts.key}`;
  return inquiry.once(key, () => search(inquiry, wanted, accounts));
}

function search(inquiry: Inquiry, wanted: Wanted, accounts: PermittedAccounts): ProgramSearch {
  const { finalizer, record } = wanted;
  const { group } = record.type;
  const traces = tracesOf(finalizer, group);
  const seen = inquiry.once('programs of the cluster', () => programsSeen(inquiry));
  const named = inquiry.once(`programs named in ${finalizer} ${group}`, () =>
    seen.programs.map((program) => nameReason(program, traces)),
  );
  const leases = inquiry.once('Leases', () => listEverywhere(inquiry, leaseType));
  const holders = inquiry.once(`Leases named in ${finalizer} ${group}`, () =>
    leases.state === 'read' ? holdersOf(leases.value, traces, inquiry.now) : [],
  );
  const missing = [...seen.unread, ...accounts.unread];
  if (leases.state === 'unread') missing.push(...evidenceOf(leases, () => ''));
  // Files seldom hold what shows programs.
  const ofFiles = inquiry.origin === 'files';
  const passedOver: string[] = [];
  const found = seen.programs.flatMap((program, index): GradedProgram[] => {
    const rights = accounts.rightsOf(program);
    const grade = gradeOf(program, wanted, named[index], rights);
    if (grade === undefined) return [];
    if (grade === 'passed over') {
      passedOver.push(`${program.title} (${rights.changes?.role})`);
      return [];
    }
    const isSure = grade.evidence === 'proof' && !ofFiles;
    const isRead = accounts.unread.length === 0;
    const lacks =
      elsewhereOf(program, record) ??
      (isRead ? lackOf(program, rights, record, isSure) : undefined);
    const { title, stopped } = program;
    return [{ program: title, ...grade, ...(stopped && { stopped }), ...(lacks && { lacks }) }];
  });
  const programs = [...found, ...holders].toSorted(
    (a, b) => grades.indexOf(a.evidence) - grades.indexOf(b.evidence),
  );
  const readAt = leases.state === 'pending' ? '' : leases.readAt;
  const evidence = evidenceOfPrograms(programs, passedOver, readAt);
  if (programs.length + missing.length === 0 && !ofFiles) {
    const value = `${seen.programs.length} read, none of them may remove ${finalizer} by its name, labels, images, Lease or permissions`;
    evidence.push({ what: 'running programs', readAt, value });
  }
  return {
    programs,
    evidence: ofFiles ? evidence : [...evidence, ...missing],
    isComplete: missing.length === 0,
  };
}

const grades: readonly Grade[] = ['proof', 'hint', 'possibility'];

function evidenceOfPrograms(
  programs: readonly GradedProgram[],
  passedOver: readonly string[],
  readAt: string,
): Evidence[] {
  const graded = programs.map(({ program, evidence, because, stopped, lacks }) => ({
    what: program,
    readAt,
    value: [`${evidence}: ${because}`, stopped, lacks].filter(Boolean).join('; '),
  }));
  if (passedOver.length === 0) return graded;
  const what = 'programs of kube-system that may change everything';
  return [
    ...graded,
    { what, readAt, value: `not counted: ${[...new Set(passedOver)].join(', ')}` },
  ];
}

/** Programs that hold a Lease which is named after the finalizer, and renew it. */
function holdersOf(
  leases: readonly ObjectRecord[],
  traces: FinalizerTraces,
  now: number,
): GradedProgram[] {
  return leases.flatMap(({ namespace, name, facts: { renewTime = '' } = {} }) => {
    const isRenewed = now - Date.parse(renewTime) < removalAge;
    if (!isRenewed || !isNamedIn(name, traces)) return [];
    const program = `the holder of Lease ${namespace}/${name}`;
    return [{ program, evidence: 'hint', because: `it was renewed at ${renewTime}` }];
  });
}

/**
 * How much shows that this program removes the finalizer; undefined where nothing does. `nameReason`: which of its names is one of
 * the finalizer. A field manager counts where it names the program: most write as `manager` or `main`. `passed over`: what
 * belongs to kube-system may change everything.
 */
function gradeOf(
  program: SeenProgram,
  wanted: Wanted,
  nameReason: string | undefined,
  rights: AccountRights,
): Pick<GradedProgram, 'evidence' | 'because'> | 'passed over' | undefined {
  const { named, isListed } = wanted;
  const { changes, watches } = rights;
  if (named && looksLike(program.record, named)) {
    const because = isListed ? `it looks like ${named.title}` : 'the field manager has its name';
    return { evidence: named.oneOfMany ? 'hint' : 'proof', because };
  }
  if (nameReason !== undefined) return { evidence: 'hint', because: nameReason };
  return changes || watches !== undefined ? gradeByRights(program, wanted, rights) : undefined;
}

/** What the rights of its account show of a program that does not have the name of the finalizer. */
function gradeByRights(
  program: SeenProgram,
  { finalizer, record, isListed }: Wanted,
  { changes, watches }: AccountRights,
): ReturnType<typeof gradeOf> {
  const kind = groupResourceOf(record.type);
  if (watches !== undefined && !changes && !isListed) {
    // Beside a role that was made for the kind and does not let change it, a task says enough.
    const task = tasksIn(finalizer).find((word) => holdsWord(program.name, word));
    if (task !== undefined) return { evidence: 'hint', because: `its name contains "${task}"` };
  }
  if (program.stopped !== undefined) return undefined;
  if (changes?.isWildcard && program.namespace === 'kube-system') return 'passed over';
  // Many programs may change or watch a ConfigMap: only of an unlisted finalizer one of them may be its program.
  if (isListed && (changes?.isWildcard !== false || !record.type.group.includes('.'))) {
    return undefined;
  }
  if (!changes) return { evidence: 'possibility', because: `${watches} lets it watch ${kind}` };
  const what = changes.isWildcard ? `${kind}, as many other kinds,` : kind;
  const may = `its ServiceAccount ${program.account} may change ${what} by ${changes.role}`;
  return { evidence: 'possibility', because: may };
}

/**
 * What a program lacks to remove a finalizer; undefined where it may, or may have other credentials. That no role at all lets it
 * change the object counts where it is `sure` that it is the program: files seldom hold roles.
 */
function lackOf(
  { account, serviceAccount }: Account,
  { changes, watches }: AccountRights,
  { type }: ObjectRecord,
  isSure: boolean,
): string | undefined {
  if (changes) return undefined;
  const lack = `no patch or update on ${groupResourceOf(type)}`;
  if (watches !== undefined) return `${lack} by ${watches}`;
  // A program without its own account has other credentials.
  if (!isSure || serviceAccount === 'default') return undefined;
  return `${lack} by any role of its ServiceAccount ${account}`;
}

/** That a program watches other namespaces only. */
function elsewhereOf({ record: program, title }: SeenProgram, { namespace }: ObjectRecord) {
  const { watches, because } = watchedNamespace(program, { title, runsIn: 'workload' }, namespace);
  return watches === 'no' ? because : undefined;
}

/** Which of its names a program shares with a finalizer. */
function nameReason(
  { name, titles, labels, images }: SeenProgram,
  { domains, words }: FinalizerTraces,
): string | undefined {
  const inLabel = labels.find((label) => domains.some((domain) => holdsDomain(label, domain)));
  if (inLabel !== undefined) return `its label ${inLabel} contains the domain of the finalizer`;
  const inImage = images.find((image) => domains.some((domain) => isFrom(image, domain)));
  if (inImage !== undefined) return `its image ${inImage} contains the domain of the finalizer`;
  for (const word of words) {
    if (holdsWord(name, word)) return `its name contains "${word}"`;
    const title = titles.find((one) => holdsWord(one, word));
    if (title !== undefined) return `its label ${title} contains "${word}"`;
    const image = images.find((one) => holdsWord(programIn(one), word));
    if (image !== undefined) return `its image ${image} contains "${word}"`;
  }
  return undefined;
}

/** Is an image of this domain? A registry below it serves the images of many programs. */
function isFrom(image: string, domain: string): boolean {
  const [host = '', ...path] = image.split('/');
  return host === domain || holdsDomain(path.length === 0 ? host : path.join('/'), domain);
}

/** `acme/db-operator` of `registry.example.com/acme/db-operator:1@sha256:…`. */
function programIn(image: string): string {
  const [path = ''] = image.split('@', 1);
  const parts = path.split('/').slice(-2);
  const [name = ''] = parts.pop()?.split(':', 1) ?? [];
  // A registry serves many programs.
  return [...parts.filter((part) => !/[.:]/.test(part)), name].join('/');
}

/** A workload, or what bears a pod with a running container, of its start too. */
interface SeenProgram extends Account {
  readonly record: ObjectRecord;
  /** `Deployment shop/db-operator`. */
  readonly title: string;
  readonly name: string;
  readonly images: readonly string[];
  /** Values of the labels by which a program is named. */
  readonly titles: readonly string[];
  /** Values of all its labels. */
  readonly labels: readonly string[];
  /** Why it does not run: `Deployment shop/db-operator is scaled to 0`. */
  readonly stopped: string | undefined;
}

/** Every workload, and every program that runs; and what could not be read of them. */
function programsSeen(inquiry: Inquiry) {
  const programs = new Map<string, SeenProgram>();
  const unread: Evidence[] = [];
  for (const type of [...workloadTypes, podType]) {
    const reading = listEverywhere(inquiry, type);
    if (reading.state === 'unread') unread.push(...evidenceOf(reading, () => ''));
    const readAt = reading.state === 'pending' ? '' : reading.readAt;
    for (const record of seenIn(reading)) {
      if (isPod(record) && !hasRunningContainer(record)) continue;
      const life = isPod(record) ? undefined : podsReady(record, inquiry.isCurrent);
      const stopped = life?.state === 'down' ? life.because : undefined;
      const program = seenProgram(record, stopped);
      if (life?.state === 'unread') unread.push(notHeld(program.title, readAt, 'status'));
      else programs.set(`${program.title} ${program.serviceAccount} ${program.images}`, program);
    }
  }
  return { programs: [...programs.values()], unread };
}

function seenProgram(record: ObjectRecord, stopped: string | undefined): SeenProgram {
  const { namespace, facts = {} } = record;
  const { kind, name } = isPod(record)
    ? bearerOf(record)
    : { kind: record.type.kind, name: record.name };
  const labels = Object.entries(record.labels ?? {});
  // The account of a Pod that names none (ServiceAccount admission).
  const serviceAccount = facts.serviceAccountName || 'default';
  const containers = [...(facts.containers ?? []), ...(facts.initContainers ?? [])];
  return {
    record,
    title: fullNameOf({ kind, namespace, name }),
    namespace,
    name,
    serviceAccount,
    account: `${namespace}/${serviceAccount}`,
    images: containers.flatMap(({ image }) => image ?? []),
    titles: labels.filter(([key]) => programLabels.includes(key)).map(([, value]) => value),
    labels: labels.map(([, value]) => value),
    stopped,
  };
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
