// Tools of a release that are written in Go: built once, and kept.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages: Readonly<Record<'quill' | 'krew', readonly string[]>> = {
  quill: ['github.com/anchore/quill/cmd/quill'],
  krew: ['sigs.k8s.io/krew/cmd/krew', 'sigs.k8s.io/krew/cmd/validate-krew-manifest'],
};

/** A place below the cache folder of this project. */
export function cached(...names: readonly string[]): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-gc', ...names);
}

/** The program of a module in `tools`; building it needs Go, and takes a minute or two. */
export function goTool(module: keyof typeof packages, program: string = module): string {
  const folder = fileURLToPath(new URL(`tools/${module}`, import.meta.url));
  const pinned = createHash('sha256').update(readFileSync(join(folder, 'go.sum'))).digest('hex');
  const kept = cached('tools', `${module}-${pinned.slice(0, 12)}`);
  const file = join(kept, program);
  if (!existsSync(file)) {
    execFileSync('go', ['build', '-trimpath', '-o', `${kept}/`, ...packages[module]], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return file;
}
