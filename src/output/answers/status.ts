import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import type { StatusReport } from '../documents/status.ts';
import { cutLine, wrapped } from '../fit-text.ts';
import { gapLines } from '../gap-lines.ts';
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
  readonly paint: Paint;
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
  return [painted(first, paint, options), ...shown, ...(next ? [`${prompt}${next}`] : [])];
}

const titleWidth = 'GARBAGE COLLECTOR'.length + 2;

function rowsOf(lines: readonly string[], { width }: RenderOptions): number {
  if (width === undefined) return lines.length;
  return lines.reduce((rows, line) => rows + wrapped(line, width, prompt).length, 0);
}

function addressed(object: ObjectReference): string {
  return object.namespace === '' ? nameOf(object) : `${nameOf(object)} -n ${object.namespace}`;
}

/** A part of which there is nothing to tell. */
function nothing(head: string): Part {
  return { head, paint: 'green', details: [] };
}

function stuckPart({ deletions, at }: StatusReport): Part {
  const { stuck, unknown, progressing, worst, next } = deletions;
  const counts = Object.entries({ stuck, unknown, progressing }).filter(([, count]) => count > 0);
  if (counts.length === 0) return nothing('nothing is being deleted');
  return {
    head: `deletions that have not ended: ${counts.map(([state, count]) => `${count} ${state}`).join(', ')}`,
    paint: stuck > 0 ? 'red' : 'yellow',
    details: worst.map((item) => {
      const state = `${item.state} ${age(item.since, Date.parse(at))}`;
      const awaited = waitsFor(item);
      const wait = awaited === '' ? '' : ` waits for ${awaited}`;
      return `${state}: ${addressed(item.object)}${wait}`;
    }),
    next,
  };
}

function duePart({ due, at }: StatusReport): Part {
  const { total, unknown, controllers, next } = due;
  if (total + unknown === 0) return nothing('nothing is deleted');
  const unsure = unknown === 0 ? '' : `; of ${counted(unknown, 'object')} it is unknown`;
  return {
    head: `${counted(total, 'object')} deleted or changed${unsure}`,
    paint: total > 0 ? 'yellow' : 'cyan',
    details: controllers.map(({ controller, count, first }) => {
      const when = forecastTime(first, Date.parse(at));
      return `${controller}: ${count}, first ${addressed(first.object)} (${when})`;
    }),
    next,
  };
}

function referencesPart({ references }: StatusReport): Part {
  const { total, unknown, classes, next } = references;
  if (total + unknown === 0) return nothing('none');
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

function collectorPart({ garbageCollector }: StatusReport): Part {
  const { health, because, next } = garbageCollector;
  if (health === 'ok') return nothing('works');
  return health === 'failing'
    ? { head: 'does not work', paint: 'red', details: [because], next }
    : { head: `unknown: ${because}`, paint: 'cyan', details: [], next };
}

function unreadPart({ coverage, next }: StatusReport): Part {
  const { complete, problems, objects } = coverage;
  if (complete) return nothing(`nothing: ${counted(objects, 'object')} read`);
  const lines = gapLines(problems);
  const [first = '', ...others] = lines;
  const [head, details] =
    others.length === 0
      ? [first, others]
      : [`${counted(lines.length, 'gap')} in what was read`, lines];
  return { head, paint: 'cyan', details, next };
}
