import { shellCommand, suggested } from '../../../command-line/shell-command.ts';
import { isEvicted } from '../../../controllers/pod-gc/pass.ts';
import { usageError } from '../../../errors.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../../kube/resource-type.ts';
import { finishedCondition, isPodTerminal } from '../../../kube/well-known-kinds.ts';
import type { DeleteFlags } from '../../../shell/flags/delete-options.ts';
import { parseWithin } from '../../../shell/flags/flag-kinds.ts';

type EndedFlags = Pick<DeleteFlags, 'evicted' | 'finished' | 'older-than'>;

/** Which pods and Jobs have ended, and long enough ago. */
export interface EndedSelector {
  /** Throws GcError (usage) for a kind that does not end. */
  check(type: ResourceType): void;
  /**
   * `now`: epoch milliseconds. Throws GcError (usage) where status was not read. What has ended never runs again, so
   * that a selected object stays one that is meant.
   */
  matches(record: ObjectRecord, now: number): boolean;
}

/** What `--evicted`, `--finished` and `--older-than` select; undefined without them. Throws GcError (usage). */
export function endedSelectorOf(flags: EndedFlags): EndedSelector | undefined {
  const { evicted, finished, 'older-than': olderThan } = flags;
  const least = olderThan === undefined ? 0 : parseWithin(olderThan, '--older-than');
  if (!evicted && !finished) {
    if (olderThan === undefined) return undefined;
    throw usageError(
      '--older-than counts from the end of what has ended, and nothing says which objects these are',
      ['Add --finished, or --evicted for evicted pods only.'],
    );
  }
  const resources = finished ? ['pods', 'jobs.batch'] : ['pods'];
  return {
    check(type) {
      if (resources.includes(groupResourceOf(type))) return;
      throw usageError(
        `${finished ? '--finished' : '--evicted'} selects ${finished ? 'pods and jobs' : 'pods'}, and not ${groupResourceOf(type)}`,
        [suggested('For example', shellCommand`kubectl gc delete pods --finished`)],
      );
    },
    matches(record, now) {
      if (record.facts === undefined) {
        throw usageError(`of ${record.type.kind} ${record.name} only metadata was read`, [
          'Ask the cluster, or give the objects in full, as get -o yaml prints them.',
        ]);
      }
      const isJob = record.type.kind === 'Job';
      const hasEnded = isJob ? finishedCondition(record) !== undefined : isPodTerminal(record);
      const isMeant = finished ? hasEnded : isEvicted(record);
      return isMeant && now - lastSignOf(record) >= least;
    },
  };
}

/** The last time in the status, which is no earlier than the end; else the time of creation. */
function lastSignOf({ facts, creationTimestamp }: ObjectRecord): number {
  const changes = facts?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime) ?? [];
  const times = [creationTimestamp, facts?.startTime, ...changes].map((time = '') =>
    Date.parse(time),
  );
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...known);
}
