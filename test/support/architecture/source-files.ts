import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The modules below these folders of the repository: path with forward slashes → text. */
export function sourceFiles(...folders: readonly string[]): Map<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  );
  const modules = paths.filter((path) => /\.m?ts$/.test(path) || path.endsWith('.mjs')).sort();
  return new Map(modules.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
