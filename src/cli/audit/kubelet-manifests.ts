import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SeenKubelets } from '../../audit/rules/audit-rule.ts';
import { bareRecord, type ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

const noName = 'the KubeletConfiguration has no name';

const type: ResourceType = {
  group: 'kubelet.config.k8s.io',
  version: 'v1beta1',
  kind: 'KubeletConfiguration',
  resource: 'kubeletconfigurations',
  singular: 'kubeletconfiguration',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: [],
};

export interface KubeletManifests {
  readonly kubelets: SeenKubelets;
  /** The problems of reading without those about these files. */
  readonly problems: readonly CoverageProblem[];
}

/** The KubeletConfigurations among files: they have no name, and so are no objects of a cluster. */
export async function kubeletManifests({ coverage }: Snapshot): Promise<KubeletManifests> {
  const read: { readonly object: ObjectRecord; readonly configuration: unknown }[] = [];
  const problems: CoverageProblem[] = [];
  for (const problem of coverage.problems) {
    const { path, line, message } = problem;
    const configuration =
      path !== undefined && line !== undefined && message.endsWith(noName)
        ? await documentAt(path, line)
        : undefined;
    if (path === undefined || line === undefined || configuration === undefined) {
      problems.push(problem);
    } else {
      read.push({ object: recordAt(path, line), configuration });
    }
  }
  return { kubelets: { read, unread: [] }, problems };
}

/** What stands at a line of a file, if that can be read once more. */
async function documentAt(path: string, line: number): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { parseAllDocuments } = await import('yaml');
  const start = text.split('\n', line - 1).join('\n').length;
  const documents = [...parseAllDocuments(text)].filter(
    ({ errors, range }) => errors.length === 0 && (range?.[1] ?? 0) > start,
  );
  const value: unknown = documents[0]?.toJS();
  const { kind } = Object(value) as { readonly kind?: unknown };
  return kind === type.kind ? value : undefined;
}

function recordAt(path: string, line: number): ObjectRecord {
  return {
    ...bareRecord({ type, namespace: '', name: basename(path) }),
    place: { path, line },
  };
}
