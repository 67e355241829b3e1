import { isNode, type Node, walk } from './syntax.ts';

/** How a module is asked for: `type` leaves no trace at run time, `dynamic` loads on first use. */
export type ImportKind = 'static' | 'type' | 'dynamic';

export interface Import {
  readonly kind: ImportKind;
  /** Undefined when `import()` gets something other than a plain string. */
  readonly specifier: string | undefined;
}

/** Every module that a module asks for, in the order of the text. */
export function importsOf(root: Node): Import[] {
  const imports: Import[] = [];
  walk(root, (node) => {
    const kind = kindOf(node);
    if (kind) imports.push({ kind, specifier: literal(node.source) });
  });
  return imports;
}

function kindOf(node: Node): ImportKind | undefined {
  switch (node.type) {
    // `import { type A }` is `static`: type stripping leaves `import {}`, which loads the module.
    case 'ImportDeclaration':
      return node.importKind === 'type' ? 'type' : 'static';
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      if (!node.source) return undefined;
      return node.exportKind === 'type' ? 'type' : 'static';
    case 'ImportExpression':
      return 'dynamic';
    case 'TSImportType':
      return 'type';
    default:
      return undefined;
  }
}

function literal(source: unknown): string | undefined {
  if (!isNode(source)) return undefined;
  const { value } = source.type === 'TSLiteralType' ? (source.literal as Node) : source;
  return typeof value === 'string' ? value : undefined;
}
