/** What the lines of commands are about. */
export interface Asked {
  /** A file of objects, and an earlier one of the same cluster. */
  readonly file: string;
  readonly before: string;
  /** `TYPE/NAME` of an object, of one that has an owner, and of one that is being deleted; all in one namespace. */
  readonly object: string;
  readonly owned: string;
  readonly ending: string;
  readonly namespace: string;
  /** Saved output of a node, and a folder of backups. */
  readonly node?: string;
  readonly backups: string;
}

/**
 * Lines of each command that prints a document: the tests that go through all commands take theirs from here, and fail
 * where a command has none.
 */
export function commandLines({
  file,
  before,
  object,
  owned,
  ending,
  namespace,
  node = 'examples/nodes/worker-1.txt',
  backups,
}: Asked): Readonly<Record<string, readonly (readonly string[])[]>> {
  const from = ['--from', file, '--complete', '--now', '2026-01-31T12:00:00Z'];
  const inNamespace = ['-n', namespace];
  return {
    audit: [['audit', ...from]],
    backups: [['backups', backups]],
    containers: [['containers', '--from', node]],
    deleted: [
      ['deleted', '-A', '--before', file, '--after', before],
      ['deleted', ending, ...inNamespace, '--before', file, '--after', before],
    ],
    delete: [
      ['delete', object, ...inNamespace, '--preview', ...from],
      ['delete', object, ...inNamespace, '--compare', ...from],
      ['delete', '-f', file, ...inNamespace, '--dry-run=client', ...from],
    ],
    forecast: [['forecast', ...from]],
    images: [['images', '--from', node]],
    'invalid-ownerrefs': [['invalid-ownerrefs', '-A', ...from]],
    orphans: [
      ['orphans', '-A', '--show-labels', ...from],
      ['orphans', '-A', '--unmanaged', ...from],
    ],
    owners: [['owners', owned, ...inNamespace, ...from]],
    'podgc-preview': [['podgc-preview', ...from]],
    policies: [['policies', '--from', 'test/fixtures/policies']],
    rbac: [['rbac', 'status']],
    restore: [
      ['restore', '--from', file, '--against', before, '--preview'],
      ['restore', '--from', file, '--against', before, '--dry-run=client'],
    ],
    settings: [['settings', '--settings', 'examples/settings/kube-controller-manager.yaml']],
    simulate: [['simulate', '--delete', object, ...inNamespace, ...from]],
    'snapshot:diff': [['snapshot', 'diff', before, file]],
    'snapshot:info': [['snapshot', 'info', file]],
    status: [
      ['status', ...from],
      ['status', ...inNamespace, ...from],
    ],
    tree: [['tree', object, ...inNamespace, ...from]],
    version: [['version']],
    why: [
      ['why', ending, ...inNamespace, ...from],
      ['why', '-A', ...from],
    ],
  };
}
