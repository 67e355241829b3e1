import { jobTracking } from '../../controllers/jobs/job.ts';
import {
  CRD_CLEANUP,
  FOREGROUND,
  ORPHAN,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import { finalizerFieldManager } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import { controllerOn } from '../../programs/driver-programs.ts';
import {
  type FinalizerController,
  type KnownFinalizer,
  knownFinalizer,
} from '../../programs/known-finalizers.ts';
import { lifeInWords } from '../../programs/program-life.ts';
import { type Link, link, type Trail } from '../chain.ts';
import { isDue } from '../deletion-age.ts';
import { removeFinalizer } from '../fix-request.ts';
import type { AskedObject, Evidence, Inquiry } from '../inquiry.ts';
import {
  finalizerRemoval,
  insistence,
  lossOf,
  type Removal,
  runsAndCannot,
} from '../programs/finalizer-removal.ts';
import { gradedPrograms } from '../programs/graded-programs.ts';
import { definitionLink } from './definition-link.ts';
import { foregroundLink, orphanLink } from './dependents-links.ts';
import { waitLinks } from './finalizer-waits.ts';
import { jobTrackingLink } from './pod-links.ts';
import {
  controllerNamed,
  managerLink,
  programOf,
  type SeenProgram,
  stepToRun,
  uninstalledProvider,
} from './program-links.ts';
import { type Rehearsed, rehearseRemoval } from './rehearsals.ts';
import { failureLinks, lateWorkLinks } from './report-links.ts';
import { claimLink, volumeLink } from './volume-links.ts';

/** Finalizers that controllers of Kubernetes remove, by what was read of what they wait for. */
const ownFinalizers: ReadonlyMap<
  string,
  (inquiry: Inquiry, record: AskedObject, trail: Trail) => Link
> = new Map([
  [FOREGROUND, foregroundLink],
  [ORPHAN, orphanLink],
  [PVC_PROTECTION, claimLink],
  [PV_PROTECTION, volumeLink],
  [CRD_CLEANUP, definitionLink],
  [jobTracking, jobTrackingLink],
]);

/** What one finalizer waits for. */
export function finalizerLink(
  inquiry: Inquiry,
  record: AskedObject,
  finalizer: string,
  trail: Trail,
): Link {
  const own = ownFinalizers.get(finalizer);
  if (own) return own(inquiry, record, trail);
  const found = foreignFinalizer(inquiry, record, finalizer);
  const waits = waitLinks(inquiry, record, finalizer, trail);
  // Where it is known what the program waits for, the program need not be found.
  const isRead = found.state === 'blocked' || waits.length > 0;
  const reported = isRead ? [] : failureLinks(inquiry, record, finalizer);
  const isAtWork = !isRead && found.state === 'waiting';
  const work = isAtWork ? lateWorkLinks(inquiry, record, finalizer) : [];
  const below = [...waits, ...reported, ...work];
  const isKnown = below.some(({ state }) => state === 'blocked');
  if (!isKnown) return { ...found, links: [...found.links, ...below] };
  // Whatever blocks it, blocks it also where it is unknown whether the controller runs.
  const others = found.links.filter(({ state }) => state !== 'unknown');
  const { command: _, ...blocked } = found;
  return { ...blocked, next: '', links: [...others, ...below] };
}

/**
 * Field managers that name no program which removes a finalizer: people, libraries, tools that apply what others wrote, and
 * the controllers of Kubernetes, which create Pods from templates and have only finalizers that are known.
 */
const anonymous =
  /^(kubectl|manager|main$|controller|Go-http-client|OpenAPI-Generator|node-fetch|python|okhttp|fabric8|unknown|curl|before-first-apply|helm$|Helm|kapp|terraform|Terraform|HashiCorp|pulumi|argocd-|(kustomize|helm)-controller$|kube(let|-controller-manager|-scheduler|-apiserver)$|cloud-controller-manager$)/;

/** A finalizer of an object, and what names the program that removes it. */
interface FinalizerSubject {
  readonly inquiry: Inquiry;
  readonly record: AskedObject;
  readonly finalizer: string;
  readonly known: KnownFinalizer | undefined;
  readonly writer: ReturnType<typeof finalizerFieldManager>;
  /** The program that the list of finalizers or the field manager names. */
  readonly named: FinalizerController | undefined;
  /** What a dry run of the removal showed. */
  readonly rehearsed: Rehearsed;
}

function foreignFinalizer(inquiry: Inquiry, record: AskedObject, finalizer: string): Link {
  const known = knownFinalizer(finalizer, record.type);
  const writer = finalizerFieldManager(record.managedFields, finalizer);
  const named = known
    ? controllerOn(known, finalizer, record)
    : writer && !anonymous.test(writer.manager)
      ? controllerNamed(writer.manager)
      : undefined;
  const rehearsed = rehearseRemoval(inquiry, record, finalizer);
  const subject = { inquiry, record, finalizer, known, writer, named, rehearsed };
  if (known?.setBy.runsIn === 'kube-controller-manager') return managedLink(subject, known);
  const seen = named && programOf(inquiry, named, record.namespace);
  const program = seen && (uninstalledProvider(inquiry, finalizer, seen) ?? seen);
  return named && program ? programLink(subject, named, program) : unknownProgramLink(subject);
}

/** By whether its program runs. */
function programLink(
  subject: FinalizerSubject,
  named: FinalizerController,
  program: SeenProgram,
): Link {
  const { record, finalizer } = subject;
  switch (program.life.state) {
    case 'runs':
      return runningLink(subject, named, program);
    case 'unread':
    case 'unclear': {
      const lives = lifeInWords(named.title, program.life);
      const because = `${finalizer} is set by ${named.title}${protectionOf(subject)}; ${lives}`;
      return link(record, 'finalizer-controller-unknown', 'unknown', because, {
        ...detailsOf(subject, program.evidence),
        next: `${stepToRun(program.life)?.does ?? `Look whether ${named.title} runs`}.`,
        command: insistence(record, finalizer),
      });
    }
    case 'elsewhere':
      return elsewhereLink(subject, named, program);
    default:
      return stoppedLink(subject, named, program);
  }
}

function detailsOf(subject: FinalizerSubject, more: readonly Evidence[]) {
  const { inquiry, record, finalizer, writer, rehearsed } = subject;
  const isShown = inquiry.origin === 'cluster' || record.managedFields !== undefined;
  const written = writer || isShown ? [writerEvidence(subject)] : [];
  const { evidence, refusal } = rehearsed;
  return {
    finalizer,
    rule: 'GC-41',
    evidence: [...written, ...more, ...evidence],
    links: refusal ? [refusal] : [],
  };
}

function writerEvidence({ inquiry, record, finalizer, writer }: FinalizerSubject): Evidence {
  const value = writer
    ? `${finalizer} was set by ${writer.manager} at ${writer.time}`
    : `no field manager is recorded for ${finalizer}`;
  const what = `managedFields of ${record.type.kind}/${record.name}`;
  return { what, readAt: timestampOf(inquiry.now), value };
}

function protectionOf({ known }: FinalizerSubject): string {
  return known ? `; it protects ${known.protects}` : '';
}

/** A controller of kube-controller-manager removes it. */
function managedLink(subject: FinalizerSubject, { setBy, removedWhen }: KnownFinalizer): Link {
  const { inquiry, record, finalizer, rehearsed } = subject;
  const manager = managerLink(inquiry, setBy);
  const because = `${finalizer} is removed by the ${setBy.title} when ${removedWhen}${protectionOf(subject)}`;
  const isDown = manager.state === 'blocked';
  const cause = isDown ? manager.cause : 'finalizer-controller-running';
  const { links, ...details } = detailsOf(subject, []);
  return link(record, cause, rehearsed.refusal || isDown ? 'blocked' : 'waiting', because, {
    ...details,
    links: [...links, manager],
  });
}

/** Its program runs; whether it may still change the object is asked once it had time to act. */
function runningLink(
  subject: FinalizerSubject,
  named: FinalizerController,
  program: SeenProgram,
): Link {
  const { inquiry, record, finalizer, known, rehearsed } = subject;
  const { title } = named;
  const wanted = { finalizer, record, named, isListed: known !== undefined };
  const { programs } = isDue(record, inquiry.now)
    ? gradedPrograms(inquiry, wanted)
    : { programs: [] };
  const proven = programs.filter(({ evidence, stopped }) => evidence === 'proof' && !stopped);
  const details = detailsOf(subject, program.evidence);
  if (proven.length > 0 && proven.every(({ lacks }) => lacks !== undefined)) {
    const because = `${finalizer}: ${runsAndCannot(proven)}`;
    return link(record, 'finalizer-controller-forbidden', 'blocked', because, {
      ...details,
      programs,
      next: `Let ${title} patch ${groupResourceOf(record.type)} again: it then removes the finalizer.`,
    });
  }
  const lives = lifeInWords(title, program.life);
  const because = `${finalizer}: ${lives}${known ? ` and removes it when ${known.removedWhen}` : ''}`;
  const state = rehearsed.refusal ? 'blocked' : 'waiting';
  return link(record, 'finalizer-controller-running', state, because, {
    ...details,
    programs,
    next: `Look at the logs of ${title} and at the events of ${record.type.kind}/${record.name}.`,
  });
}

/** Its program runs and watches other namespaces only. */
function elsewhereLink(
  subject: FinalizerSubject,
  { title, namespacesFrom: [setting] = [] }: FinalizerController,
  program: SeenProgram,
): Link {
  const { record, finalizer } = subject;
  const because = `${finalizer} is set by ${title}${protectionOf(subject)}; ${program.life.because}`;
  const how = setting === undefined ? '' : ` (${setting})`;
  return link(record, 'finalizer-controller-elsewhere', 'blocked', because, {
    ...detailsOf(subject, program.evidence),
    command: insistence(record, finalizer),
    next: `Let ${title} watch namespace ${record.namespace}${how}: it then cleans up and removes the finalizer.`,
  });
}

/** Nothing names its program. */
function unknownProgramLink(subject: FinalizerSubject): Link {
  const { inquiry, finalizer, writer } = subject;
  const added = writer
    ? `${writer.manager} added it, which does not name a program that removes it`
    : inquiry.origin === 'files'
      ? 'who added it was not read'
      : 'managedFields do not show who added it';
  const find = () => `Find out which program removes ${finalizer}${groupHint(inquiry, finalizer)}.`;
  return removalLink(subject, `${finalizer} is an unknown finalizer; ${added}`, {
    cause: 'finalizer-controller-missing',
    evidence: [],
    next: () => `${find()} Remove it manually only when you know that its program was uninstalled.`,
  });
}

/** Its program is down, or nothing looks like it. */
function stoppedLink(
  subject: FinalizerSubject,
  { title }: FinalizerController,
  program: SeenProgram,
): Link {
  const isDown = program.life.state === 'down';
  const lives = program.uninstalled ?? lifeInWords(title, program.life);
  const origin = `${subject.finalizer} is set by ${title}${protectionOf(subject)}; ${lives}`;
  const step = stepToRun(program.life);
  return removalLink(subject, origin, {
    step,
    cause: isDown ? 'finalizer-controller-down' : 'finalizer-controller-missing',
    evidence: program.evidence,
    next: () =>
      isDown
        ? `Bring ${title} back: it then cleans up and removes the finalizer.`
        : `Install ${title} again and let it clean up, or remove the finalizer and clean up manually.`,
  });
}

const onceItRuns =
  'once it runs, it cleans up and removes the finalizer. Only if it will never run again, remove it by --fix --remove-finalizer.';

interface RemovalDetails extends Pick<Link, 'cause' | 'evidence'> {
  /** What to do where the search for its program does not say it. */
  readonly next: () => string;
  /** The first step towards its program, where that is there. */
  readonly step?: ReturnType<typeof stepToRun>;
}

/** What a search for the program found, where that is not the cause itself. */
const ownCauses: Readonly<Partial<Record<Removal['verdict'], Link['cause']>>> = {
  unknown: 'finalizer-controller-unknown',
  forbidden: 'finalizer-controller-forbidden',
};

/** No program that is known to remove the finalizer runs. `origin`: who added it, and whether that program runs. */
function removalLink(
  subject: FinalizerSubject,
  origin: string,
  { cause, evidence, next, step }: RemovalDetails,
): Link {
  const { inquiry, record, finalizer, known, named, rehearsed } = subject;
  const isListed = known !== undefined;
  const removal = finalizerRemoval(inquiry, record, finalizer, { named, isListed });
  const { programs } = removal;
  const isDown = cause === 'finalizer-controller-down';
  // Its own program is the first step; where that was not found, another one may remove it.
  const hint = isDown ? undefined : removal.hint;
  const verdict = hint === removal.hint ? removal.verdict : 'early';
  const first = hint === undefined ? step : undefined;
  const command = first?.command ?? removal.command ?? insistence(record, finalizer);
  const because = [hint ?? origin, ...removal.reasons].join('; ');
  // A program that is down may run again, and what the object itself reports speaks against a step.
  const isOffered =
    verdict === 'removable' &&
    !isDown &&
    !rehearsed.refusal &&
    failureLinks(inquiry, record, finalizer).length === 0;
  const state = verdict === 'unknown' ? 'unknown' : 'blocked';
  return link(record, ownCauses[verdict] ?? cause, state, because, {
    ...detailsOf(subject, [...evidence, ...removal.evidence]),
    programs,
    fix: isOffered ? removeFinalizer(record, finalizer, lossOf(finalizer, record.type)) : undefined,
    ...(!isOffered && { command }),
    next: `${firstOf(record, rehearsed.refusal)}${first ? `${first.does}: ${onceItRuns}` : (removal.next ?? next())}`,
  });
}

/** No finalizer can be removed while something refuses each change of its object. */
function firstOf(record: AskedObject, refusal: Link | undefined): string {
  if (!refusal || refusal.object.uid === record.uid) return '';
  const { kind, name } = refusal.object;
  return `First resolve ${kind} ${name}, which refuses each change. `;
}

/** The kinds that a finalizer's domain serves, by which its program may be found. */
function groupHint(inquiry: Inquiry, finalizer: string): string {
  const domain = finalizer.split('/')[0] ?? '';
  const group = inquiry.types.all.find(
    (type) =>
      type.group.includes('.') && (domain === type.group || domain.endsWith(`.${type.group}`)),
  )?.group;
  return group === undefined
    ? ''
    : ` (its domain serves ${group}, so look for the operator of that API)`;
}
