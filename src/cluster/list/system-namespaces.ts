import type { ListedKind } from './list-kind.ts';

/** The API server creates these itself, and lets nobody delete them. */
const everywhere = ['default', 'kube-system'];

/**
 * A list of all namespaces in which one of those is missing that every cluster has is not whole: a
 * proxy may filter it, or something else answers. What it does not show may then exist, and so it
 * counts as not read. Mirrors the system namespaces controller, kubernetes
 * pkg/controlplane/controller/systemnamespaces.
 */
export function withSystemNamespaces(listed: ListedKind): ListedKind {
  const { records, read, problems } = listed;
  if (read?.resource !== 'namespaces' || read.namespaces !== undefined) return listed;
  const names = new Set(records.map(({ name }) => name));
  const missing = everywhere.filter((name) => !names.has(name));
  if (missing.length === 0) return listed;
  const message = `the list of namespaces is not whole: every cluster has ${everywhere.join(' and ')}, and it lacks ${missing.join(' and ')}, so other objects may be missing too`;
  return {
    ...listed,
    read: undefined,
    problems: [
      ...problems,
      { reason: 'truncated', message, resource: 'namespaces', apiVersion: 'v1' },
    ],
  };
}
