import { rm } from 'node:fs/promises';
import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import { fetchManifests } from '../../cluster/list/fetch-manifests.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import {
  type CommandPlace,
  operands,
  printedCommand,
  shellCommand,
} from '../../command-line/shell-command.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import { errorMessage, GcError, isGcError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { Json } from '../../kube/json-value.ts';
import { interrupted, orInterrupted } from '../../perform/interrupted.ts';
import { defaultBackupDirectory } from '../../restore/backup/backup-directory.ts';
import { backupEncrypter, keyArguments } from '../../restore/backup/encryption.ts';
import { writeBackup } from '../../restore/backup/write-backup.ts';
import { fewestFlags } from '../../restore/plan/not-restored.ts';
import { applyFixStep, type FixResult } from '../../why/fix/apply-fix.ts';
import { type SentFix, undoneBy } from '../../why/fix-request.ts';
import type { DryRun } from '../flags/flag-kinds.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm, refuseUnaskedFix } from '../terminal/confirm.ts';
import { writeCommand, writeErr, writeWhole } from '../terminal/streams.ts';
import { fixDiff } from './fix-diff.ts';

export interface FixOptions {
  readonly yes: boolean;
  readonly dryRun: DryRun;
  readonly signal: AbortSignal;
}

interface Words {
  readonly line: (step: SentFix, result: FixResult, dryRun: boolean) => string;
  readonly question: (count: number) => string;
  readonly declined: string;
}

/**
 * Rehearses every step on the server, shows what changes and asks, keeps how it was, then sends once those
 * that the server would take.
 * Answers how many were sent and taken, how many were refused at one time or the other, and what the server said
 * last.
 */
export async function sendFixes(
  cluster: OpenedCluster,
  steps: readonly SentFix[],
  { yes, dryRun, signal }: FixOptions,
  { line, question, declined }: Words,
) {
  if (dryRun === 'none') refuseUnaskedFix(yes);
  if (dryRun === 'client') {
    await orInterrupted(showFixes(cluster, steps, signal), signal, 'Nothing was changed.');
    writeErr('Nothing was changed (--dry-run=client).');
    return { sent: 0, refused: 0, last: undefined };
  }
  const onlyRehearses = dryRun === 'server';
  const rehearsed: SentFix[] = [];
  const unchanged = 'Nothing was changed.';
  const send = { client: cluster.client, onlyRehearses, line, signal };
  const rehearsal = sendSteps(steps, undefined, rehearsed, send);
  const last = await orInterrupted(rehearsal, signal, unchanged);
  if (onlyRehearses || !yes)
    await orInterrupted(showFixes(cluster, rehearsed, signal), signal, unchanged);
  const unsent = { sent: 0, refused: steps.length - rehearsed.length, last };
  if (onlyRehearses) writeErr('Nothing was changed (--dry-run=server).');
  if (onlyRehearses || rehearsed.length === 0) return unsent;
  if (!yes && !(await confirm(question(rehearsed.length), signal))) {
    writeErr(declined);
    return unsent;
  }
  const backup = await backUpBefore(cluster, rehearsed, signal);
  const clearance = Clearance.grant('fix', {
    uids: rehearsed.map(({ object }) => object.uid),
    agreed: yes ? 'flag' : 'question',
    saved: backup.versions,
  });
  const sent: SentFix[] = [];
  let isCertain = false;
  try {
    const latest = await sendSteps(rehearsed, clearance, sent, send);
    isCertain = true;
    return { sent: sent.length, refused: steps.length - sent.length, last: latest };
  } finally {
    await reportUndo(backup, sent, isCertain, cluster.place);
  }
}

interface Sending extends Pick<FixOptions, 'signal'>, Pick<Words, 'line'> {
  readonly client: OpenedCluster['client'];
  readonly onlyRehearses: boolean;
}

/**
 * Rehearses the steps, or sends them with a clearance, and collects in `taken` those that were taken. After Ctrl-C nothing more is sent.
 * Answers what the server said last.
 */
async function sendSteps(
  steps: readonly SentFix[],
  clearance: Clearance<'fix'> | undefined,
  taken: SentFix[],
  { client, onlyRehearses, line, signal }: Sending,
): Promise<FixResult['outcome'] | undefined> {
  let last: FixResult['outcome'] | undefined;
  for (const step of steps) {
    const result = await applyFixStep(client, step, clearance, { signal });
    // A rehearsal that was ended says nothing.
    if (!clearance && signal.aborted) break;
    last = result.outcome;
    writeErr(line(step, result, !clearance));
    const isUnknown = result.outcome === 'not-rehearsed' && !onlyRehearses;
    if (result.outcome === 'applied' || isUnknown) taken.push(step);
    if (signal.aborted) break;
    if (result.error !== undefined) throw result.error;
  }
  if (signal.aborted) throw interrupted('Nothing was changed but what the lines above say.');
  return last;
}

async function showFixes(
  { client, types }: OpenedCluster,
  steps: readonly SentFix[],
  signal: AbortSignal,
): Promise<void> {
  const manifests = new Map<string, Json>();
  const wanted = steps.flatMap(({ object }) => {
    const type = types.find(object.apiVersion, object.kind);
    return type ? [{ object, type }] : [];
  });
  const take: Parameters<typeof fetchManifests>[2] = async (fetched) => {
    if (!('manifest' in fetched)) return;
    const { uid } = fetched.wanted.object;
    if (fetched.manifest.metadata.uid === uid) manifests.set(uid, { ...fetched.manifest });
  };
  await fetchManifests(client, wanted, take, { signal });
  for (const step of steps) {
    const manifest = manifests.get(step.object.uid);
    if (manifest) for (const line of await fixDiff(step, manifest)) writeErr(line);
  }
}

/** Saves the objects as they are; throws where one cannot be saved. */
async function backUpBefore(
  { client, types }: OpenedCluster,
  steps: readonly SentFix[],
  signal: AbortSignal,
) {
  const directory = defaultBackupDirectory(
    new Date(),
    steps.map(({ object }) => ({ kind: `fix-${object.kind}`, name: object.name })),
  );
  const plan = asPlan(steps, await clusterIdentity(client));
  const encrypt = await backupEncrypter(undefined);
  const options = { directory, encrypt, signal, isOfFix: true };
  // If the backup cannot be written, no part of it remains.
  const { problems, returning, versions } = await writeBackup(plan, client, types, options).catch(
    (error: unknown) => {
      if (!isGcError(error)) throw notSaved([errorMessage(error)]);
      throw error.code === 'interrupted' ? interrupted('Nothing was changed.') : error;
    },
  );
  if (problems.length > 0) {
    // That it cannot be removed is less than what could not be saved.
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
    throw notSaved(problems.map(({ message }) => message));
  }
  return { directory, encrypt, returning, versions };
}

/** Says how what was done is undone, where a restore does that. `isCertain`: nothing else was done. */
async function reportUndo(
  { directory, encrypt, returning }: Awaited<ReturnType<typeof backUpBefore>>,
  done: readonly SentFix[],
  isCertain: boolean,
  place: CommandPlace,
): Promise<void> {
  if (done.length === 0 && isCertain) return rm(directory, { recursive: true });
  const undone = done.flatMap((step) => {
    const by = undoneBy(step);
    if (by === 'references') return [[]];
    const needed = by === 'creation' ? returning.get(step.object.uid) : undefined;
    return needed ? [needed] : [];
  });
  if (undone.length === 0) return writeWhole(`The state before is saved in ${directory}`);
  const flags = [...keyArguments(encrypt), ...fewestFlags(undone)];
  const undo = shellCommand`kubectl gc restore ${flags} ${operands(directory)}`;
  writeCommand('To undo it: ', printedCommand(undo, place));
}

/** What a backup is made for: these objects as they are, whatever becomes of them. */
function asPlan(fixes: readonly SentFix[], cluster: Plan['cluster']): Plan {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster,
    createdAt: new Date().toISOString(),
    requests: [],
    objects: fixes.map(({ object, does }) => {
      return { ...object, wave: 0, fate: 'unknown', because: does, rule: '', blockedBy: [] };
    }),
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 0, objects: fixes.length, problems: [] },
  };
}

function notSaved(messages: readonly string[]): GcError {
  return new GcError(
    `${counted(messages.length, 'object')} could not be saved before the fix; nothing was changed`,
    { code: 'incomplete-backup', suggestions: messages.slice(0, 5) },
  );
}
