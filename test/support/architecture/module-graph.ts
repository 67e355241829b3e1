import { dirname, join, normalize } from 'node:path/posix';
import { type ImportKind, importsOf } from './imports.ts';
import { type Node, parseModule } from './syntax.ts';

/** One import statement, with the file or the package that it leads to. */
export interface Edge {
  readonly kind: ImportKind;
  readonly specifier: string | undefined;
  /** Path of the imported file from the root of the repository, for relative specifiers. */
  readonly file?: string;
  /** Package name; `node` for Node's own modules. */
  readonly package?: string;
}

export interface Module {
  readonly path: string;
  readonly text: string;
  readonly tree: Node;
  readonly edges: readonly Edge[];
}

/** Parses files (path → text) into modules that know what they import. */
export function modulesOf(files: ReadonlyMap<string, string>): Module[] {
  return [...files].map(([path, text]) => {
    const tree = parseModule(path, text);
    const edges = importsOf(tree).map(({ kind, specifier }) => ({
      kind,
      specifier,
      ...(specifier === undefined ? {} : destination(path, specifier)),
    }));
    return { path, text, tree, edges };
  });
}

function destination(path: string, specifier: string): { file: string } | { package: string } {
  if (specifier.startsWith('.')) return { file: normalize(join(dirname(path), specifier)) };
  if (specifier.startsWith('node:')) return { package: 'node' };
  const parts = specifier.split('/');
  return { package: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') };
}
