import { promises as fs } from 'node:fs';
import { isOpen, mayGo } from '../../deletion/plan/going.ts';
import type { Plan, PlannedRequest } from '../../deletion/plan/plan.ts';
import { planDifference } from '../../deletion/plan/plan-difference.ts';
import { unreadOf } from '../../deletion/plan/unread-content.ts';
import { GcError, isGcError } from '../../errors.ts';
import { counted, kindsInWords } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { operands, printedCommand, shellCommand } from '../../kube/shell-command.ts';
import type { Encrypt } from '../../restore/backup/encryption.ts';
import { backupEncrypter, keyArguments } from '../backup-keys.ts';
import { showingFlag } from '../flags/apply-flags.ts';
import type { DeleteFlags, DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { type Interruption, interrupted, orInterrupted } from '../terminal/interruption.ts';
import { withProgress } from '../terminal/progress.ts';
import { warnOfGaps, writeCommand, writeErr } from '../terminal/streams.ts';
import { checkAccess } from './check-access.ts';
import { changesEnd, type LiveDeletion, type Manner, type Planned } from './planning.ts';
import { showPreview } from './print-plan.ts';
import { asksFirst, refuseDangerous, refuseUnreadSince } from './refusals.ts';
import { runPlan } from './run-plan.ts';
import type { Account } from './run-summary.ts';

/** In a script: how often to look again before the cluster is said to be too busy. */
const mostLooks = 3;

/**
 * The one way to a deletion: limits, permissions, a question on a terminal, a backup, a second look
 * at what has moved meanwhile, and then the requests, followed to their end. With a dry run on the
 * server the question, the backup and the second look are left out. Undefined: the answer was no.
 */
export async function performPlan(
  first: Planned,
  live: LiveDeletion,
  manner: Manner,
): Promise<Account | undefined> {
  const plan = await settle(first, live, manner);
  if (!plan) return undefined;
  const unread = unreadOf(plan);
  const { problems } = plan.coverage;
  warnOfGaps(problems.filter((problem) => problem.setAside || unread.includes(problem)));
  return runPlan(plan, live, manner);
}

async function settle(
  first: Planned,
  { cluster, flags, options, interruption }: LiveDeletion,
  manner: Manner,
): Promise<Plan | undefined> {
  const { look, asController = false } = manner;
  let planned = first;
  for (let round = 1; ; round++) {
    const { plan } = planned;
    const isRehearsal = options.dryRun === 'server';
    const limits = isRehearsal ? { ...flags, yes: true } : flags;
    refuseDangerous(planned, limits, options, asController ? showingFlag : '--preview');
    if (!asController) await checkAccess(plan, cluster, interruption);
    if (isRehearsal) return plan;
    const asks = asksFirst(plan, flags);
    const keeps = keepsBackup(plan, flags);
    // A wrong recipient is reported before the question.
    const encrypt = keeps ? await backupEncrypter(flags['backup-recipient']) : undefined;
    if (asks) {
      if (round === 1) await showPreview(planned, flags);
      const asked = questionOf(planned, options);
      if (!asked) writeErr('All of this is being deleted already.');
      else if (!(await confirm(asked.question, interruption, asked.word))) {
        writeErr(asController ? 'Nothing was sent.' : 'Nothing was deleted.');
        return undefined;
      }
    }
    interruption.check();
    const backup = keeps
      ? await keepBackup(plan, cluster, { directory: flags.backup, encrypt }, interruption)
      : undefined;
    // Without a question or a backup no time has passed since the plan was made.
    if (!asks && !backup) return plan;
    const again = await orInterrupted(look(planned), interruption).catch(async (error) => {
      await backup?.discard();
      throw error;
    });
    const words = movedBetween(plan, again.plan, asController);
    if (words.length === 0) {
      backup?.announce();
      return again.plan;
    }
    await backup?.discard();
    if (asks) {
      writeErr('The cluster has changed in the meantime:');
      for (const word of words) writeErr(`  ${word}`);
    } else {
      refuseUnreadSince(plan, again.plan, flags);
      if (round === mostLooks) throw neverStill(words);
    }
    planned = again;
    if (planned.plan.requests.length === 0) return planned.plan;
  }
}

/**
 * A write to a target is no change of the plan: its status is written all the time. What could be
 * read before and cannot be read now may hide what is new.
 */
function movedBetween(before: Plan, after: Plan, asController: boolean): string[] {
  const { changes, words } = planDifference(before, after);
  const known = new Set(unreadOf(before).map(({ message }) => message));
  const unread = unreadOf(after).map(({ message }) => message);
  return [
    ...words.filter((_, index) => {
      const kind = changes[index]?.kind;
      return kind !== 'changed' && !(asController && kind === 'vanished');
    }),
    ...unread.filter((message) => !known.has(message)),
  ];
}

/** More objects than this are not deleted by a single key. */
const mostByKey = 100;

/**
 * What to ask, and the word to type where a y is too easily given: the name of a Namespace or of a
 * CustomResourceDefinition, else how many objects go. What is being deleted already is not asked about,
 * unless the requests change how it ends. Undefined: nothing is left to ask.
 * @internal
 */
export function questionOf(
  { plan, snapshot }: Omit<Planned, 'targets'>,
  options: DeleteOptions,
): { readonly question: string; readonly word: string | undefined } | undefined {
  const { objects, requests } = plan;
  const leaving = new Set(
    changesEnd(options) ? [] : snapshot.records.filter(isBeingDeleted).map(({ uid }) => uid),
  );
  const all = objects.filter(mayGo);
  const going = all.filter(({ uid }) => !leaving.has(uid));
  const patched = requests.filter(({ verb }) => verb === 'patch').length;
  if (going.length === 0 && patched === 0) return undefined;
  const parts = [
    ...(going.length > 0 ? [`delete ${atLeast(plan, going.length)}`] : []),
    ...(patched > 0 ? [`change ${count(patched)}`] : []),
  ].join(' and ');
  const already = all.length - going.length;
  const note = already > 0 ? ` (${already} more being deleted already)` : '';
  const wide = requests
    .filter(({ uid, verb }) => verb === 'delete' && !leaving.has(uid))
    .filter(isWide);
  const [only, ...others] = wide;
  const isMany = going.length > mostByKey || others.length > 0;
  return {
    question: `${parts.charAt(0).toUpperCase()}${parts.slice(1)}${note}?`,
    word: isMany ? String(going.length) : only?.name,
  };
}

/** Does all that is in it go along? */
function isWide({ apiVersion, kind }: PlannedRequest): boolean {
  return (
    (kind === 'Namespace' && apiVersion === 'v1') ||
    (kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/'))
  );
}

/** What could not be read may hold more. */
function atLeast(plan: Plan, objects: number): string {
  return isOpen(plan) ? `at least ${counted(objects, 'object')}` : count(objects);
}

function count(objects: number): string {
  return objects === 1 ? 'this object' : `these ${objects} objects`;
}

function neverStill(words: readonly string[]): GcError {
  return new GcError('the cluster changes faster than it can be planned for; nothing was sent', {
    code: 'never-still',
    suggestions: [...words.slice(0, 5), 'Try again when it is quieter, or without a backup.'],
  });
}

/** A backup that was written, and how to take it back when nothing is deleted after all. */
interface KeptBackup {
  /** Says where it is and how it is brought back, once it is known to stay. */
  announce(): void;
  discard(): Promise<void>;
}

/** Is what a plan lets go to be saved? When asked to, or when more than one object can go. */
function keepsBackup(plan: Plan, flags: DeleteFlags): boolean {
  const going = plan.objects.filter(mayGo);
  if (flags['no-backup'] || going.length === 0) return false;
  return flags.backup !== undefined || going.length > 1 || isOpen(plan);
}

/** Saves what a plan lets go. What cannot be saved is not deleted. */
async function keepBackup(
  plan: Plan,
  { client, types, place }: OpenedCluster,
  to: { readonly directory: string | undefined; readonly encrypt: Encrypt | undefined },
  interruption: Interruption,
): Promise<KeptBackup> {
  const { encrypt } = to;
  const { writeBackup } = await import('../../restore/backup/write-backup.ts');
  const directory = to.directory ?? (await defaultDirectory(plan));
  const { objects, problems, unread } = await withProgress('Writing a backup', (progress) =>
    writeBackup(plan, client, types, {
      directory,
      encrypt,
      signal: interruption.signal,
      onProgress: ({ done, total }) =>
        progress.update(`Writing a backup: ${done} of ${total} objects`),
    }),
  ).catch((error) => {
    throw isGcError(error) && error.code === 'interrupted' ? interrupted() : error;
  });
  const discard = () => fs.rm(directory, { recursive: true });
  if (problems.length > 0) {
    await discard();
    throw incomplete(problems.map(({ message }) => message));
  }
  const announce = () => {
    const what = encrypt ? 'Encrypted backup' : 'Backup';
    writeErr(`${what} of ${counted(objects, 'object')}: ${directory}`);
    const holes = unread.map(({ resource, apiVersion }) => resource ?? apiVersion);
    if (holes.length > 0) {
      const kinds = kindsInWords([...new Set(holes.map(String))]);
      writeErr(
        `Warning: it is incomplete: ${kinds} could not be read, and those that are deleted are not in it`,
      );
    }
    const key = keyArguments(encrypt);
    const restore = shellCommand`kubectl gc restore ${key} ${operands(directory)}`;
    writeCommand(`To bring back what was deleted: ${printedCommand(restore, place)}`);
  };
  return { announce, discard };
}

async function defaultDirectory({ requests }: Plan): Promise<string> {
  const { defaultBackupDirectory } = await import('../../restore/backup/backup-directory.ts');
  return defaultBackupDirectory(new Date(), requests);
}

function incomplete(messages: readonly string[]): GcError {
  const what = counted(messages.length, 'object');
  return new GcError(`${what} could not be saved to the backup; nothing was sent`, {
    code: 'incomplete-backup',
    suggestions: [...messages.slice(0, 5), 'To delete without a backup: --no-backup.'],
  });
}
