import { goesThen, mayGo } from '../../deletion/plan/going.ts';
import type { Plan, PlannedObject, PlannedRequest } from '../../deletion/plan/plan.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { spelled } from '../../output/fit-text.ts';
import { printable } from '../../output/printable.ts';
import { progressJson, progressLine } from '../../output/progress/progress-lines.ts';
import { shrinkingTree } from '../../output/progress/progress-tree.ts';
import type { ProgressEvent } from '../../perform/progress-event.ts';
import type { DryRun } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { canDraw, redrawing, startDrawing } from '../terminal/progress.ts';
import {
  type ColourFlags,
  wantsAscii,
  wantsColour,
  widthOf,
  writeErr,
  writeOut,
} from '../terminal/streams.ts';
import { deletedLine, suffixes } from './deleted-line.ts';
import type { LiveDeletion, Manner } from './planning.ts';
import { Account } from './run-summary.ts';

const controllerConcurrency = 8;

/** Performs a plan: kubectl's lines or events on stdout, the tree on a terminal; answers the account. */
export async function runPlan(
  plan: Plan,
  { cluster: { client, types, place }, flags, options, interruption }: LiveDeletion,
  { useResourceVersion, asController = false }: Omit<Manner, 'look'>,
): Promise<Account> {
  const { output } = flags;
  const { execute } = await import('../../perform/send/execute.ts');
  const printEvent = output === 'json' || output === 'yaml' ? eventPrinter(output) : undefined;
  const awaited = asController ? { plan, held: new Set<string>() } : awaitingTargets(plan);
  const remade = remadeObjects(plan);
  const account = new Account(plan, place);
  const tree = liveTree(account, flags);
  try {
    const events = execute(awaited.plan, client, types, {
      wait: options.following,
      timeoutMs: options.timeout,
      signal: interruption.signal,
      useResourceVersion,
      now: () => Date.now(),
      continueOnError: true,
      ...(asController && {
        concurrency: controllerConcurrency,
        dryRun: options.dryRun === 'server',
      }),
    });
    let expected = 0;
    for await (const given of events) {
      // That a finalizer holds it, or that another is made, is what the plan said.
      const isPlanned =
        given.type === 'difference' &&
        (given.observed === 'recreated' ? remade : awaited.held).has(given.object.uid);
      if (isPlanned) {
        expected += 1;
        continue;
      }
      const event =
        given.type === 'done' ? { ...given, differences: given.differences - expected } : given;
      account.note(event);
      if (event.type === 'retrying' || event.type === 'watch') {
        tree.hide();
        writeErr(`Warning: ${progressLine(event)}`);
      }
      if (event.type === 'waiting') {
        tree.hide();
        writeErr(progressLine(event, place) ?? '');
      }
      if (printEvent) await printEvent(event);
      else if (event.type === 'sent') {
        tree.hide();
        await writeOut(requestLine(event.request, types, { dryRun: options.dryRun, output }));
      }
      tree.update();
    }
  } finally {
    tree.hide();
  }
  return account;
}

/** One document for each event, as it happens. */
function eventPrinter(output: 'json' | 'yaml'): (event: ProgressEvent) => Promise<void> {
  if (output === 'json') {
    return async (event) => {
      await writeOut(`${progressJson(event)}\n`);
    };
  }
  return async (event) => {
    const { renderYaml } = await import('../../output/yaml.ts');
    await writeOut(`---\n${renderYaml(event)}`);
  };
}

/**
 * The plan as it is to be waited for. What was asked for is waited for even where a finalizer holds
 * it, as kubectl does: the program that removes the finalizer may be at work. So is what goes once what
 * was asked for is let go. `held` are the uids of all these.
 */
function awaitingTargets(plan: Plan): { readonly plan: Plan; readonly held: Set<string> } {
  const requested = new Set(plan.requests.map(({ uid }) => uid));
  const held = new Set<string>();
  const isAwaited = (object: PlannedObject) => {
    const { uid, fate, waitsFor = [] } = object;
    if (requested.has(uid)) return fate === 'terminating' || fate === 'unknown' || goesThen(object);
    return goesThen(object) && waitsFor.every(({ object: holder }) => requested.has(holder.uid));
  };
  const objects = plan.objects.map((object) => {
    // Whether it goes depends on a program that may not run.
    if (object.likely) return { ...object, fate: 'unknown' as const };
    if (!isAwaited(object)) return object;
    held.add(object.uid);
    return { ...object, fate: object.then === 'recreated' ? object.then : ('deleted' as const) };
  });
  return { plan: { ...plan, objects }, held };
}

/**
 * uids of what may be made again without being a surprise: a remark has said so, or the namespace
 * goes in which it was made, and with it what was made.
 * @internal
 */
export function remadeObjects({ objects, remarks }: Plan): Set<string> {
  const uids = new Set(
    remarks.flatMap((remark) =>
      remark.code === 'recreated' ? remark.objects.map(({ uid }) => uid) : [],
    ),
  );
  const namespaces = new Set(
    objects.flatMap((object) =>
      object.kind === 'Namespace' && object.apiVersion === 'v1' && object.fate === 'deleted'
        ? [object.name]
        : [],
    ),
  );
  for (const { namespace, uid } of objects) if (namespaces.has(namespace)) uids.add(uid);
  return uids;
}

/** kubectl's line for a request that was accepted: of delete, or of patch. */
function requestLine(
  { verb, apiVersion, kind, namespace, name, gracePeriodSeconds }: PlannedRequest,
  types: OpenedCluster['types'],
  { dryRun, output }: { readonly dryRun: DryRun; readonly output: string | undefined },
): string {
  const type = types.find(apiVersion, kind);
  if (!type) throw new Error(`${apiVersion} ${kind} took a request and is not served`);
  if (verb === 'delete') {
    return deletedLine({ type, namespace, name }, { output, gracePeriodSeconds, dryRun });
  }
  const printed = printable(`${printedKindOf(type)}/${name}`);
  return output === 'name' ? `${printed}\n` : `${printed} patched${suffixes[dryRun]}\n`;
}

/** At most this often, as thousands of objects may go within a second. */
const redrawMs = 100;

/** The tree of what is still there, on a terminal, until it is hidden; the next update draws it again. */
function liveTree(account: Account, flags: ColourFlags) {
  const { stderr } = process;
  const colour = wantsColour(stderr, flags);
  let progress: ReturnType<typeof startDrawing> | undefined;
  const going = account.plan.objects.filter(mayGo);
  const text = () => {
    if (!canDraw()) {
      const gone = going.filter(({ uid }) => account.isGone(uid)).length;
      return `${gone} of ${going.length} objects are gone`;
    }
    const columns = widthOf(stderr);
    const width = columns === undefined ? undefined : columns - 4;
    const lines = Math.max(4, Math.min(20, (stderr.rows || 24) - 4));
    const drawn = shrinkingTree(account.plan, account.observations, { width, colour, lines });
    return spelled(drawn, { ascii: wantsAscii(stderr) });
  };
  const redraw = redrawing(() => {
    progress ??= startDrawing(text());
    progress.update(text());
  }, redrawMs);
  return {
    update: redraw.update,
    hide: () => {
      redraw.cancel();
      progress?.stop();
      progress = undefined;
    },
  };
}
