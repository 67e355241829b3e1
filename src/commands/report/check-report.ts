import { reviewAccess } from '../../cluster/write/access-reviews.ts';
import { GcError, usageError } from '../../errors.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import { optionalNeedsOf, splitResource } from '../../shell/command-permissions.ts';
import { parseWithin } from '../../shell/flags/parse-within.ts';
import type { Session } from '../../shell/input/session.ts';
import type { ReportFlags } from './report-flags.ts';

/** A cluster that is read more often would do little else. */
const shortestInterval = 10_000;

/** Refuses what cannot work before anything is read: flags, and writes that are not permitted. */
export async function checkReport(flags: ReportFlags, session: Session): Promise<void> {
  const { namespace, every } = flags;
  if (namespace !== undefined) {
    throw usageError('report is about the whole cluster, not about one namespace', [
      'Leave out -n.',
      suggested(
        'To print the metrics of one namespace',
        shellCommand`kubectl gc audit ${['-n', namespace]} -o prometheus`,
      ),
    ]);
  }
  const apis = [...new Set(flags['policy-reports'])];
  if (every !== undefined && parseWithin(every, '--every') < shortestInterval) {
    throw usageError(`--every "${every}" is too often`, ['Give at least 10s.']);
  }
  if (apis.length > 0) await requireAccess(apis, session);
}

/** Asks the server for each of the writes whether it is permitted everywhere: one that is not is named at once. */
async function requireAccess(options: readonly string[], session: Session): Promise<void> {
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
      suggested('To print the roles that permit it', shellCommand`kubectl gc rbac report ${more}`),
    ],
  });
}
