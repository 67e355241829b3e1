import { Clearance } from '../../cluster/write/clearance.ts';
import { apiVersionOf, printedKindOf } from '../../kube/resource-type.ts';
import { encodedName, printedText } from '../../output/printable.ts';
import { uidOfUnseen } from '../../perform/delete-unseen.ts';
import type { Failure } from '../../perform/failure.ts';
import { isProtected } from '../../perform/limits.ts';
import { deleteByUid, rehearseDelete } from '../../perform/send/send-delete.ts';
import { wantsDocument } from '../../shell/flags/delete-options.ts';
import { type Deletion, limitsOf } from '../../shell/plan/planning.ts';
import { deletedLine } from '../../shell/plan/run-lines.ts';
import { confirm, isInteractive } from '../../shell/terminal/confirm.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import type { DeleteOutcome } from './outcome.ts';
import type { DeletionTarget } from './targets/targets-of-files.ts';

/** `--interactive`: kubectl's list and question on stdout, its answer from stdin, on a terminal or not. */
export async function confirmAsKubectl(
  targets: readonly DeletionTarget[],
  outcome: DeleteOutcome,
): Promise<boolean> {
  for (const target of targets) if (target.failure) outcome.fail(target.failure, target);
  // A person cannot confirm what could not be read.
  if (outcome.failed) return false;
  const names = targets.map(
    ({ type, name }) => `${encodedName(`${printedKindOf(type)}/${name}`)}\n`,
  );
  const question = `You are about to delete the following ${targets.length} resource(s):\n${names.join('')}Do you want to continue? (y/N): `;
  await writeOut(printedText(question));
  const line = await firstLine();
  if (line !== undefined && /^\s*y[ \t\r]*$/i.test(line)) return true;
  await writeOut(printedText('deletion is cancelled\n'));
  return false;
}

/** Undefined when stdin ends before a line does. */
async function firstLine(): Promise<string | undefined> {
  if (process.stdin.readableEnded) return undefined;
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
    process.stdin.unref?.();
  }
}

/** kubectl's dry runs: on the client names are not even looked up, on the server all is sent. */
export async function dryRun(
  targets: readonly DeletionTarget[],
  { cluster, flags, options }: Deletion,
  outcome: DeleteOutcome,
): Promise<void> {
  for (const target of targets) {
    const asks = !target.failure && options.dryRun === 'server';
    const { failure } = asks ? await rehearseDelete(cluster.client, target, options) : target;
    if (failure) outcome.fail(failure, target);
    else await writeOut(printedText(deletedLine(target, options, flags.output)));
  }
}

/** May be deleted and not be read: it is in no plan. The uid is what a rehearsal has shown. */
type UnseenTarget = DeletionTarget & {
  readonly uid: string;
  readonly clearance: Clearance<'deletion'>;
};

/**
 * Deals with what no plan is made for; answers what is left to plan, and what is to be deleted unseen. Throws where a limit
 * refuses that: nothing was sent.
 */
export async function withoutSpecial(
  gotten: readonly DeletionTarget[],
  deletion: Deletion,
  outcome: DeleteOutcome,
): Promise<{ seen: readonly DeletionTarget[]; unseen: readonly UnseenTarget[] }> {
  const { flags } = deletion;
  // Of what may not be looked at there is no plan, so a preview has nothing to rehearse.
  const plansOnly = wantsDocument(flags) || flags.plan !== undefined;
  const unseen: UnseenTarget[] = [];
  for (const each of gotten) {
    if (!each.failure) continue;
    // It is there, and may not be looked at.
    const isForbidden = each.failure.status?.code === 403;
    if (!isForbidden || plansOnly) {
      outcome.fail(each.failure, each);
      continue;
    }
    const agreed = await agreedUnseen(each, each.failure, deletion, outcome);
    if (agreed) unseen.push({ ...each, ...agreed });
  }
  const seen = flags.all ? await withoutProtected(gotten, deletion, outcome, plansOnly) : gotten;
  return { seen, unseen };
}

/** The clearance to delete what may not be read, once that was agreed to; undefined where it is not deleted. */
async function agreedUnseen(
  target: DeletionTarget,
  unread: Failure,
  { cluster, flags, options, signal }: Deletion,
  outcome: DeleteOutcome,
): Promise<Pick<UnseenTarget, 'uid' | 'clearance'> | undefined> {
  const limits = limitsOf(flags, options);
  const found = await uidOfUnseen(cluster.client, target, unread, options, limits);
  if ('failure' in found) {
    outcome.fail(found.failure, target);
    return undefined;
  }
  const { uid, refusals } = found;
  const what = `${printedKindOf(target.type)}/${target.name}`;
  writeErr(`Warning: ${what} cannot be looked at: no backup of it is kept`);
  const question = `Delete ${what}, which could not be read, and all that is deleted with it?`;
  const asks = !flags.yes && isInteractive();
  if (asks && !(await confirm(question, signal, target.name))) {
    writeErr(`${what} is not deleted.`);
    return undefined;
  }
  const agreed = flags.yes ? 'flag' : asks ? 'question' : 'command';
  const grounds = { uids: [uid], refusals, agreed, saved: 'unread' } as const;
  return { uid, clearance: Clearance.grant('deletion', grounds) };
}

/** Deletes what could not be read, by uid. It is not followed. */
export async function deleteUnseen(
  unseen: readonly UnseenTarget[],
  { cluster, flags, options, signal }: Deletion,
  outcome: DeleteOutcome,
): Promise<void> {
  for (const target of unseen) {
    if (signal.aborted) {
      outcome.ended = 'interrupted';
      outcome.fail({ message: `${target.name} was not deleted: the run was interrupted` }, target);
      continue;
    }
    const { uid, clearance } = target;
    const deleting = deleteByUid(cluster.client, clearance, target, options, uid);
    const { failure, mayBeDone } = await deleting;
    if (!failure || mayBeDone) outcome.accepted += 1;
    if (failure) outcome.fail(failure, target);
    else await writeOut(printedText(deletedLine(target, options, flags.output)));
  }
}

/**
 * `namespace --all` means all that may be deleted: kubectl sends every request, and the server refuses
 * default, kube-system and kube-public. Here a rehearsal asks it, since a server may be set up to refuse
 * nothing; these three are skipped also where it would accept them. Returns the rest.
 */
async function withoutProtected(
  gotten: readonly DeletionTarget[],
  { cluster, flags, options }: Deletion,
  outcome: DeleteOutcome,
  plansOnly: boolean,
): Promise<readonly DeletionTarget[]> {
  const isSpared = ({ type, namespace, name, record }: DeletionTarget) =>
    record !== undefined &&
    !flags['allow-protected'] &&
    isProtected({ kind: type.kind, apiVersion: apiVersionOf(type), namespace, name }) &&
    !type.namespaced;
  for (const target of gotten.filter(isSpared)) {
    const left = `${printedKindOf(target.type)} "${target.name}" is protected and left alone; --allow-protected deletes it, too`;
    if (plansOnly) writeErr(`Note: ${left}`);
    else {
      const { failure } = await rehearseDelete(cluster.client, target, options);
      outcome.fail(failure ?? { message: left }, target);
    }
  }
  return gotten.filter((one) => !isSpared(one));
}
