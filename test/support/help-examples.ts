import { describeCommands } from '../../src/shell/oclif/manifest.ts';

/** An example of a help page. */
export interface HelpExample {
  readonly command: string;
  /** As it is printed: `kubectl gc tree …`. */
  readonly line: string;
  /** Where it can run: as it stands on what comes with the program, on nodes that were saved, or on a cluster only. */
  readonly place: 'bundled' | 'nodes' | 'cluster';
}

/** Commands that read neither a cluster nor files. */
const selfContained = new Set(['completion', 'options', 'version', 'backups', 'rbac']);

/** The examples of all help pages. */
export async function helpExamples(): Promise<HelpExample[]> {
  const manifest = await describeCommands();
  return manifest.flatMap(({ id, examples = [] }) =>
    examples.map((example) => {
      const line = String(example).replaceAll('<%= config.bin %>', 'kubectl gc');
      const isOwn = new RegExp(`\\bkubectl gc ${id}\\b`).test(line) && selfContained.has(id);
      const isOfNodes = id === 'images' || id === 'containers';
      const place = / examples\//.test(line) || isOwn ? 'bundled' : isOfNodes ? 'nodes' : 'cluster';
      return { command: id.replace(':', ' '), line, place };
    }),
  );
}

/** A line of bash in which `kubectl gc` is the program, and home is an empty folder. */
export function inBash(line: string): string {
  const home = 'HOME=$(mktemp -d); mkdir -p ~/bin;';
  return `kubectl() { shift; gc "$@"; }; set -o pipefail; ${line.includes('~/') ? `${home} ` : ''}${line}`;
}

/** Findings are what an audit is asked for, and changes what is asked of a comparison. */
export function endsWell(command: string, code: number): boolean {
  const findsSomething = ['audit', 'snapshot diff', 'status'].includes(command);
  return code === 0 || (findsSomething && code === 1);
}
