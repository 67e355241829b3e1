import { findInvalidReferences } from '../../audit/invalid-references.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { encodeSettings } from '../../controllers/settings/saved-settings.ts';
import { type GcError, isGcError } from '../../errors.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { encodeNodes } from '../../kubelet/saved-nodes.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Evidence } from '../../snapshot/evidence.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { encodeAnswer, savedQueries } from '../../why/saved-answers.ts';
import { listCluster, within } from '../input/input.ts';
import type { OpenedCluster } from '../input/session.ts';
import { withProgress } from '../terminal/progress.ts';

export interface Saving {
  readonly namespace: string | undefined;
  /** Objects' metadata and nothing else. */
  readonly metadataOnly: boolean;
  /** Ask kubelets, too. */
  readonly nodes: boolean;
}

/** Reads what any command would have read of the cluster, each thing once. */
export async function readToSave(
  cluster: OpenedCluster,
  { namespace, metadataOnly, nodes }: Saving,
): Promise<Snapshot> {
  const scope = within(namespace);
  if (metadataOnly) return listCluster(cluster, scope);
  const { client, types } = cluster;
  const snapshot = await listCluster(cluster, scope, { facts: 'all' });
  return withProgress('Reading settings', async (progress) => {
    const { askingOnce } = await import('../../cluster/asking-once.ts');
    const once = askingOnce(client);
    const evidence: Evidence = {
      ...(await readSettings(once, nodes)),
      answers: await readAnswers(client, types),
    };
    const kubelets = nodes
      ? await readNodes(once, (text) => progress.update(text))
      : { evidence: {}, problems: [] };
    progress.update('Reading who set references and finalizers');
    const { loadOwnershipManagers } = await import('../../cluster/list/get-objects.ts');
    const fieldManagers = await loadOwnershipManagers(client, objectsInQuestion(snapshot));
    const { coverage } = snapshot;
    return {
      ...snapshot,
      coverage: { ...coverage, problems: [...coverage.problems, ...kubelets.problems] },
      evidence: { ...evidence, ...kubelets.evidence, fieldManagers },
    };
  });
}

/** What could not be read of settings stands among their own problems. */
async function readSettings(client: ClusterClient, kubelets: boolean): Promise<Evidence> {
  const { loadSettings } = await import('../../cluster/settings/load-settings.ts');
  return { settings: encodeSettings(await loadSettings(client, { kubelets })) };
}

async function readAnswers(client: ClusterClient, types: ResourceTypes) {
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const answer = answerFromCluster(client, types);
  return Promise.all(savedQueries.map(async (query) => encodeAnswer(query, await answer(query))));
}

/** A cluster without nodes has nothing to ask, and one whose nodes may not be listed is saved without them. */
async function readNodes(
  client: ClusterClient,
  tell: (text: string) => void,
): Promise<{ readonly evidence: Evidence; readonly problems: readonly CoverageProblem[] }> {
  const { fromNodeProxy } = await import('../../cluster/from-node-proxy.ts');
  try {
    const onProgress = (done: number, total: number) => tell(`Reading nodes: ${done} of ${total}`);
    const found = await fromNodeProxy(client, { names: [] }, { kubeletStart: true, onProgress });
    return { evidence: { nodes: encodeNodes(found) }, problems: [] };
  } catch (error) {
    if (!isGcError(error)) throw error;
    if (error.code === noNodes) return { evidence: { nodes: [] }, problems: [] };
    return { evidence: {}, problems: [nodesUnread(error)] };
  }
}

const noNodes = 'no-such-node';

function nodesUnread({ message }: GcError): CoverageProblem {
  return { reason: 'forbidden', message: `kubelets were not asked: ${message}`, resource: 'nodes' };
}

/** More than a person reads are not worth a request each. */
const mostObjects = 500;

/** Objects of which commands say who set a reference or a finalizer. */
function objectsInQuestion(snapshot: Snapshot): readonly ObjectRecord[] {
  const ending = snapshot.records.filter(
    (record) => isBeingDeleted(record) && record.finalizers.length > 0,
  );
  const wrong = findInvalidReferences(buildGraph(snapshot), () => true).flatMap(
    ({ object, reference }) => (reference ? [object] : []),
  );
  return [
    ...new Set([...ending.slice(0, mostObjects), ...[...new Set(wrong)].slice(0, mostObjects)]),
  ];
}
