import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { type None, Tally } from '../../snapshot/tally.ts';
import { isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { StatusReport } from '../documents/status.ts';
import { cutLine, isCommand, textWidth, wrapped } from '../fit-text.ts';
import { gapLines } from '../gap-lines.ts';
import { noneFound } from '../none-found.ts';
import { printable } from '../printable.ts';
import { type Paint, painted, type RenderOptions } from '../style.ts';
import { nameOf, problemWords, waitsFor } from '../tables/words.ts';
import { forecastTime } from './forecast.ts';

/** A terminal has 24 rows: the command stands above, and the next prompt below. */
const mostRows = 22;
/** Rows below the head of a part, where there is room. */
const mostDetails = 4;

interface Part {
  readonly head: string;
  /** Green is only what is proven to be clear. */
  readonly paint: Exclude<Paint, 'green'> | None;
  readonly details: readonly string[];
  /** The command that tells all of it; none where there is nothing to tell. */
  readonly next?: string | undefined;
}

/** One screen, however much there is: what has no room is in the counts, and in what each command tells. */
export function tableOf(report: StatusReport, options: RenderOptions): string {
  const parts = Object.entries({
    STUCK: stuckPart(report),
    'NEXT HOUR': duePart(report),
    'WRONG REFERENCES': referencesPart(report),
    'GARBAGE COLLECTOR': collectorPart(report),
    ...(report.guard && { 'DELETION GUARD': guardPart(report.guard) }),
    'NOT READ': unreadPart(report),
  });
  let lines: string[] = [];
  for (let most = mostDetails; most >= 0; most--) {
    lines = parts.flatMap(([title, part]) => linesOf(title, part, most, options));
    if (rowsOf(lines, options) <= mostRows) break;
  }
  // Commands of a line of flags take several rows each: those of the first parts stay.
  while (rowsOf(lines, options) > mostRows) {
    lines.splice(
      lines.findLastIndex((line) => line.startsWith(prompt)),
      1,
    );
  }
  return `${lines.join('\n')}\n`;
}

const prompt = '  $ ';

function linesOf(
  title: string,
  { head, paint, details, next }: Part,
  most: number,
  options: RenderOptions,
) {
  const shown = details.slice(0, most).map((line) => cutLine(printable(`  ${line}`), options));
  const first = cutLine(printable(`${title.padEnd(titleWidth)}${head}`), options);
  const colour = typeof paint === 'string' ? paint : 'green';
  return [painted(first, colour, options), ...shown, ...(next ? [`${prompt}${next}`] : [])];
}

const titleWidth = 'GARBAGE COLLECTOR'.length + 2;

function rowsOf(lines: readonly string[], { width }: RenderOptions): number {
  if (width === undefined) return lines.length;
  const rowsOfLine = (line: string) =>
    isCommand(line) ? Math.ceil(textWidth(line) / width) : wrapped(line, width, '  ').length;
  return lines.reduce((rows, line) => rows + rowsOfLine(line), 0);
}

function addressed(object: ObjectReference): string {
  return object.namespace === '' ? nameOf(object) : `${nameOf(object)} -n ${object.namespace}`;
}

/** A part of which nothing was found: `words` say so where all was read. */
function nonePart(
  part: { readonly complete: boolean },
  { coverage }: StatusReport,
  words: string,
): Part {
  const tally = Tally.of(0, { ...coverage, complete: part.complete });
  return { head: noneFound(tally, words), paint: tally.none ?? 'cyan', details: [] };
}

function stuckPart(report: StatusReport): Part {
  const { deletions, at } = report;
  const { stuck, unknown, progressing, causes, next } = deletions;
  const counts = Object.entries({ stuck, unknown, progressing }).filter(([, count]) => count > 0);
  if (counts.length === 0) return nonePart(deletions, report, 'nothing is being deleted');
  return {
    head: `deletions that have not ended: ${counts.map(([state, count]) => `${count} ${state}`).join(', ')}`,
    paint: stuck > 0 ? 'red' : 'yellow',
    details: causes.map(({ first, count }) => {
      const state = `${first.state} ${age(first.since, Date.parse(at))}`;
      const more = count > 1 ? ` and ${count - 1} more` : '';
      const awaited = waitsFor(first);
      const wait = awaited === '' ? '' : ` ${count > 1 ? 'wait' : 'waits'} for ${awaited}`;
      return `${state}: ${addressed(first.object)}${more}${wait}`;
    }),
    next,
  };
}

function duePart(report: StatusReport): Part {
  const { due, at, garbageCollector } = report;
  const isCollectorLate = isOverdue(garbageCollector);
  const { total, unknown, controllers, next } = due;
  if (total + unknown === 0) return nonePart(due, report, 'nothing is deleted');
  const unsure = unknown === 0 ? '' : `; of ${counted(unknown, 'object')} it is unknown`;
  return {
    head: `${counted(total, 'object')} deleted or changed${unsure}`,
    paint: total > 0 ? 'yellow' : 'cyan',
    details: controllers.map(({ controller, count, first }) => {
      const isLate = controller === 'garbage-collector' && isCollectorLate;
      const time = forecastTime(first, Date.parse(at));
      const when = isLate && time === 'now' ? 'overdue' : time;
      return `${controller}: ${count}, first ${addressed(first.object)} (${when})`;
    }),
    next,
  };
}

function referencesPart(report: StatusReport): Part {
  const { references } = report;
  const { total, unknown, classes, next } = references;
  if (total + unknown === 0) return nonePart(references, report, 'none');
  const unjudged = unknown === 0 ? '' : `; ${unknown} not judged: their owners were not read`;
  return {
    head: `${total === 0 ? 'none found' : counted(total, 'problem')}${unjudged}`,
    paint: total > 0 ? 'red' : 'cyan',
    details: classes.map(({ class: id, count, first }) => {
      return `${problemWords(id)}: ${count}, first ${addressed(first)}`;
    }),
    next,
  };
}

function collectorPart({ garbageCollector, coverage }: StatusReport): Part {
  const { health, because, except, next } = garbageCollector;
  const { none } = Tally.of(0, { ...coverage, complete: health === 'works' });
  if (none) return { head: 'works', paint: none, details: [] };
  switch (health) {
    case 'does-not-work':
      return { head: 'does not work', paint: 'red', details: [because], next };
    case 'works-except':
      return { head: worksExcept(except), paint: 'yellow', details: [because], next };
    default:
      return { head: `unknown: ${because}`, paint: 'cyan', details: [], next };
  }
}

function guardPart({ state, because }: NonNullable<StatusReport['guard']>): Part {
  return { head: because, paint: state === 'ok' ? 'cyan' : 'yellow', details: [] };
}

/** `works, except for configmaps and 3 more kinds` */
function worksExcept(except: readonly string[] = []): string {
  return except.length === 0 ? 'works, with exceptions' : `works, except for ${firstOf(except)}`;
}

function unreadPart({ coverage, next }: StatusReport): Part {
  const { problems, objects } = coverage;
  const { none } = Tally.of(problems.length, coverage);
  if (none)
    return { head: `nothing: ${counted(objects, 'object')} read`, paint: none, details: [] };
  const lines = gapLines(problems);
  const [first = '', ...others] = lines;
  const [head, details] =
    others.length === 0
      ? [first, others]
      : [`${counted(lines.length, 'gap')} in what was read`, lines];
  return { head, paint: 'cyan', details, next };
}
