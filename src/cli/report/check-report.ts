import { GcError, usageError } from '../../errors.ts';
import { shellCommand } from '../../kube/shell-command.ts';
import { parseWithin } from '../flags/parse-within.ts';
import type { ReportFlags } from '../flags/report-flags.ts';
import type { Session } from '../input/session.ts';
import { optionalNeedsOf, splitResource } from '../permissions/command-permissions.ts';
import { addressOfPush } from './publish.ts';

/** A cluster that is read more often would do little else. */
const shortestInterval = 10_000;

/** Refuses what cannot work before anything is read: flags, and writes that are not permitted. */
export async function checkReport(flags: ReportFlags, session: Session): Promise<void> {
  const { from, namespace, serve, every, now } = flags;
  if (namespace !== undefined) {
    throw usageError(
      'whole-cluster',
      'report is about the whole cluster, not about one namespace',
      'Leave out -n; kubectl gc audit -n prints the metrics of one namespace with -o prometheus.',
    );
  }
  const writes = writesOf(flags);
  const live = serve !== undefined ? ['--serve', ...writes.flags] : writes.flags;
  if (from && live.length > 0) {
    throw usageError(
      'not-for-files',
      `${live.join(' and ')} ${live.length === 1 ? 'is' : 'are'} for a cluster, and --from reads files`,
      'Of files the metrics can be printed, written with --metrics-file and pushed with --push-to.',
    );
  }
  if (serve !== undefined && now !== undefined) {
    throw usageError('fixed-clock', '--now stands still, and --serve goes on: use one of them');
  }
  if (every !== undefined && parseWithin(every, '--every') < shortestInterval) {
    throw usageError('invalid-duration', `--every "${every}" is too often`, 'Give at least 10s.');
  }
  if (flags['push-to'] !== undefined) await addressOfPush(flags['push-to'], flags);
  if (writes.options.length > 0) await requireAccess(writes.options, session);
}

/** The options of the roles that permit what is asked, and the flags that ask it. */
function writesOf({ 'policy-reports': apis, events }: ReportFlags) {
  const names = [...new Set(apis)];
  return {
    options: [...names, ...(events ? ['events'] : [])],
    flags: [...(names.length > 0 ? ['--policy-reports'] : []), ...(events ? ['--events'] : [])],
  };
}

/** Asks the server for each of the writes whether it is permitted everywhere: one that is not is named at once. */
async function requireAccess(options: readonly string[], session: Session): Promise<void> {
  const { reviewAccess } = await import('../../cluster/write/access-reviews.ts');
  const client = await session.client();
  const asked = optionalNeedsOf('report', options).flatMap(({ verbs, on }) =>
    [on].flat().map((one) => ({ verbs, one })),
  );
  const denied = await Promise.all(
    asked.map(async ({ verbs, one }) => {
      const answers = verbs.map(async (verb) => {
        const resourceAttributes = { verb, ...splitResource(one) };
        const { allowed } = await reviewAccess(client, { resourceAttributes });
        // Where the review itself failed, the server decides request by request.
        return allowed === false ? [verb] : [];
      });
      const refused = (await Promise.all(answers)).flat();
      return refused.length === 0 ? [] : [`${refused.join()} ${one}`];
    }),
  );
  const missing = denied.flat();
  if (missing.length === 0) return;
  const more = options.flatMap((option) => ['--with', option]);
  throw new GcError(`it is not permitted to ${missing.join(', ')}`, {
    code: 'not-permitted',
    suggestions: [
      `To print the roles that permit it: ${shellCommand`kubectl gc rbac report ${more}`}`,
    ],
  });
}
