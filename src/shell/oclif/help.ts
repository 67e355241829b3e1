import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@oclif/core/command';
import { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import type { HelpOptions, LoadOptions } from '@oclif/core/interfaces';
import { compareText } from '../../kube/names.ts';
import { commonFlags, globalGroup } from '../flags/flags.ts';
import { writeOut } from '../terminal/streams.ts';

/** The commands that people come for, questions first; `help --all` shows the others, too. */
const toSee = [
  ...['status', 'why', 'owners', 'tree', 'orphans', 'forecast', 'audit'],
  ...['delete', 'restore', 'snapshot', 'view'],
];

/** The cluster that examples are about; help names it by a path that works where the reader is. */
const bundled = 'examples/';
const example = `${bundled}clusters/shop.json.gz`;

function pathsHere(text: string, root: string): string {
  return existsSync(example) ? text : text.replaceAll(` ${bundled}`, ` ${join(root, bundled)}`);
}

/** Prints the help that a command line asks for. */
export async function showHelp(args: readonly string[], options: LoadOptions): Promise<void> {
  // The first word is the command: in what follows, oclif would look for one of a topic.
  const help = new GcHelp(await Config.load(options), { all: args.includes('--all') });
  await help.showHelp(args.slice(0, 1));
}

/** The flags of all commands, as `kubectl options` shows those of kubectl. */
export async function optionsPage({ options }: Config): Promise<string> {
  const help = new GcHelp(await Config.load(options));
  const flags = Object.entries(commonFlags)
    .map(([name, flag]) => ({ ...flag, name }))
    // Those with a letter first, as on the other pages.
    .sort((a, b) => Number(!('char' in a)) - Number(!('char' in b)) || compareText(a.name, b.name));
  return help.optionsText(flags as unknown as Command.Flag.Any[]);
}

class GcCommandHelp extends CommandHelp {
  /** What people copy stands last, above the next prompt. Without `--all` the page is one screen. */
  protected override sections(): ReturnType<CommandHelp['sections']> {
    const inMore = this.opts.all ? ['DESCRIPTION', 'ALIASES'] : [];
    const order = ['USAGE', 'ARGUMENTS', ...inMore, 'FLAGS', 'EXAMPLES'];
    return super
      .sections()
      .filter(({ header }) => order.includes(header))
      .sort((a, b) => order.indexOf(a.header) - order.indexOf(b.header));
  }

  /** The page of the command, with the names of the flags that it leaves out above the examples. */
  override generate(): string {
    return super.generate().replace(/^(?=EXAMPLES$)/m, `${this.otherFlags()}\n\n`);
  }

  /** With `--all` every flag of the command; else those that its usage names. */
  protected override groupFlags(flags: Command.Flag.Any[]) {
    const own = this.ownFlags(flags);
    if (this.opts.all) return super.groupFlags(own);
    return { mainFlags: own.filter((flag) => this.isInUsage(flag)), flagGroups: {} };
  }

  private otherFlags(): string {
    const { bin } = this.config;
    const shared = new Set(Object.values(commonFlags).map(({ summary }) => summary));
    const others = this.ownFlags(Object.values(this.command.flags))
      .filter((flag) => !this.isInUsage(flag) && !shared.has(flag.summary))
      .map(({ name }) => `--${name}`)
      .sort(compareText);
    const all = `Also (${bin} ${this.command.id} --help --all): ${others.join(', ')}.`;
    const options = `For the flags of all commands, see: ${bin} options`;
    return this.opts.all || others.length === 0 ? options : `${this.wrap(all, 0)}\n${options}`;
  }

  private ownFlags(flags: Command.Flag.Any[]): Command.Flag.Any[] {
    const unused = withoutEffect(this.command.id.replace(' ', ':'));
    return flags.filter(
      ({ helpGroup, name }) => helpGroup !== globalGroup && !unused.includes(name),
    );
  }

  private isInUsage({ name, char }: Command.Flag.Any): boolean {
    const usage = [this.command.usage ?? ''].flat().join(' ');
    const named = char ? `(?:--${name}|-${char})` : `--${name}`;
    return new RegExp(`(?<![\\w-])${named}(?![\\w-])`).test(usage);
  }

  /** `--now[=TIME]`: a value that may be left out brings its own sign. */
  protected override flagHelpLabel(flag: Command.Flag.Any, showOptions?: boolean): string {
    return super.flagHelpLabel(flag, showOptions).replace('=[=', '[=');
  }

  /** Their values stand in the text beside them, too. */
  protected override args(args: Command.Arg.Any[] | undefined) {
    if (args === undefined) return undefined;
    return super.args(
      args.map(({ options, ...arg }) =>
        options ? { ...arg, description: `${arg.description} (${options.join(', ')})` } : arg,
      ),
    );
  }

  /** Lines that are too long end between what belongs together: not within `[-n NAMESPACE]`. */
  protected override usage(): string {
    const usages = [this.command.usage ?? this.command.id].flat();
    return usages.map((usage) => this.usageLines(this.render(usage))).join('\n');
  }

  private usageLines(usage: string): string {
    const most = this.opts.maxWidth - this.indentSpacing;
    const parts = usage.match(/\S*\[(?:[^[\]]|\[[^\]]*\])*\]\S*|\S+/g) ?? [];
    const lines = [`$ ${this.config.bin}`];
    for (const part of parts) {
      const line = `${lines.at(-1)} ${part}`;
      if (line.length <= most) lines[lines.length - 1] = line;
      else lines.push(`  ${part}`);
    }
    return lines.join('\n');
  }

  /** Lists of values that are long stand in the text beside the flag. */
  override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(flags.map(withValuesInText));
  }

  /** The page of an alias is that of its command, which is then the other name. */
  protected override aliases(aliases: string[] | undefined): string | undefined {
    if (!aliases?.includes(this.command.id)) return super.aliases(aliases);
    const named = this.config.commands.find(
      (other) => other.aliases.includes(this.command.id) && !other.aliases.includes(other.id),
    );
    return super.aliases(named && [named.id]);
  }

  protected override examples(
    examples: Command.Example[] | string | undefined,
  ): string | undefined {
    const lines = [examples ?? []].flat() as string[];
    return lines
      .slice(this.opts.all ? 0 : -3)
      .map((line) => `$ ${pathsHere(this.render(line), this.config.root)}`)
      .join('\n');
  }
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

/** Flags that every command takes, and that do nothing here. */
function withoutEffect(id: string): readonly string[] {
  switch (id) {
    case 'completion':
    case 'options':
    case 'version':
    case 'backups':
      return ['namespace', 'from', 'complete', 'now'];
    case 'rbac':
    case 'run-controllers':
      return ['from', 'complete', 'now'];
    case 'containers':
    case 'images':
    case 'policies':
    case 'report':
    case 'settings':
    case 'snapshot:export':
    case 'snapshot:info':
      return ['namespace'];
    default:
      return [];
  }
}

function withValuesInText(flag: Command.Flag.Any): Command.Flag.Any {
  if (flag.type !== 'option') return flag;
  const listed =
    flag.options ??
    (`${flag.helpValue ?? ''}`.includes('|') ? `${flag.helpValue}`.split('|') : undefined);
  if (listed === undefined) return flag;
  const { options: _, ...rest } = flag;
  return {
    ...rest,
    helpValue: valueNames[flag.name] ?? flag.name.toUpperCase(),
    summary: `${flag.summary} (${listed.join(', ')})`,
  };
}

class GcHelp extends Help {
  override CommandHelpClass = GcCommandHelp;

  constructor(config: Config, options: Partial<HelpOptions> = {}) {
    super(config, { hideCommandSummaryInDescription: true, ...options });
  }

  override async showRootHelp(): Promise<void> {
    await writeOut(pathsHere(this.rootText(), this.config.root));
  }

  rootText(): string {
    const { bin, pjson, topics } = this.config;
    const below = [
      `More about a command: ${bin} help COMMAND; flags of all: ${bin} options`,
      `Without a cluster: ${bin} status --from ${example}`,
    ].join('\n');
    const commands = this.commandLines();
    if (this.opts.all) return `${this.commandRows([...commands])}\n\n${below}\n`;
    const lines = new Map([
      ...this.sortedCommands.map(({ id, summary }) => [id, summary] as const),
      ...topics.map(({ name, description }) => [name, description] as const),
    ]);
    const shown = new Set(toSee);
    const rest = [...commands.keys(), ...this.sortedCommands.flatMap(({ aliases }) => aliases)]
      .filter((id) => !shown.has(id.split(' ')[0] ?? ''))
      .sort(compareText);
    return `${[
      this.wrap(`${pjson.description}.`, 0),
      this.commandRows(toSee.map((id) => [id, lines.get(id) ?? ''])),
      `${this.wrap(`Also (${bin} help --all): ${[...new Set(rest)].join(', ')}.`, 0)}\n${below}`,
    ].join('\n\n')}\n`;
  }

  private commandRows(rows: [string, string][]): string {
    return this.section('COMMANDS', rows);
  }

  optionsText(flags: Command.Flag.Any[]): string {
    const command = { id: 'options', flags: {}, args: {} } as unknown as Command.Loadable;
    const list = new GcCommandHelp(command, this.config, this.opts).flags(flags) ?? [];
    return `The following flags can be given to every command:\n\n${this.section('FLAGS', list)}\n`;
  }

  /** Every command once, with its other name. */
  private commandLines(): Map<string, string> {
    const commands = this.sortedCommands.filter(({ id, aliases }) => !aliases.includes(id));
    return new Map(
      commands.map(({ id, aliases, summary = '' }) => [
        id.replaceAll(':', ' '),
        aliases.length > 0 ? `${summary} Also: ${aliases.join(', ')}.` : summary,
      ]),
    );
  }
}
