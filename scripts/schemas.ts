import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  BooleanType,
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  ObjectProperty,
  ObjectType,
  SchemaGenerator,
  StringType,
  type SubNodeParser,
  ts,
} from 'ts-json-schema-generator';

// The JSON Schemas of all documents, from the types in src and what their comments say: `npm run schemas` writes them.

/** The type of each document, by the name of its schema. */
export const documentTypes = {
  audit: 'AuditReport',
  backup: 'SealedBackup',
  backups: 'BackupsReport',
  containers: 'ContainersReport',
  'deletion-comparison': 'DeletionComparison',
  fleet: 'FleetReport',
  forecast: 'ForecastReport',
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
    path: `${root}src/{deletion,output,perform,restore}/**/*.ts`,
    tsconfig: `${root}tsconfig.json`,
    additionalProperties: false,
    encodeRefs: false,
    jsDoc: 'extended' as const,
    skipTypeCheck: true,
    topRef: false,
  };
  const program = createProgram(config);
  const parser = createParser(program, config, (chain) => {
    chain.addNodeParser(shapeParser(program.getTypeChecker()));
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

/** What a shape keeps (src/kube/facts/shape.ts), of which only the compiler knows the fields: texts and answers. */
function shapeParser(checker: ts.TypeChecker): SubNodeParser {
  return {
    supportsNode: (node) =>
      ts.isExpressionWithTypeArguments(node) && node.expression.getText() === 'KeptBy',
    createType: (node) => {
      const fields = checker.getTypeAtLocation(node).getProperties();
      const properties = fields.map((field) => {
        const type = checker.getTypeOfSymbol(field);
        const isRequired = type === checker.getNonNullableType(type);
        const isText = (checker.getNonNullableType(type).flags & ts.TypeFlags.String) !== 0;
        return new ObjectProperty(
          field.name,
          isText ? new StringType() : new BooleanType(),
          isRequired,
        );
      });
      return new ObjectType(`shape-${node.getStart()}`, [], properties, false);
    },
  };
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
