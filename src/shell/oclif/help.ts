import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@oclif/core/command';
import { HelpFormatter } from '@oclif/core/help';
import { ux } from '@oclif/core/ux';
import { compareText } from '../../kube/names.ts';
import { printedText } from '../../output/printable.ts';
import { commonFlags, globalGroup } from '../flags/flags.ts';
import { widthOf, writeOut } from '../terminal/streams.ts';
import { type Concept, conceptOf, glossary } from './glossary.ts';
import { commandConfig } from './package-json.ts';

type Flag = Command.Flag.Any;

type Described = Pick<
  Command.Loadable,
  'id' | 'aliases' | 'summary' | 'description' | 'usage' | 'examples' | 'args' | 'flags'
> & { readonly strict: boolean | undefined };

/** Every command in the group of its task; `snapshot` stands for its four. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Look: ['status', 'why', 'owners', 'tree', 'orphans', 'deleted'],
  'Delete and restore': ['delete', 'restore', 'backups'],
  Forecast: ['forecast', 'simulate', 'podgc-preview', 'images', 'containers'],
  Check: ['audit', 'invalid-ownerrefs', 'policies', 'guard'],
  'Keep and compare': ['snapshot', 'view', 'report'],
  More: [...['settings', 'rbac', 'run-controllers', 'mcp', 'completion', 'options', 'version']],
};

const topics: Readonly<Record<string, string>> = {
  snapshot: 'Save, inspect, compare and export snapshots of a cluster',
};

/** The cluster that examples are about; help names it by a path that works where the reader is. */
const bundled = 'examples/';
const example = `${bundled}clusters/shop.json.gz`;

/** oclif decides whether its headings are coloured; all of its text is ours. */
const coloured = { colour: true };

/** Prints the help that a command line asks for. `root`: the folder of package.json. */
export async function showHelp(
  args: readonly string[],
  root: string,
  manifest: readonly Described[],
): Promise<void> {
  const [name = ''] = args;
  const all = args.includes('--all');
  const page = new HelpPage(commandConfig(root));
  const command = manifest.find(({ id, aliases }) => [id, ...aliases].includes(name));
  const concept = conceptOf(name);
  if (command) await writeOut(printedText(page.command(command, name, all), coloured));
  else if (Object.hasOwn(topics, name))
    await writeOut(printedText(page.topic(name, manifest), coloured));
  else if (concept) await writeOut(printedText(page.concept(concept), coloured));
  else await writeOut(printedText(page.everything(manifest, all), coloured));
}

/** The flags of all commands, as `kubectl options` shows those of kubectl. */
export function optionsPage(root: string): string {
  return new HelpPage(commandConfig(root)).options();
}

/** What oclif lays out and wraps for the width of the terminal, or for COLUMNS. */
class HelpPage extends HelpFormatter {
  constructor(config: ConstructorParameters<typeof HelpFormatter>[0]) {
    const { COLUMNS } = process.env;
    super(config, COLUMNS ? { maxWidth: widthOf(process.stdout) ?? 80 } : {});
  }

  /** What people copy stands last, above the next prompt. Without `--all` the page is one screen. */
  command(command: Described, name: string, all: boolean): string {
    const { id, aliases, summary = '', description = '', args, strict } = command;
    const called = name.replace(':', ' ');
    const others = [id, ...aliases].filter((other) => other !== name);
    const flags = ownFlags(command);
    const usage = [command.usage ?? called]
      .flat()
      .map((line) => line.replace('<%= command.id %>', called));
    const isNamed = ({ name: flag, char }: Flag) =>
      new RegExp(`(?<![\\w-])(?:--${flag}${char ? `|-${char}` : ''})(?![\\w-])`).test(`${usage}`);
    const groups = all
      ? Map.groupBy(flags, ({ helpGroup }) => helpGroup)
      : new Map([[undefined, flags.filter(isNamed)]]);
    const shared = Object.values(commonFlags).map((flag) => flag.summary);
    const unnamed = flags.filter(
      (flag) => !all && !isNamed(flag) && !shared.includes(flag.summary),
    );
    const parts = [
      this.section('USAGE', usage.map((line) => this.#usage(line)).join('\n')),
      this.#part(
        'ARGUMENTS',
        Object.values(args).map((arg) => argument(arg, strict)),
      ),
      all && description && this.section('DESCRIPTION', this.wrap(description)),
      all &&
        this.#part(
          'ALIASES',
          others.map((other) => [`$ ${this.config.bin} ${other}`, undefined]),
        ),
      // The flags without a heading of their own come first.
      ...[...new Set([undefined, ...groups.keys()])].map((group) =>
        this.#part(group ? `${group} FLAGS` : 'FLAGS', flagRows(groups.get(group) ?? [])),
      ),
      this.#otherFlags(called, unnamed),
      this.#examples(command.examples as string[], all),
    ];
    return `${summary}\n\n${parts.filter(Boolean).join('\n\n')}\n\n`;
  }

  topic(name: string, manifest: readonly Described[]): string {
    const usage = this.section('USAGE', `$ ${this.config.bin} ${name} COMMAND`);
    const rows = commandRows(manifest).filter(([id]) => id.startsWith(`${name} `));
    return `${topics[name]}\n\n${usage}\n\n${this.section('COMMANDS', rows)}\n\n`;
  }

  concept({ title, text, usage }: Concept): string {
    const lines = text.map((line) => this.wrap(line, 0)).join('\n');
    return `${title}\n\n${lines}\n\n${this.section('SEE', `$ ${usage}`)}\n\n`;
  }

  /** `all`: each command of a topic in a row, with its other names. */
  everything(manifest: readonly Described[], all: boolean): string {
    const { bin, pjson, root } = this.config;
    const below = [
      `More about a command: ${bin} help COMMAND; flags of all: ${bin} options`,
      this.wrap(`More about a word (${bin} help WORD): ${Object.keys(glossary).join(', ')}`, 0),
      `Without a cluster: ${bin} status --from ${example}`,
    ].join('\n');
    const rows = new Map([
      ...commandRows(manifest).map((row) => [row[0], row] as const),
      ...Object.entries(topics).map((row) => [row[0], row] as const),
    ]);
    const members = (name: string) =>
      all && name in topics ? [...rows.keys()].filter((id) => id.startsWith(`${name} `)) : [name];
    const width = Math.max(...[...rows.keys()].map((id) => id.length));
    const parts = Object.entries(groups).map(([group, names]) => {
      const shown = names.flatMap(members).flatMap((name) => {
        const row = rows.get(name);
        return row ? [[row[0].padEnd(width), row[1]] as HelpRow] : [];
      });
      return this.section(group.toUpperCase(), shown);
    });
    const text = [this.wrap(`${pjson.description}.`, 0), ...parts, below];
    return pathsHere(`${text.join('\n\n')}\n`, root);
  }

  options(): string {
    const flags = Object.entries(commonFlags)
      .map(([name, flag]) => ({ ...flag, name }) as Flag)
      .sort((a, b) => Number(!a.char) - Number(!b.char) || compareText(a.name, b.name));
    const list = this.section('FLAGS', flagRows(flags));
    return `The following flags can be given to every command:\n\n${list}\n`;
  }

  #part(heading: string, rows: readonly HelpRow[]): string {
    return rows.length === 0 ? '' : this.section(heading, [...rows]);
  }

  /** Lines that are too long end between what belongs together: not within `[-n NAMESPACE]`. */
  #usage(usage: string): string {
    const most = this.opts.maxWidth - this.indentSpacing;
    const parts = usage.match(/(?:[^\s[]|\[(?:[^[\]]|\[[^[\]]*\])*\])+/g) ?? [];
    const lines = [`$ ${this.config.bin}`];
    for (const part of parts) {
      const line = `${lines.at(-1)} ${part}`;
      if (line.length <= most) lines[lines.length - 1] = line;
      else lines.push(`  ${part}`);
    }
    return lines.join('\n');
  }

  /** The names of the flags that the page leaves out, and where those of all commands are. */
  #otherFlags(called: string, flags: readonly Flag[]): string {
    const { bin } = this.config;
    const names = flags.map(({ name }) => `--${name}`).sort(compareText);
    const also = `Also (${bin} ${called} --help --all): ${names.join(', ')}.`;
    const options = `For the flags of all commands, see: ${bin} options`;
    return names.length === 0 ? options : `${this.wrap(also, 0)}\n${options}`;
  }

  #examples(examples: readonly string[], all: boolean): string {
    const { bin, root } = this.config;
    const lines = examples
      .slice(all ? 0 : -3)
      .map((line) => `$ ${pathsHere(line.replaceAll('<%= config.bin %>', bin), root)}`);
    return this.section('EXAMPLES', lines.join('\n'));
  }
}

type HelpRow = [left: string, right: string | undefined];

function commandRows(manifest: readonly Described[]): [string, string][] {
  const rows = manifest.map(({ id, aliases, summary = '' }): [string, string] => [
    id.replace(':', ' '),
    aliases.length > 0 ? `${summary} (${aliases.join(', ')})` : summary,
  ]);
  return rows.sort(([a], [b]) => compareText(a, b));
}

function argument({ name, options, description }: Command.Arg.Any, strict?: boolean): HelpRow {
  const listed = options ? `${description} (${options.join(', ')})` : description;
  return [`[${name.toUpperCase()}${strict === false ? '...' : ''}]`, listed];
}

/** Lists of values stand in the text beside the flag. */
function flagRows(flags: readonly Flag[]): HelpRow[] {
  const indent = flags.some(({ char }) => char) ? '    ' : '';
  return flags.map((flag) => {
    const label = `${flag.char ? `-${flag.char}, ` : indent}--${flag.name}`;
    const { summary = '', required } = flag;
    if (flag.type === 'boolean') return [label, summary];
    const { helpValue, options, multiple } = flag;
    const listed =
      options ?? (`${helpValue}`.includes('|') ? `${helpValue}`.split('|') : undefined);
    const value = listed ? (valueNames[flag.name] ?? flag.name.toUpperCase()) : `${helpValue}`;
    const given = flag.default === undefined ? '' : `[default: ${flag.default}] `;
    const text = `${required ? '(required) ' : ''}${given}${summary}`;
    // A value that may be left out brings its own sign: `--now[=TIME]`.
    const sign = value.startsWith('[=') ? '' : '=';
    const shown = ux.colorize('underline', `${value}${multiple ? '...' : ''}`);
    return [`${label}${sign}${shown}`, listed ? `${text} (${listed.join(', ')})` : text];
  });
}

/** What stands for the value of a flag whose values are listed, where that is not its own name. */
const valueNames: Readonly<Record<string, string>> = {
  cascade: 'POLICY',
  color: 'WHEN',
  'dry-run': 'STRATEGY',
  'fail-on': 'SEVERITY',
  'ignore-not-found': 'BOOL',
  'missing-owner': 'ANSWER',
  output: 'FORMAT',
  per: 'WHAT',
  'policy-reports': 'API',
  start: 'WHEN',
  wait: 'WHAT',
};

/** All but those that `kubectl gc options` explains, and those that do nothing here; those with a letter first. */
function ownFlags({ id, flags }: Described): Flag[] {
  return Object.values(flags)
    .filter(
      ({ helpGroup, name }) => helpGroup !== globalGroup && !withoutEffect[name]?.includes(id),
    )
    .sort((a, b) => compareText(a.char ?? '~', b.char ?? '~') || compareText(a.name, b.name));
}

const askNothing = ['backups', 'completion', 'options', 'version'];
const readNoFiles = [...askNothing, 'guard', 'rbac', 'run-controllers'];

/** Flags that every command takes, and the commands in which they do nothing. */
const withoutEffect: Readonly<Record<string, readonly string[]>> = {
  namespace: [
    ...[...askNothing, 'containers', 'guard', 'images', 'policies', 'report', 'settings'],
    ...['snapshot:export', 'snapshot:info'],
  ],
  from: readNoFiles,
  complete: readNoFiles,
  now: readNoFiles,
};

function pathsHere(text: string, root: string): string {
  return existsSync(example) ? text : text.replaceAll(` ${bundled}`, ` ${join(root, bundled)}`);
}
