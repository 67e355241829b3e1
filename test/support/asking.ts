import { expect } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ClusterAccess } from './cluster.ts';
import { gcHere } from './run-here.ts';

/** The command line as the administrator of a cluster gives it, in this process; or as whom that kubeconfig names. */
export function askingOf(
  { kubeconfigPath }: ClusterAccess,
  env: Readonly<Record<string, string>> = {},
) {
  const run = (line: string, kubeconfig = kubeconfigPath) =>
    gcHere(line, { KUBECONFIG: kubeconfig, NO_COLOR: '1', ...env });

  async function json<T>(line: string, kubeconfig?: string): Promise<T> {
    const { stdout, stderr } = await run(`${line} -o json`, kubeconfig);
    expect(stdout, stderr).not.toBe('');
    return JSON.parse(stdout) as T;
  }

  /** `Service web deleted`, for each object of the plan to delete that. */
  async function fates(target: string): Promise<string[]> {
    const { objects } = await json<Plan>(`delete ${target} --preview`);
    return objects.map(({ kind, name, fate }) => `${kind} ${name} ${fate}`);
  }
  return { run, json, fates };
}
