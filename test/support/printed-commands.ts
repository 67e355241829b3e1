import { commandNames, loadCommand } from '../../src/commands/index.ts';
import { commandIn, type FlagShape, parseArgv } from '../../src/shell/argv/normalize-argv.ts';
import { commonFlags } from '../../src/shell/flags/flags.ts';

const verbs = [
  'gc',
  'get',
  'describe',
  'create',
  'patch',
  'replace',
  'delete',
  'annotate',
  'taint',
];
const others = ['api-resources', 'auth', 'config', 'version'];
/** In quotes it is a name, and what follows need not be words. */
const printed = new RegExp(
  `(?:^|[^\\w"'\`/.-])((?:eval "\\$\\(printf %b ')?kubectl (?:${[...verbs, ...others].join('|')}) .*?)(?: {3}.*)?$`,
  'gm',
);
/** The commands that stand in what was printed, each to the end of its line or its cell. */
export function printedCommands(text: string): string[] {
  return [...text.matchAll(printed)].map(([, command = '']) => command.trimEnd());
}

/** Are these the words of kubectl, or of a command of ours with flags that it has? */
export async function isUnderstood([program = '', ...words]: readonly string[]): Promise<boolean> {
  if (program !== 'gc') return [...verbs, ...others].includes(program) && words.length > 0;
  const shared = shapesOf(commonFlags);
  const draft = parseArgv(words, shared);
  const named = commandIn(draft.words, commandNames);
  if (named === undefined) return draft.flags.length > 0 || words[0] === 'snapshot';
  const { baseFlags, flags } = await loadCommand(named);
  const { unknown } = parseArgv(words, shapesOf({ ...baseFlags, ...flags }));
  return unknown.length === 0;
}

function shapesOf(flags: Readonly<Record<string, object>>): FlagShape[] {
  return Object.entries(flags).map(([name, flag]) => ({ ...flag, name }) as FlagShape);
}
