import { join } from 'node:path';

/**
 * What is loaded at one moment of a run: the modules that are named, and all that these import. Finding and reading
 * a file takes Node about as long as running what is in it.
 */
const moments = {
  start: ['main'],
  version: ['cli/version'],
  help: ['cli/root-help'],
  line: ['cli/oclif/run-line'],
  completion: ['cli/completion/answer'],
  command: [
    'cli/oclif/command-config',
    'cli/oclif/gc-command',
    'cli/input/open-objects',
    'snapshot/graph/graph',
  ],
  connect: ['cluster/connection/connect'],
  cluster: ['cluster/list/discover', 'cluster/from-cluster', 'cluster/list/look-up-owners'],
  files: ['files/from-files'],
  table: ['output/tables/graph-table'],
};

/** One chunk for the modules that the same moments need; rolldown divides all others by who imports them. */
export function chunkGroups(root) {
  let chunks;
  const name = (id, context) => {
    chunks ??= chunksByModule(root, (module) => context.getModuleInfo(module)?.importedIds ?? []);
    return chunks.get(id) ?? null;
  };
  return [{ name, debugName: 'moments' }];
}

function chunksByModule(root, importedBy) {
  const needing = new Map();
  for (const [moment, names] of Object.entries(moments)) {
    const loaded = new Set(names.map((name) => join(root, 'src', `${name}.ts`)));
    // A Set that grows is iterated to its new end.
    for (const module of loaded) for (const imported of importedBy(module)) loaded.add(imported);
    for (const module of loaded) needing.set(module, [...(needing.get(module) ?? []), moment]);
  }
  return new Map([...needing].map(([module, all]) => [module, chunkFor(all)]));
}

/** Small chunks that several moments share are one: it is loaded by nearly every run. */
function chunkFor(needing) {
  const [first] = needing;
  const all = needing.join('-');
  const isOwn = needing.length === 1 || all === 'line-completion' || all === 'cluster-files';
  if (first === 'start' || first === 'version') return `for-${first}`;
  return isOwn ? `for-${all}` : 'for-all';
}
