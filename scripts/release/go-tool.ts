// Tools of a release that are written in Go: built once, and kept.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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
  const pinned = createHash('sha256')
    .update(readFileSync(join(folder, 'go.sum')))
    .digest('hex');
  const kept = cached('tools', `${module}-${pinned.slice(0, 12)}`);
  const file = join(kept, program);
  if (!existsSync(file)) {
    fill(kept, (scratch) => {
      execFileSync('go', ['build', '-trimpath', '-o', `${scratch}/`, ...packages[module]], {
        cwd: folder,
        env: { ...process.env, CGO_ENABLED: '0' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return scratch;
    });
  }
  return file;
}

/** Keeps the folder that `make` answers, whole or not at all; the scratch folder it is given lies beside it. */
export function fill(kept: string, make: (scratch: string) => string): void {
  mkdirSync(dirname(kept), { recursive: true });
  const scratch = mkdtempSync(join(dirname(kept), 'making-'));
  try {
    const made = make(scratch);
    rmSync(kept, { recursive: true, force: true });
    renameSync(made, kept);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
