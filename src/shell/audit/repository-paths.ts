import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { AuditReport } from '../../output/documents/audit.ts';
import type { Format } from '../../output/render.ts';

const ofRepositories: ReadonlySet<Format> = new Set(['sarif', 'github', 'gitlab']);

/** What shows findings in a review looks a file up by its path from the root of the repository. */
export function withRepositoryPaths(report: AuditReport, format: string): AuditReport {
  if (!ofRepositories.has(format as Format)) return report;
  const roots = new Map<string, string | undefined>();
  const items = report.items.map((item) => {
    if (!item.place || item.place.path === '<stdin>') return item;
    const path = fromRoot(item.place.path, roots);
    return { ...item, place: { ...item.place, path } };
  });
  return { ...report, items };
}

function fromRoot(path: string, roots: Map<string, string | undefined>): string {
  const full = resolve(path);
  const folder = dirname(full);
  if (!roots.has(folder)) roots.set(folder, rootOf(folder));
  const root = roots.get(folder);
  return root === undefined ? path : relative(root, full);
}

/** A worktree and a submodule have a file of that name. */
function rootOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
