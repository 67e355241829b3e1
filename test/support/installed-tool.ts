// Tools with dependencies of their own: fetched once from the npm registry, and kept.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cached, fill } from '../../scripts/release/go-tool.ts';

/** The folder in whose `node_modules` the package is, as in `@duckdb/node-api@1.5.6`. */
export function installedTool(tool: string, named: string): string {
  const kept = cached('tools', tool);
  if (existsSync(kept)) return kept;
  fill(kept, (scratch) => {
    const line = ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', scratch];
    execFileSync('npm', [...line, named], { stdio: ['ignore', 'ignore', 'inherit'] });
    return scratch;
  });
  return kept;
}
