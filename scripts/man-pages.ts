// The man pages, from the manifest that the help is made from: one for kubectl gc, and one for each command.
import type { CommandManifest } from '../src/shell/oclif/manifest.ts';

/** Texts by file name: kubectl-gc-tree.1. */
export function manPages(
  manifest: readonly CommandManifest[],
  { version, description }: { readonly version: string; readonly description: string },
): ReadonlyMap<string, string> {
  const head = (name: string, summary: string) => [
    `.TH ${name.toUpperCase()} 1 "" "kubectl-gc ${version}"`,
    '.SH NAME',
    `${text(name)} \\- ${text(summary.replace(/\.$/, ''))}`,
  ];
  const overview = [
    ...head('kubectl-gc', description),
    '.SH SYNOPSIS',
    '.B kubectl gc',
    '.I COMMAND',
    '.RI [ FLAGS ]',
    '.SH COMMANDS',
    ...manifest.flatMap((command) => [
      '.TP',
      `.BR ${text(pageOf(command.id))} (1)`,
      text(command.summary ?? ''),
    ]),
  ];
  return new Map([
    ['kubectl-gc.1', page(overview)],
    ...manifest.map((command): [string, string] => {
      const name = pageOf(command.id);
      return [`${name}.1`, page([...head(name, command.summary ?? ''), ...bodyOf(command)])];
    }),
  ]);
}

function pageOf(id: string): string {
  return `kubectl-gc-${id.replace(':', '-')}`;
}

function bodyOf({ id, usage, description, flags, examples }: CommandManifest): string[] {
  const groups = Map.groupBy(Object.values(flags), ({ helpGroup }) => helpGroup ?? 'FLAGS');
  return [
    '.SH SYNOPSIS',
    ...[usage ?? []]
      .flat()
      .flatMap((line) => [
        `kubectl gc ${text(line.replaceAll('<%= command.id %>', id.replace(':', ' ')))}`,
        '.br',
      ]),
    ...(description === undefined ? [] : ['.SH DESCRIPTION', text(description)]),
    ...[...groups].flatMap(([group, members]) => [
      `.SH ${group}`,
      ...members.flatMap((flag) => ['.TP', nameOf(flag), text(flag.summary ?? '')]),
    ]),
    '.SH EXAMPLES',
    '.EX',
    ...(examples ?? []).map((example) =>
      text(String(example).replaceAll('<%= config.bin %>', 'kubectl gc')),
    ),
    '.EE',
    '.SH SEE ALSO',
    '.BR kubectl\\-gc (1)',
  ];
}

function nameOf(flag: CommandManifest['flags'][string]): string {
  const char = flag.char === undefined ? '' : `\\fB\\-${flag.char}\\fR, `;
  return `${char}\\fB\\-\\-${text(flag.name)}\\fR${flag.type === 'option' ? valuePart(flag.helpValue) : ''}`;
}

/** One that may be left out brings its own sign: `--now[=TIME]`. */
function valuePart(helpValue: unknown): string {
  const named = text(String(helpValue ?? 'value'));
  return `${named.startsWith('[=') ? '' : '='}\\fI${named}\\fR`;
}

/** No character of the text is taken for a request or an escape. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replace(/^\./gm, '\\&.');
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
