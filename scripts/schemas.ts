import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  AnnotatedType,
  ArrayType,
  type BaseType,
  BooleanType,
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  LiteralType,
  NumberType,
  ObjectProperty,
  ObjectType,
  SchemaGenerator,
  StringType,
  type SubNodeParser,
  ts,
  UnionType,
} from 'ts-json-schema-generator';

// The JSON Schemas of all documents, from the types in src and what their comments say: `npm run schemas` writes them.

/** The type of each document, by the name of its schema. */
export const documentTypes = {
  audit: 'AuditReport',
  backup: 'SealedBackup',
  backups: 'BackupsReport',
  containers: 'ContainersReport',
  'deletion-chain': 'DeletionChain',
  'deletion-comparison': 'DeletionComparison',
  deletions: 'Deletions',
  fleet: 'FleetReport',
  forecast: 'ForecastReport',
  'guard-rules': 'GuardRules',
  images: 'ImagesReport',
  'invalid-ownerrefs': 'InvalidReferencesReport',
  orphans: 'OrphansReport',
  owners: 'OwnersReport',
  plan: 'SealedPlan',
  'podgc-preview': 'PodGcPreview',
  'progress-event': 'ProgressEvent',
  restore: 'Restoration',
  settings: 'SettingsReport',
  simulate: 'SimulationReport',
  'snapshot-diff': 'SnapshotDiff',
  'snapshot-info': 'SnapshotInfo',
  status: 'StatusReport',
  tree: 'TreeReport',
  version: 'VersionDocument',
  why: 'WhyDocument',
} as const;
export type SchemaName = keyof typeof documentTypes;

const root = fileURLToPath(new URL('..', import.meta.url));

/** `schemas/audit.json`, as a path on this machine. */
export function schemaPath(name: string): string {
  return `${root}schemas/${name}.json`;
}

/** The text of each schema, by its name. */
export function schemaTexts(): Map<SchemaName, string> {
  const config = {
    ...DEFAULT_CONFIG,
    path: `${root}src/{deletion,guard,history,output,perform,questions,restore}/**/*.ts`,
    tsconfig: `${root}tsconfig.json`,
    additionalProperties: false,
    encodeRefs: false,
    jsDoc: 'extended' as const,
    skipTypeCheck: true,
    topRef: false,
  };
  const program = createProgram(config);
  const parser = createParser(program, config, (chain) => {
    chain.addNodeParser(derivedParser(program.getTypeChecker()));
  });
  const generator = new SchemaGenerator(program, parser, createFormatter(config), config);
  const names = Object.keys(documentTypes) as SchemaName[];
  return new Map(
    names.map((name) => {
      const { definitions, ...schema } = generator.createSchema(documentTypes[name]);
      const head = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `kubectl-gc:v1/${name}.json`,
      };
      const parts = Object.entries(definitions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
      const whole = { ...head, ...schema, $schema: head.$schema, $defs: Object.fromEntries(parts) };
      return [name, `${withShortLists(JSON.stringify(whole, asPublished, 2))}\n`];
    }),
  );
}

/** Types that follow from what is declared as a value: only the compiler knows their fields. */
const derived = /^(KeptBy|Declared)<typeof /;

function derivedParser(checker: ts.TypeChecker): SubNodeParser {
  return {
    supportsNode: (node) =>
      (ts.isExpressionWithTypeArguments(node) || ts.isTypeReferenceNode(node)) &&
      derived.test(node.getText()),
    createType: (node) => typeOf(checker, checker.getTypeAtLocation(node), node.getText()),
  };
}

/** `id`: tells types apart. */
function typeOf(checker: ts.TypeChecker, given: ts.Type, id: string): BaseType {
  const type = checker.getNonNullableType(given);
  const has = (flag: ts.TypeFlags) => (type.flags & flag) !== 0;
  if (has(ts.TypeFlags.String)) return new StringType();
  if (has(ts.TypeFlags.Number)) return new NumberType();
  if (has(ts.TypeFlags.Boolean)) return new BooleanType();
  if (type.isStringLiteral() || type.isNumberLiteral()) return new LiteralType(type.value);
  if (has(ts.TypeFlags.BooleanLiteral))
    return new LiteralType(checker.typeToString(type) === 'true');
  if (type.isUnion()) {
    // The compiler's own order follows from what it met first.
    const all = type.types.toSorted((a, b) =>
      checker.typeToString(a) < checker.typeToString(b) ? -1 : 1,
    );
    return new UnionType(all.map((one, at) => typeOf(checker, one, `${id}|${at}`)));
  }
  const entry = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  if (entry) return new ArrayType(typeOf(checker, entry, `${id}[]`));
  if (!has(ts.TypeFlags.Object | ts.TypeFlags.Intersection))
    throw new Error(`no schema for ${checker.typeToString(type)}`);
  const value = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  const properties = checker.getPropertiesOfType(type).map((field) => {
    const of = checker.getTypeOfSymbol(field);
    const isRequired = of === checker.getNonNullableType(of);
    const description = ts.displayPartsToString(field.getDocumentationComment(checker));
    const plain = typeOf(checker, of, `${id}.${field.name}`);
    const told = description === '' ? plain : new AnnotatedType(plain, { description }, false);
    return new ObjectProperty(field.name, told, isRequired);
  });
  return new ObjectType(id, [], properties, value ? typeOf(checker, value, `${id}{}`) : false);
}

/** A number is a count, whole and not negative, unless its comment gives a bound (`@minimum`) or another type. */
function asPublished(key: string, value: unknown): unknown {
  if (key === '$ref' && typeof value === 'string') {
    return value.replace('#/definitions/', '#/$defs/');
  }
  if (key === 'description' && typeof value === 'string') return value.replaceAll('\n', ' ');
  const { type, minimum } = (value ?? {}) as { type?: unknown; minimum?: number };
  if (type !== 'number' || minimum !== undefined) return value;
  return { ...(value as object), type: 'integer', minimum: 0 };
}

/** Lists of words, and objects of one field, are on one line. */
function withShortLists(json: string): string {
  return json
    .replace(
      /\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g,
      (_, words) => `[${words.replace(/\s+/g, ' ')}]`,
    )
    .replace(/\{\s+("[^"]*": "[^"]*")\s+\}/g, '{ $1 }');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of schemaTexts()) {
    if (readFileSync(schemaPath(name), 'utf8') !== text) writeFileSync(schemaPath(name), text);
  }
}
