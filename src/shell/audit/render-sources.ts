import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Rendered, SetAside } from '../../files/repository.ts';

const mostBytes = 64 * 1024 * 1024;
const longestMs = 60_000;

/** The programs that make manifests, in the order in which they are tried. */
const programs: Readonly<Record<'chart' | 'kustomization', readonly (readonly string[])[]>> = {
  chart: [['helm', 'template', '--skip-tests']],
  kustomization: [
    ['kustomize', 'build'],
    ['kubectl', 'kustomize'],
  ],
};

/** Renders a chart with its own values, or a kustomization. A chart in another one is rendered with that. */
export async function renderSource({ what, path }: SetAside): Promise<Rendered> {
  if (what === 'other') return undefined;
  const folder = dirname(path);
  // Repositories of charts have a folder `charts`, too, and it is in no chart.
  const isWithin = basename(folder) === 'charts' && existsSync(join(folder, '..', 'Chart.yaml'));
  if (what === 'chart' && isWithin) return { text: '' };
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  for (const [program = '', ...args] of programs[what]) {
    const named = what === 'chart' ? [...args, basename(path)] : args;
    try {
      const options = { maxBuffer: mostBytes, timeout: longestMs };
      const { stdout } = await promisify(execFile)(program, [...named, path], options);
      return { text: stdout };
    } catch (error) {
      const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
      if (code === 'ENOENT') continue;
      const lines = stderr.trim().split('\n');
      // Helm logs before it says what failed.
      const first = lines.find((line) => line.startsWith('Error')) ?? lines[0];
      const why = first || `exit code ${String(code)}`;
      return { failure: `${[program, ...args].join(' ')} fails: ${why}` };
    }
  }
  return undefined;
}
