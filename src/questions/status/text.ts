import { counted } from '../../kube/counts-by-kind.ts';
import { tablePlace } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { cutLine, flowed, isCommand, textWidth } from '../../output/fit-text.ts';
import { gapLines } from '../../output/gap-lines.ts';
import { printable } from '../../output/printable.ts';
import { type Paint, painted, type RenderOptions } from '../../output/style.ts';
import { type None, noneFound, Tally } from '../../output/tally.ts';
import { isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { Answer } from '../answer.ts';
import { forecastTime } from '../forecast/when.ts';
import { blockedBy, problemWords, stateWords, worksExcept } from '../words.ts';
import type { RemainingObjects, StatusReport } from './document.ts';

export const statusAnswer = {
  tableOf: statusScreen,
} satisfies Answer<StatusReport>;

/** A terminal has 24 rows: the command stands above, and the next prompt below. */
const mostRows = 22;
/** Rows below the head of a part, where there is room. */
const mostDetails = 4;

/** One cause, and how many objects have it. */
interface Detail {
  readonly text: string;
  readonly count: number;
  /** Printed where there is room for it. */
  readonly reason?: string;
}

interface StatusPart {
  readonly title: string;
  readonly head: string;
  /** Green is only what is proven to be clear. */
  readonly paint: Exclude<Paint, 'green'> | None;
  readonly details?: readonly Detail[];
  /** How many objects all details together are about. */
  readonly total?: number;
  /** The command that prints all of it; none where there is nothing to print. */
  readonly next?: string | undefined;
}

/** How much of a part is printed. */
interface ShownPart {
  readonly part: StatusPart;
  readonly details: number;
  readonly reasons: boolean;
}

/**
 * One screen, however much there is: heads and commands first, then what blocks deletions, then a cause of each part in turn, as
 * far as there is room.
 */
export function statusScreen(report: StatusReport, options: RenderOptions): string {
  const stuck = deletionsPart(report, options);
  const parts = [
    scopePart(report),
    stuck,
    duePart(report),
    ...report.remaining.map(remainingPart),
    referencesPart(report),
    collectorPart(report),
    ...(report.guard ? [guardPart(report.guard)] : []),
    unreadPart(report),
  ];
  const shown = parts.map((part): ShownPart => {
    return { part, details: part === stuck ? 1 : 0, reasons: false };
  });
  const linesShown = () => shown.flatMap((one) => partLines(one, options));
  const showMore = (one: ShownPart, more: Partial<ShownPart>) => {
    const before = { ...one };
    Object.assign(one, more);
    if (rowsOf(linesShown(), options) > mostRows) Object.assign(one, before);
  };
  const isFirst = ({ part }: ShownPart) => part === stuck;
  for (const some of [shown.filter(isFirst), shown.filter((one) => !isFirst(one))]) {
    for (let details = 1; details <= mostDetails; details++) {
      for (const one of some) showMore(one, { details });
    }
  }
  for (const one of shown) showMore(one, { reasons: true });
  const fitting = linesShown();
  // Commands of a line of flags take several rows each: those of the first parts stay.
  while (rowsOf(fitting, options) > mostRows) {
    fitting.splice(
      fitting.findLastIndex((line) => line.startsWith(prompt)),
      1,
    );
  }
  return `${fitting.join('\n')}\n`;
}

const prompt = '  $ ';

function partLines({ part, details, reasons }: ShownPart, options: RenderOptions): string[] {
  const { title, head, paint, total, next } = part;
  const shown = (part.details ?? []).slice(0, details);
  const counted = shown.reduce((sum, { count }) => sum + count, 0);
  const more = shown.length > 0 && total !== undefined ? total - counted : 0;
  const first = cutLine(printable(`${title.padEnd(titleWidth)}${head}`), options);
  const colour = typeof paint === 'string' ? paint : 'green';
  return [
    painted(first, colour, options),
    ...shown.flatMap(({ text, reason }) => [
      `  ${printable(text)}`,
      ...(reasons && reason ? [`    ${printable(reason)}`] : []),
    ]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(next ? [`${prompt}${next}`] : []),
  ];
}

const titleWidth = 'GARBAGE COLLECTOR'.length + 2;

function rowsOf(lines: readonly string[], options: RenderOptions): number {
  const { width } = options;
  if (width === undefined) return lines.length;
  const rowsOfLine = (line: string) =>
    isCommand(line) ? Math.ceil(textWidth(line) / width) : flowed(line, options).split('\n').length;
  return lines.reduce((rows, line) => rows + rowsOfLine(line), 0);
}

function others(count: number): string {
  return count > 1 ? `, and ${count - 1} more` : '';
}

/** A part of which nothing was found: `words` say so where all was read. */
function nonePart(
  title: string,
  part: { readonly complete: boolean },
  { coverage }: StatusReport,
  words: string,
): StatusPart {
  const tally = Tally.of(0, { ...coverage, complete: part.complete });
  return { title, head: noneFound(tally, words), paint: tally.none ?? 'cyan' };
}

/** Without -n it is about all namespaces, as not every command is. */
function scopePart({ namespace, coverage }: StatusReport): StatusPart {
  const { none = 'cyan' } = Tally.of(0, coverage);
  return { title: 'SCOPE', head: namespace ?? 'all namespaces', paint: none };
}

function deletionsPart(report: StatusReport, options: RenderOptions): StatusPart {
  const { deletions, at } = report;
  const { stuck, unknown, progressing, causes, next } = deletions;
  const counts = Object.entries({ stuck, unknown, progressing }).filter(([, count]) => count > 0);
  const title = 'DELETIONS';
  if (counts.length === 0) return nonePart(title, deletions, report, 'nothing is being deleted');
  return {
    title,
    head: counts
      .map(([state, count]) => `${count} ${stateWords[state as keyof typeof stateWords]}`)
      .join(', '),
    paint: stuck > 0 ? 'red' : 'yellow',
    details: causes.map((cause) => deletionDetail(cause, Date.parse(at), options)),
    total: stuck + unknown + progressing,
    next,
  };
}

/** The cause is never cut: the domain of a finalizer is left out only where that saves a row. */
function deletionDetail(
  { first, count }: StatusReport['deletions']['causes'][number],
  now: number,
  options: RenderOptions,
): Detail {
  const { state, since, object, blockers } = first;
  const begin = `${stateWords[state]}, deleting for ${age(since, now)}: ${tablePlace(object)}`;
  const cause = blockedBy(first);
  const text = `${begin}${cause === '' ? '' : `, ${cause}`}${others(count)}`;
  const short = text.replace(/(finalizer )\S+\/(?!finalizers?\b)/, '$1…/');
  const rows = (line: string) => rowsOf([`  ${line}`], options);
  const [blocker] = blockers;
  return {
    text: rows(short) < rows(text) ? short : text,
    count,
    ...(state === 'unknown' && blocker && { reason: `unknown: ${blocker.because}` }),
  };
}

function duePart(report: StatusReport): StatusPart {
  const { due, at, garbageCollector } = report;
  const isCollectorLate = isOverdue(garbageCollector);
  const { total, unknown, controllers, next } = due;
  const title = 'NEXT HOUR';
  if (total + unknown === 0) return nonePart(title, due, report, 'no deletions');
  const unsure = unknown === 0 ? '' : `; unknown for ${counted(unknown, 'object')}`;
  return {
    title,
    head: `${counted(total, 'object')} will be deleted or changed${unsure}`,
    paint: total > 0 ? 'yellow' : 'cyan',
    details: controllers.map(({ controller, count, first }) => {
      const isLate = controller === 'garbage-collector' && isCollectorLate;
      const time = forecastTime(first, Date.parse(at));
      const when = isLate && time === 'now' ? 'overdue' : time;
      return { text: `${controller}: ${tablePlace(first.object)}, ${when}${others(count)}`, count };
    }),
    total,
    next,
  };
}

const remainingTitles: Readonly<Record<RemainingObjects['class'], string>> = {
  'evicted-pods': 'EVICTED PODS',
  'finished-pods': 'FINISHED PODS',
  'released-volumes': 'RELEASED VOLUMES',
  'undeleted-volumes': 'UNDELETED VOLUMES',
  'controller-off': 'NOT COLLECTED',
};

const remainingRemarks: Readonly<Partial<Record<RemainingObjects['class'], string>>> = {
  'released-volumes': ', data is kept',
  'undeleted-volumes': ', reclaim policy is Delete',
  'controller-off': ', its controller does not run',
};

function remainingPart({ class: id, count, complete, first, next }: RemainingObjects): StatusPart {
  const least = complete ? `${count}` : `${count} or more`;
  return {
    title: remainingTitles[id],
    head: `${least}: ${tablePlace(first)}${others(count)}${remainingRemarks[id] ?? ''}`,
    paint: 'yellow',
    next,
  };
}

function referencesPart(report: StatusReport): StatusPart {
  const { references } = report;
  const { total, unknown, classes, next } = references;
  const title = 'WRONG REFERENCES';
  if (total + unknown === 0) return nonePart(title, references, report, 'none');
  const unjudged = unknown === 0 ? '' : `; ${unknown} unknown: their owners could not be read`;
  return {
    title,
    head: `${total === 0 ? 'none found' : counted(total, 'problem')}${unjudged}`,
    paint: total > 0 ? 'red' : 'cyan',
    details: classes.map(({ class: id, count, first }) => {
      return { text: `${problemWords(id)}: ${tablePlace(first)}${others(count)}`, count };
    }),
    total,
    next,
  };
}

function collectorPart({ garbageCollector, coverage }: StatusReport): StatusPart {
  const { health, because, except, overdue, next } = garbageCollector;
  const title = 'GARBAGE COLLECTOR';
  const { none } = Tally.of(0, { ...coverage, complete: health === 'works' });
  if (none) return { title, head: 'works', paint: none };
  const details = [{ text: because, count: 1 }];
  switch (health) {
    case 'does-not-work':
      return { title, head: 'does not work', paint: 'red', details, next };
    case 'works-except':
      return { title, head: worksExcept(except), paint: 'yellow', details, next };
    default: {
      const late = overdue ? `${counted(overdue, 'object')} overdue; ` : '';
      return { title, head: `unknown: ${late}${because}`, paint: 'cyan', next };
    }
  }
}

function guardPart({ state, because }: NonNullable<StatusReport['guard']>): StatusPart {
  return { title: 'DELETION GUARD', head: because, paint: state === 'ok' ? 'cyan' : 'yellow' };
}

function unreadPart({ coverage, next }: StatusReport): StatusPart {
  const { problems, objects } = coverage;
  const title = 'NOT READ';
  const { none } = Tally.of(problems.length, coverage);
  if (none) return { title, head: `nothing: ${counted(objects, 'object')} read`, paint: none };
  const lines = gapLines(problems);
  const [head = ''] = lines;
  if (lines.length < 2) return { title, head, paint: 'cyan', next };
  return {
    title,
    head: `${lines.length} problems`,
    paint: 'cyan',
    details: lines.map((text) => ({ text, count: 1 })),
    total: lines.length,
    next,
  };
}
