import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rewritten } from './rewritten.mjs';

/**
 * What is loaded at one moment of a run: the modules that are named, and all that these import. Finding and reading
 * a file takes Node about as long as running what is in it.
 */
const moments = {
  start: ['main'],
  version: ['shell/version'],
  // Connections, backups and configurations look for the home.
  line: ['shell/oclif/run-line', 'files/home-directory'],
  completion: ['shell/completion/answer'],
  connect: ['cluster/connection/connect', 'cluster/connection/secure-options'],
  cluster: ['cluster/list/discover', 'cluster/from-cluster', 'cluster/list/look-up-owners'],
  files: ['files/from-files'],
  deletion: ['commands/delete/delete'],
  // Nearly all other commands need what this one does.
  tree: ['commands/tree', 'questions/owners/text'],
};

/** What runs of larger commands load besides: a chunk for the modules that the same of them need. */
const commands = {
  orphans: ['commands/orphans/orphans', 'questions/orphans/text'],
  'invalid-ownerrefs': [
    'commands/invalid-ownerrefs/invalid-ownerrefs',
    'questions/invalid-ownerrefs/text',
  ],
  'podgc-preview': ['commands/podgc-preview', 'questions/podgc-preview/text'],
  forecast: ['commands/forecast/forecast', 'questions/forecast/text'],
  status: ['commands/status', 'questions/status/text'],
  audit: ['commands/audit/audit', 'questions/audit/text'],
  why: ['commands/why/why', 'questions/why/stuck-text'],
  diff: ['commands/snapshot/diff', 'questions/snapshot/diff-text'],
  deletion: ['commands/delete/delete'],
  preview: ['commands/delete/delete-offline', 'questions/delete/text'],
  delete: ['commands/delete/delete-on-cluster'],
  // With node:crypto.
  backups: ['restore/backup/write-backup', 'deletion/saved-plan'],
  yaml: ['output/yaml'],
  settings: [
    'commands/settings',
    'settings/effective-settings',
    'shell/settings/settings-of-files',
  ],
  nodes: ['commands/containers', 'commands/images', 'questions/nodes/text'],
  planning: [
    'shell/plan/plan-within',
    'shell/plan/read-for-plan',
    'cluster/settings/load-settings',
  ],
};

/**
 * What writes help, loads plugins and logs, and libraries of libraries: most runs use none of it. rolldown runs each of these
 * CommonJS modules when it is first required, which is within a function.
 */
const seldom = [
  ...['cache-command', 'find-root'].map((name) => `@oclif/core/lib/util/${name}`),
  ...['plugin', 'ts-path'].map((name) => `@oclif/core/lib/config/${name}`),
  ...['help/', 'module-loader'].map((name) => `@oclif/core/lib/${name}`),
  ...['balanced-match/', 'brace-expansion/', 'color-convert/', 'color-name/'],
  ...['debug/', 'ejs/', 'fdir/', 'lilconfig/', 'minimatch/', 'picomatch/', 'tinyglobby/'],
  'wrap-ansi/',
].map((name) => `/node_modules/${name}`);

/** One chunk for the modules that the same moments or commands need; rolldown divides all others by who imports them. */
export function chunkGroups(root) {
  let chunks;
  const name = (id, context) => {
    if (seldom.some((name) => id.includes(name))) return 'seldom';
    chunks ??= chunksByModule(root, (module) => context.getModuleInfo(module)?.importedIds ?? []);
    return chunks.get(id) ?? null;
  };
  return [{ name, debugName: 'moments' }];
}

function chunksByModule(root, importedBy) {
  const loadedFor = (names) => {
    const loaded = new Set(names.map((name) => join(root, 'src', `${name}.ts`)));
    for (const module of loaded) {
      if (!existsSync(module)) throw new Error(`chunks.mjs names ${module}, which is not there`);
    }
    // A Set that grows is iterated to its new end.
    for (const module of loaded) for (const imported of importedBy(module)) loaded.add(imported);
    return loaded;
  };
  const modulesNeeded = (by) => {
    const needing = new Map();
    for (const [name, roots] of Object.entries(by)) {
      for (const module of loadedFor(roots)) {
        needing.set(module, [...(needing.get(module) ?? []), name]);
      }
    }
    return [...needing];
  };
  // What deletions alone need is divided by commands.
  const ofMoments = modulesNeeded(moments).filter(
    ([, needing]) => needing.join('-') !== 'deletion',
  );
  return new Map([
    ...modulesNeeded(commands).map(([module, needing]) => [module, `for-${needing.join('-')}`]),
    ...ofMoments.map(([module, needing]) => [module, chunkFor(needing)]),
  ]);
}

/** What several moments share and others do without. */
const shared = ['line-completion', 'cluster-deletion', 'cluster-files-deletion', 'deletion-tree'];

/** The other chunks that several moments share are one: it is loaded by nearly every run. */
function chunkFor(needing) {
  const [first] = needing;
  const all = needing.join('-');
  const isOwn = needing.length === 1 || shared.includes(all);
  if (first === 'start' || first === 'version') return `for-${first}`;
  return isOwn ? `for-${all}` : 'for-all';
}

/** Loads the chunk of what is seldom needed when something in it is: rolldown would load it before. */
export function seldomLoaded() {
  const load = 'require("./seldom.cjs")';
  return rewritten('seldom-loaded', (code) =>
    code
      .replace(`,require_seldom=${load}`, '')
      .replace(`const require_seldom=${load},`, 'const ')
      .replace(`const require_seldom=${load};`, '')
      .replaceAll(/\brequire_seldom\b/g, load),
  );
}
