import type { ChalkInstance } from 'chalk';
import type { Plan, PlannedObject } from '../plan/plan.ts';
import type { Observation } from '../plan/progress-event.ts';
import { printable } from './printable.ts';
import { printedName } from './printed-name.ts';
import { styleOf } from './style.ts';

export interface ShrinkingTreeOptions {
  /** Columns; longer lines are cut. Undefined: no limit. */
  readonly width: number | undefined;
  readonly colour: boolean;
  /** No more lines than this, 20 by default. */
  readonly lines?: number;
}

/** A kind in a namespace: one branch, folded to its counters when nothing of it moves any more. */
interface Branch {
  readonly title: string;
  readonly counts: Counts;
  readonly left: PlannedObject[];
}

interface Counts {
  planned: number;
  gone: number;
  terminating: number;
  orphaned: number;
  stays: number;
}

/**
 * What is left of a plan, as text that a terminal shows again and again: how far it is, and below
 * what is still to go. `observations` by uid.
 */
export function shrinkingTree(
  plan: Plan,
  observations: ReadonlyMap<string, Observation>,
  options: ShrinkingTreeOptions,
): string {
  const style = styleOf({ colour: options.colour, width: options.width, now: 0 });
  const most = Math.max(options.lines ?? 20, 2);
  const { branches, total } = branchesOf(plan.objects, observations);
  const lines = [style.bold(summary(total))];
  const drawn = drawBranches(branches, observations, most - 1, style);
  for (const line of drawn) lines.push(line);
  const { width } = options;
  return lines.map((line) => (width === undefined ? line : cut(line, width))).join('\n');
}

function branchesOf(
  objects: readonly PlannedObject[],
  observations: ReadonlyMap<string, Observation>,
): { branches: Branch[]; total: Counts } {
  const branches = new Map<string, Branch>();
  const total = noCounts();
  for (const object of objects) {
    const { apiVersion, kind, namespace } = object;
    const key = `${apiVersion} ${kind} ${namespace}`;
    let branch = branches.get(key);
    if (!branch) {
      const title = printable(namespace === '' ? kind : `${kind} in ${namespace}`);
      branch = { title, counts: noCounts(), left: [] };
      branches.set(key, branch);
    }
    const observation = observations.get(object.uid);
    count(branch.counts, object, observation);
    count(total, object, observation);
    if (isToGo(object) && !isGone(observation)) branch.left.push(object);
  }
  return { branches: [...branches.values()], total };
}

/** First every branch gets its line, then what is left of them, as far as the lines last. */
function drawBranches(
  branches: readonly Branch[],
  observations: ReadonlyMap<string, Observation>,
  most: number,
  style: ChalkInstance,
): string[] {
  const open = branches.filter(({ left }) => left.length > 0);
  const folded = branches.filter(({ left }) => left.length === 0);
  const shown = [...open, ...folded];
  const heads = shown.length <= most ? shown : shown.slice(0, most - 1);
  let room = most - heads.length - (heads.length < shown.length ? 1 : 0);
  const lines: string[] = [];
  for (const { title, counts, left } of heads) {
    const isDone = left.length === 0;
    const head = `${isDone ? '✓' : '•'} ${title}: ${summary(counts)}`;
    lines.push(isDone ? style.dim(head) : head);
    const names = left.length <= room ? left.length : Math.max(room - 1, 0);
    for (const object of left.slice(0, names)) {
      lines.push(`  ${lineOf(object, observations.get(object.uid), style)}`);
    }
    const hidden = left.length - names;
    if (hidden > 0 && room > 0) lines.push(style.dim(`  … and ${hidden} more`));
    room -= Math.min(room, names + (hidden > 0 ? 1 : 0));
  }
  const rest = shown.length - heads.length;
  if (rest > 0) lines.push(style.dim(`… and ${rest} more kinds`));
  return lines;
}

function lineOf(
  object: PlannedObject,
  observation: Observation | undefined,
  style: ChalkInstance,
): string {
  const [blocker] = object.blockedBy;
  const waits = object.fate === 'terminating' && blocker ? `, held by ${blocker.name}` : '';
  const name = printedName(object);
  if (observation === 'terminating') {
    return `${name} ${style.yellow(printable(`is terminating${waits}`))}`;
  }
  return observation === 'unknown' ? `${name} ${style.cyan('cannot be seen')}` : name;
}

function count(counts: Counts, object: PlannedObject, observation: Observation | undefined): void {
  if (isGone(observation)) counts.gone += 1;
  else if (observation === 'terminating') counts.terminating += 1;
  else if (observation === 'orphaned') counts.orphaned += 1;
  if (isToGo(object)) counts.planned += 1;
  else counts.stays += 1;
}

function summary({ planned, gone, terminating, orphaned, stays }: Counts): string {
  const parts = [
    (planned > 0 || gone > 0) && `${gone} of ${Math.max(planned, gone)} gone`,
    terminating > 0 && `${terminating} terminating`,
    orphaned > 0 && `${orphaned} orphaned`,
    stays > 0 && `${stays} to stay`,
  ].filter((part) => part !== false);
  return parts.join(', ');
}

function noCounts(): Counts {
  return { planned: 0, gone: 0, terminating: 0, orphaned: 0, stays: 0 };
}

function isToGo({ fate }: PlannedObject): boolean {
  return fate === 'deleted' || fate === 'recreated' || fate === 'terminating';
}

function isGone(observation: Observation | undefined): boolean {
  return observation === 'gone' || observation === 'recreated';
}

const escapeCharacter = String.fromCharCode(27);

/** Cuts after so many columns; colours are ended, and take none. */
function cut(line: string, width: number): string {
  let columns = 0;
  let text = '';
  for (let at = 0; at < line.length; ) {
    const end = line[at] === escapeCharacter ? line.indexOf('m', at) + 1 : 0;
    if (end > 0) {
      text += line.slice(at, end);
      at = end;
      continue;
    }
    const char = String.fromCodePoint(line.codePointAt(at) ?? 0);
    columns += 1;
    if (columns < width || (columns === width && at + char.length >= line.length)) text += char;
    else if (columns === width) text += '…';
    at += char.length;
  }
  return text;
}
