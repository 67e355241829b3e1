import { nowhere, printedCommand, shellCommand } from '../command-line/shell-command.ts';
import { counted, firstOf } from '../kube/counts-by-kind.ts';
import {
  type CoverageProblem,
  lackingKinds,
  ofCluster,
  problemText,
} from '../snapshot/coverage.ts';

import { cutLine } from './fit-text.ts';
import { printable } from './printable.ts';

/** For whom the lines are: the words of the command, where a role would help, and whether all lines are printed in full. */
export interface GapReader {
  readonly command?: readonly string[] | undefined;
  readonly wantsAll?: boolean | undefined;
}

const shownGaps = 10;

/** Beside a preview, which fits on few lines together with them: so many, each with so many letters. */
const shownBeside = 3;
const lettersBeside = 150;

/**
 * What could not be read, as warnings for people; all kinds that were set aside in one line. `isBeside`: they stand
 * beside a preview.
 */
export function gapWarnings(
  given: readonly CoverageProblem[],
  reader: GapReader,
  isBeside = false,
): string[] {
  const {
    aside = [],
    missing = [],
    gaps = [],
  } = Object.groupBy(given, ({ setAside, reason }) =>
    setAside ? 'aside' : reason === 'not-in-input' ? 'missing' : 'gaps',
  );
  // That a file shows a part of a cluster is said beside what was found in it.
  const named = missing.filter(({ resource }) => resource !== undefined);
  // That an input was not read to its end weighs more than any one thing in it.
  const isOfOne = ({ reason }: CoverageProblem) => Number(reason === 'not-an-object');
  const { lines, role } = groupedLines(
    gaps.toSorted((a, b) => isOfOne(a) - isOfOne(b)),
    reader,
  );
  const most = isBeside ? shownBeside : reader.wantsAll ? lines.length : shownGaps;
  const width = isBeside ? lettersBeside : undefined;
  const shown = lines.slice(0, most).map((line) => cutLine(printable(line), { width }));
  const more = lines.length - shown.length;
  const names = [...new Set(aside.map(({ resource = '' }) => resource))].sort();
  return [
    ...shown.map((line) => `Warning: ${line}`),
    ...role,
    ...(more > 0
      ? [`Warning: ${counted(more, 'more problem')}; -o json lists them all under coverage`]
      : []),
    ...(named.length > 0
      ? [
          `Warning: more may be deleted: ${lackingKinds(named)}. If it is the whole cluster, add --complete.`,
        ]
      : []),
    ...(aside.length > 0
      ? [
          `Note: ${isBeside ? firstOf(names) : names.join(', ')} can be neither listed nor created, so they were skipped`,
        ]
      : []),
  ];
}

/**
 * What could not be read, for people: kinds in one line for each cause, documents line by line; then the command that
 * prints a role. All of it is in the coverage of documents.
 */
export function gapLines(problems: readonly CoverageProblem[], reader: GapReader = {}): string[] {
  const { lines, role } = groupedLines(problems, reader);
  return [...lines, ...role];
}

function groupedLines(
  problems: readonly CoverageProblem[],
  { command, wantsAll }: GapReader,
): { readonly lines: string[]; readonly role: string[] } {
  if (wantsAll) return { lines: problems.map(problemText), role: [] };
  const groups = Map.groupBy(problems, (problem) =>
    isAboutKind(problem) ? JSON.stringify([problem.cluster, ...causeOf(problem)]) : problem,
  );
  const all = [...groups.values()];
  const lacksRole = all.some(([first, second]) => second && first?.reason === 'forbidden');
  return {
    lines: all.map(groupLine),
    role: command && lacksRole ? [`To print the role: ${roleCommand(command)}`] : [],
  };
}

function isAboutKind({ resource, apiVersion, path }: CoverageProblem): boolean {
  return (resource ?? apiVersion) !== undefined && path === undefined;
}

/** Of a refusal it is the user; else the message, but for the names of what it is about. */
function causeOf({ reason, message, ...about }: CoverageProblem): string[] {
  if (reason === 'forbidden') return [reason];
  const { resource = '', apiVersion = '', name } = about;
  const names = new Set([resource, resource.split('.', 1)[0], ...apiVersion.split('/'), name]);
  const bare = message.replaceAll(/\bKind=\w+|[\w.-]+/g, (word) =>
    names.has(word) || word.startsWith('Kind=') ? '' : word,
  );
  return [reason, bare];
}

function groupLine(group: readonly CoverageProblem[]): string {
  const [first, ...others] = group as [CoverageProblem, ...CoverageProblem[]];
  if (others.length === 0) return problemText(first);
  const { cluster, reason, message } = first;
  if (reason === 'forbidden') return ofCluster(cluster, forbiddenLine(group));
  return ofCluster(cluster, `cannot read ${kindsInWords(group)}: ${message}`);
}

/** `dev may not list 35 kinds in namespace shop, secrets and nodes among them`. */
function forbiddenLine(group: readonly CoverageProblem[]): string {
  const verb = group.every(({ message }) => message.startsWith('cannot list ')) ? 'list' : 'read';
  return `${userIn(group)} may not ${verb} ${kindsInWords(group, namespacesInWords(group))}`;
}

/** It asks no cluster. */
function roleCommand(command: readonly string[]): string {
  return printedCommand(shellCommand`kubectl gc rbac ${command}`, nowhere);
}

/** The API server names whom it refuses. */
function userIn(group: readonly CoverageProblem[]): string {
  const named = group.map(({ message }) => /\bUser "([^"]+)" cannot /.exec(message)?.[1]);
  return named.find((name) => name !== undefined) ?? 'you';
}

function namespacesInWords(group: readonly CoverageProblem[]): string {
  const places = new Set(group.map(({ namespace }) => namespace));
  if (places.has(undefined)) return '';
  return places.size === 1 ? ` in namespace ${[...places][0]}` : ` in ${places.size} namespaces`;
}

/** The kinds that people look for first among those that they may not read. */
const wellKnown = ['secrets', 'nodes', 'nodes/proxy', 'configmaps', 'pods'];

/** `secrets and nodes`, `35 kinds, secrets and nodes among them`; `place` stands behind what it is about. */
function kindsInWords(group: readonly CoverageProblem[], place = ''): string {
  const names = new Set(group.map(({ resource, apiVersion }) => resource ?? apiVersion ?? ''));
  const known = wellKnown.filter((name) => names.has(name));
  const [first = '', second, ...others] = new Set([...known, ...names]);
  if (second === undefined) return `${first}${place}`;
  if (others.length === 0) return `${first} and ${second}${place}`;
  const noun = group.every(({ resource }) => resource === undefined) ? 'APIs' : 'kinds';
  return `${names.size} ${noun}${place}, ${first} and ${second} among them`;
}
