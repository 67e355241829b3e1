import type { Plan, PlannedObject } from '../../../deletion/plan/plan.ts';
import { disappears } from '../../../deletion/plan/plan-totals.ts';
import { cutLine } from '../../../output/fit-text.ts';
import { printable, printedName } from '../../../output/printable.ts';
import { type Style, styleOf } from '../../../output/style.ts';
import type { Observation } from '../../../perform/progress-event.ts';

export interface ShrinkingTreeOptions {
  /** Columns; longer lines are cut. Undefined: no limit. */
  readonly width: number | undefined;
  readonly colour: boolean;
  /** No more lines than this, 20 by default. */
  readonly lines?: number;
}

/** An object of the plan with the objects that are deleted with it. */
interface PlannedBranch {
  readonly object: PlannedObject;
  readonly below: PlannedBranch[];
  /** How many of its objects were deleted, and how many are still to be deleted. */
  gone: number;
  open: number;
}

/**
 * What is left of a plan, as text that a terminal redraws: the progress, and below it what is still
 * to go. `observations` by uid.
 */
export function shrinkingTree(
  plan: Plan,
  observations: ReadonlyMap<string, Observation>,
  options: ShrinkingTreeOptions,
): string {
  const style = styleOf({ colour: options.colour, width: options.width, now: 0 });
  const most = Math.max(options.lines ?? 20, 2);
  const roots = branchesOf(plan.objects, observations);
  const lines = [style.bold(progressSummary(plan.objects, observations))];
  const draw = { observations, style };
  for (const line of drawBelow({ below: roots }, most - 1, '', draw)) lines.push(line);
  return lines.map((line) => cutLine(line, options)).join('\n');
}

function branchesOf(
  objects: readonly PlannedObject[],
  observations: ReadonlyMap<string, Observation>,
): PlannedBranch[] {
  const branches = new Map<string, PlannedBranch>();
  for (const object of objects) {
    const isOver = isGone(observations.get(object.uid));
    const open = disappears(object) && !isOver ? 1 : 0;
    branches.set(object.uid, { object, below: [], gone: isOver ? 1 : 0, open });
  }
  const roots: PlannedBranch[] = [];
  for (const branch of branches.values()) {
    const parent = branches.get(branch.object.goesWith ?? '');
    (parent?.below ?? roots).push(branch);
  }
  const downwards = [...roots];
  for (const branch of downwards) for (const below of branch.below) downwards.push(below);
  for (const branch of downwards.reverse()) {
    const parent = branches.get(branch.object.goesWith ?? '');
    if (!parent) continue;
    parent.gone += branch.gone;
    parent.open += branch.open;
  }
  return roots;
}

interface Drawing {
  readonly observations: ReadonlyMap<string, Observation>;
  readonly style: Style;
}

/** First a line for each branch that is still to go, then what is below them, as far as the lines last. */
function drawBelow(
  { below }: Pick<PlannedBranch, 'below'> & Partial<PlannedBranch>,
  most: number,
  indent: string,
  drawing: Drawing,
  namespace?: string,
): string[] {
  const { style } = drawing;
  const open = below.filter((branch) => branch.open > 0);
  const gone = below.reduce((sum, branch) => sum + (branch.open > 0 ? 0 : branch.gone), 0);
  if (most <= 0) return [];
  const footer = gone > 0 ? 1 : 0;
  const heads = open.length + footer <= most ? open : open.slice(0, Math.max(most - 1 - footer, 0));
  const hidden = open.slice(heads.length).reduce((sum, branch) => sum + branch.open, 0);
  let room = most - heads.length - (hidden > 0 ? 1 : 0) - footer;
  const lines: string[] = [];
  for (const branch of heads) {
    lines.push(`${indent}${branchLine(branch, drawing, namespace)}`);
    const drawn = drawBelow(branch, room, `${indent}  `, drawing, branch.object.namespace);
    for (const line of drawn) lines.push(line);
    room -= drawn.length;
  }
  if (hidden > 0) lines.push(style.dim(`${indent}… and ${hidden} more`));
  if (footer > 0 && lines.length < most) lines.push(style.dim(`${indent}✓ ${gone} gone`));
  return lines;
}

function branchLine(
  { object, below, open }: PlannedBranch,
  { observations, style }: Drawing,
  around: string | undefined,
): string {
  const observation = observations.get(object.uid);
  const [blocker] = object.blockedBy;
  const elsewhere = object.namespace !== '' && object.namespace !== around;
  const name = `${printedName(object)}${elsewhere ? printable(` in ${object.namespace}`) : ''}`;
  const left = below.length > 0 ? ` (${open} to go)` : '';
  if (isGone(observation)) return `${style.dim(`✓ ${name}`)}${left}`;
  if (observation === 'terminating') {
    const waits = object.fate === 'terminating' && blocker ? `, blocked by ${blocker.name}` : '';
    return `${name} ${style.yellow(printable(`is terminating${waits}`))}${left}`;
  }
  return observation === 'unknown' ? `${name} ${style.cyan('cannot be seen')}${left}` : name + left;
}

/** `3 of 7 gone, 2 terminating, 1 to stay` */
function progressSummary(
  objects: readonly PlannedObject[],
  observations: ReadonlyMap<string, Observation>,
): string {
  const seen = objects.map(({ uid }) => observations.get(uid));
  const count = (wanted: Observation) => seen.filter((one) => one === wanted).length;
  const [terminating, orphaned] = [count('terminating'), count('orphaned')];
  const gone = seen.filter(isGone).length;
  const planned = objects.filter(disappears).length;
  const stays = objects.length - planned;
  const parts = [
    (planned > 0 || gone > 0) && `${gone} of ${Math.max(planned, gone)} gone`,
    terminating > 0 && `${terminating} terminating`,
    orphaned > 0 && `${orphaned} orphaned`,
    stays > 0 && `${stays} to stay`,
  ].filter((part) => part !== false);
  return parts.join(', ');
}

function isGone(observation: Observation | undefined): boolean {
  return observation === 'gone' || observation === 'recreated';
}
