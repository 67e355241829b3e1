/** A top-level folder of src. */
export interface Room {
  readonly name: string;
  /** Packages from npm that it may import; `node` stands for Node's own modules. */
  readonly packages?: readonly string[];
  /** Of a room that stands beside the core: the only rooms that it may import. */
  readonly imports?: readonly string[];
  /** Files outside of the rooms that it may import. */
  readonly files?: readonly string[];
}

/**
 * The rooms of src in the order in which data flows: a file imports only its own room and rooms before it.
 * ARCHITECTURE.md shows the same line; a test keeps them equal.
 */
export const rooms: readonly Room[] = [
  { name: 'kube' },
  { name: 'syntax' },
  { name: 'command-line' },
  { name: 'snapshot' },
  { name: 'delivery' },
  { name: 'kubelet' },
  { name: 'settings' },
  { name: 'controllers' },
  { name: 'programs' },
  { name: 'simulator' },
  { name: 'files', packages: ['node', 'js-yaml'] },
  {
    name: 'cluster',
    packages: ['node', '@kubernetes/client-node', 'yaml'],
    files: ['package.json'],
  },
  { name: 'history', packages: ['node'] },
  { name: 'why', packages: ['node'] },
  { name: 'audit' },
  { name: 'deletion', packages: ['node'] },
  { name: 'restore', packages: ['node', 'age-encryption', 'yaml'] },
  { name: 'perform', packages: ['node'] },
  {
    name: 'output',
    packages: ['chalk', 'cli-table3', 'd3-hierarchy', 'jsonpath-plus', 'yaml'],
    imports: ['kube', 'syntax', 'command-line', 'snapshot'],
  },
  { name: 'questions', packages: ['hyparquet-writer'], files: ['package.json'] },
  { name: 'guard', packages: ['node'] },
  { name: 'page', imports: ['kube', 'output'] },
  {
    name: 'runner',
    packages: ['node'],
    imports: ['kube', 'settings', 'controllers', 'simulator', 'cluster'],
  },
  { name: 'library', packages: ['node'] },
  {
    name: 'try',
    imports: [
      'kube',
      'snapshot',
      'settings',
      'controllers',
      'files',
      'deletion',
      'output',
      'questions',
      'page',
    ],
  },
  {
    name: 'shell',
    packages: ['node', '@oclif/core', 'ora', 'yaml'],
    files: ['package.json', 'src/commands/index.ts'],
  },
  { name: 'commands', packages: ['node', '@modelcontextprotocol/sdk', '@oclif/core', 'zod'] },
];

/**
 * Folders whose code does no I/O and knows no clock, chance, environment or locale: the same input gives
 * the same answer on every machine.
 */
export const pureFolders: readonly string[] = [
  'audit',
  'command-line',
  'controllers',
  'deletion/plan',
  'deletion/remarks',
  'delivery',
  'kube',
  'history/compare',
  'history/deletions',
  'kubelet',
  'output',
  'programs',
  'questions',
  'restore/kinds',
  'restore/plan',
  'restore/relink',
  'settings',
  'simulator',
  'snapshot',
  'syntax',
  'why/garbage-collector',
  'why/links',
];
