import type { ClusterClient } from '../../client/cluster-client.ts';
import { answerFromSnapshot } from '../../diagnosis/answer-from-snapshot.ts';
import { diagnose, type Subject } from '../../diagnosis/diagnose.ts';
import type { Query } from '../../diagnosis/evidence.ts';
import type { Answer, Inquiry } from '../../diagnosis/inquiry.ts';
import { investigate } from '../../diagnosis/investigate.ts';
import type { Link } from '../../diagnosis/link.ts';
import { usageError } from '../../errors.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { timeOf } from '../clock.ts';
import type { CommonFlags } from '../flags.ts';
import { type OpenedCluster, openCluster, openFiles } from '../input.ts';
import { startProgress } from '../progress.ts';
import { selectObjects } from '../select-objects.ts';
import { type NamedTarget, noted, targetsOf } from '../targets.ts';

type Flags = CommonFlags & { readonly filename?: readonly string[] | undefined };

export interface WhyAnswer {
  readonly chains: readonly Link[];
  readonly problems: readonly CoverageProblem[];
  /** RFC 3339. */
  readonly observedAt: string;
  /** Asks again; undefined offline. */
  readonly cluster: OpenedCluster | undefined;
}

/** Diagnoses the named objects; the connection is open while `use` runs. */
export async function withWhy<T>(
  args: readonly string[],
  flags: Flags,
  use: (answer: WhyAnswer) => Promise<T>,
): Promise<T> {
  const targetsIn = await targetsOf(args, flags);
  const now = timeOf(flags)?.getTime();
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const { observedAt, types, coverage } = snapshot;
    const targets = noted(targetsIn(types));
    const subjects = selectObjects(snapshot, {
      targets,
      namespace: flags.namespace,
      selectors: {},
    });
    const known = { types, origin: 'files' as const, now: now ?? Date.parse(observedAt) };
    const { chains } = await chainsOf(known, subjects, answerFromSnapshot(snapshot));
    return use({ chains, problems: coverage.problems, observedAt, cluster: undefined });
  }
  const cluster = await openCluster(flags);
  const progress = startProgress('Following the chain');
  try {
    const subjects = noted(targetsIn(cluster.types)).map((target) =>
      subjectOf(cluster.client, target),
    );
    const { answerFromCluster } = await import(
      '../../sources/cluster/evidence/answer-from-cluster.ts'
    );
    const known = { types: cluster.types, origin: 'cluster' as const, now };
    const answer = answerFromCluster(cluster.client, cluster.types);
    const { chains, readAt } = await chainsOf(known, subjects, answer);
    progress.stop();
    return await use({ chains, problems: [], observedAt: readAt, cluster });
  } finally {
    progress.stop();
    cluster.client.close();
  }
}

async function chainsOf(
  known: Pick<Inquiry, 'types' | 'origin'> & { readonly now: number | undefined },
  subjects: readonly Subject[],
  answer: (query: Query) => Promise<Answer> | Answer,
) {
  const diagnosis = (inquiry: Inquiry) => subjects.map((subject) => diagnose(inquiry, subject));
  const { finding, readAt } = await investigate(known, diagnosis, answer);
  return { chains: finding, readAt };
}

function subjectOf(
  client: ClusterClient,
  { type, name, namespace = client.namespace }: NamedTarget,
): Subject {
  if (name === undefined) {
    throw usageError(
      'no-name',
      'resource(s) were provided, but no name was specified',
      'why looks at single objects: name each as TYPE/NAME.',
    );
  }
  return { type, namespace: type.namespaced ? namespace : '', name };
}
