// Writes src/kube/built-in-types.ts from what a default kube-apiserver serves: `node scripts/record-built-in-types.ts`.
import { writeFileSync } from 'node:fs';
import { apiVersionOf, type ResourceType } from '../src/kube/resource-type.ts';
import { startControlPlane } from '../test/support/control-plane.ts';
import { servedTypes } from '../test/support/served-types.ts';

const target = new URL('../src/kube/built-in-types.ts', import.meta.url);
const everyVerb = 'create,delete,deletecollection,get,list,patch,update,watch';

const plane = await startControlPlane({ controllers: 'none' });
try {
  const types = await servedTypes((path, accept) => plane.get(path, accept));
  writeFileSync(target, moduleOf(plane.serverVersion, types));
  console.log(
    `${types.length} kinds of ${plane.serverVersion} written to src/kube/built-in-types.ts`,
  );
} finally {
  await plane.stop();
}

function moduleOf(version: string, types: readonly ResourceType[]): string {
  const groups = Map.groupBy(types, apiVersionOf);
  const lines = [...groups].flatMap(([apiVersion, kinds]) => [apiVersion, ...kinds.map(rowOf)]);
  return `import type { ResourceType } from './resource-type.ts';

const every = '${everyVerb}';

/**
 * One line per group version, below it one per kind: plural, kind, scope, verbs ('*' is \`every\`),
 * short names, categories. Recorded from kube-apiserver ${version} by scripts/record-built-in-types.ts.
 */
const recorded = \`
${lines.join('\n')}
\`;

/**
 * The Kubernetes version whose kinds these are.
 * @internal
 */
export const builtInVersion = '${version}';

/** Every kind that a kube-apiserver serves with default settings, in its order of preference. */
export const builtInTypes: readonly ResourceType[] = expand(recorded);

function expand(table: string): ResourceType[] {
  const types: ResourceType[] = [];
  let group = '';
  let version = '';
  for (const line of table.trim().split('\\n')) {
    const words = line.trim().split(/ +/);
    if (!line.startsWith(' ')) {
      [version = '', group = ''] = line.split('/').reverse();
      continue;
    }
    const [resource = '', kind = '', scope, verbs = '', shortNames = '', categories = ''] = words;
    types.push({
      group,
      version,
      kind,
      resource,
      singular: kind.toLowerCase(),
      shortNames: namesOf(shortNames),
      categories: namesOf(categories),
      namespaced: scope === 'namespaced',
      verbs: namesOf(verbs === '*' ? every : verbs),
    });
  }
  return types;
}

function namesOf(list: string): readonly string[] {
  return list === '-' || list === '' ? [] : list.split(',');
}
`;
}

function rowOf(type: ResourceType): string {
  if (type.singular !== type.kind.toLowerCase()) {
    throw new Error(`${type.kind}: the singular ${type.singular} needs a column of its own`);
  }
  const verbs = type.verbs.join();
  const words = [
    type.resource.padEnd(33),
    type.kind.padEnd(32),
    type.namespaced ? 'namespaced' : 'cluster   ',
    verbs === everyVerb ? '*' : verbs,
    type.shortNames.join() || '-',
    type.categories.join() || '-',
  ];
  return `  ${words.join(' ')}`.replace(/( -)+$/, '');
}
