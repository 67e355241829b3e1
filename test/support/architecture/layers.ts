/** What a folder of src may import. A folder may always import itself and errors.ts. */
export interface Layer {
  /** Folders of src, or single files by their path. */
  readonly below: readonly string[];
  /** Packages from npm; `node` stands for Node's own modules. */
  readonly packages: readonly string[];
  /** Pure: no I/O, no clock, no randomness, no environment, nothing that depends on the locale. */
  readonly pure: boolean;
}

const objects = ['kube', 'snapshot'];
const inputs = [...objects, 'settings', 'finalizers', 'kubelet', 'graph'];
const decisions = [...inputs, 'collectors', 'simulator', 'rules', 'diagnosis', 'audit'];
const documents = [...decisions, 'reports', 'plan', 'backup'];

/** The folders of src, lowest first. ARCHITECTURE.md shows the same table; a test keeps them equal. */
export const layers: Readonly<Record<string, Layer>> = {
  kube: pure([]),
  snapshot: pure(['kube']),
  finalizers: pure(['kube']),
  kubelet: pure(objects),
  settings: pure([...objects, 'kubelet']),
  graph: pure(objects),
  collectors: pure(inputs),
  simulator: pure([...inputs, 'collectors']),
  rules: pure([...inputs, 'collectors']),
  diagnosis: pure([...inputs, 'collectors', 'rules']),
  audit: pure([...inputs, 'collectors', 'rules', 'diagnosis']),
  reports: pure(decisions),
  plan: pure([...decisions, 'reports']),
  backup: pure([...decisions, 'reports', 'plan'], ['yaml']),
  reporters: pure(documents, ['chalk', 'cli-table3', 'yaml']),
  client: withEffects(['kube', 'package.json'], ['node', '@kubernetes/client-node', 'yaml']),
  sources: withEffects(
    [...objects, 'settings', 'finalizers', 'kubelet', 'diagnosis', 'simulator', 'backup', 'client'],
    ['node', 'yaml'],
  ),
  executor: withEffects(
    [...objects, 'simulator', 'diagnosis', 'reports', 'plan', 'backup', 'sources', 'client'],
    ['node'],
  ),
  cli: withEffects(
    [
      ...documents,
      'reporters',
      'client',
      'sources',
      'executor',
      'src/commands/index.ts',
      'package.json',
    ],
    ['node', '@oclif/core', 'ora', 'yaml'],
  ),
  commands: withEffects([...documents, 'reporters', 'sources', 'executor', 'cli'], ['@oclif/core']),
};

function pure(below: readonly string[], packages: readonly string[] = []): Layer {
  return { below, packages, pure: true };
}

function withEffects(below: readonly string[], packages: readonly string[]): Layer {
  return { below, packages, pure: false };
}
