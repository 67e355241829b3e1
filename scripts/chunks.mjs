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
  command: [
    'shell/oclif/package-json',
    'shell/oclif/gc-command',
    'shell/input/open-objects',
    'snapshot/graph/graph',
    // What tables share with deletions, which draw none.
    'delivery/unread-entries',
    'snapshot/graph/kinds-not-in-input',
    'snapshot/snapshot',
    'kube/pod-use',
    'kube/time',
    'settings/enabled-controllers',
    // How documents of our own are read: a deletion reads plans, and no other file.
    'snapshot/coverage-part',
    // Senders name what they have cleared before they connect.
    'cluster/write/clearance',
  ],
  connect: ['cluster/connection/connect', 'cluster/connection/secure-options'],
  cluster: ['cluster/list/discover', 'cluster/from-cluster', 'cluster/list/look-up-owners'],
  files: ['files/from-files'],
  table: ['questions/owners/text'],
};

/**
 * Moments of larger commands, each of which comes after those before it: a module that several need is in the chunk of
 * the first. Chunks load each other, so what `brief` commands need is in none of these.
 */
const laterMoments = {
  // What those who delete, and those who decide, share.
  decisions: ['kube/leader-lease', 'controllers/pod-gc/pass', 'deletion/plan/plan-totals'],
  settings: [
    'controllers/cluster-view',
    'kube/leader-lease',
    'settings/controller-settings',
    'settings/settings-table',
  ],
  finalizers: [
    'programs/program-life',
    'programs/known-finalizers',
    'programs/traces',
    'audit/cycles',
  ],
  controllers: ['controllers/registry'],
  simulation: ['simulator/simulate', 'simulator/simulation-input'],
  // What forecasts share with deletions and diagnoses, which need much more.
  forecast: [
    'shell/settings/find-settings',
    'simulator/forecast/forecast-actions',
    'deletion/plan/proven-refusals',
  ],
  flags: ['shell/flags/delete-options', 'shell/flags/apply-flags', 'shell/flags/delete-flags'],
  change: ['shell/terminal/confirm', 'shell/terminal/interruption'],
  writing: ['cluster/write/access-reviews'],
  documents: ['files/own-document', 'files/write-whole'],
  deletion: ['commands/delete/delete'],
  performing: ['commands/delete/delete-on-cluster'],
  planning: ['shell/plan/plan-within'],
};

const brief = ['commands/owners', 'commands/tree'];

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

/** One chunk for the modules that the same moments need; rolldown divides all others by who imports them. */
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
  const needing = new Map();
  for (const [moment, names] of Object.entries(moments)) {
    for (const module of loadedFor(names)) {
      needing.set(module, [...(needing.get(module) ?? []), moment]);
    }
  }
  const chunks = new Map([...needing].map(([module, all]) => [module, chunkFor(all)]));
  const ofBrief = loadedFor(brief);
  for (const [moment, names] of Object.entries(laterMoments)) {
    for (const module of loadedFor(names)) {
      if (!ofBrief.has(module) && !chunks.has(module)) chunks.set(module, `for-${moment}`);
    }
  }
  return chunks;
}

/** Small chunks that several moments share are one: it is loaded by nearly every run. */
function chunkFor(needing) {
  const [first] = needing;
  const all = needing.join('-');
  const isOwn = needing.length === 1 || all === 'line-completion' || all === 'cluster-files';
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
