import { printedCommand } from '../../command-line/shell-command.ts';
import type { Planned, PlannedRequest } from '../../deletion/plan/plan.ts';
import { disappearingIn } from '../../deletion/plan/plan-totals.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { spelled } from '../../output/fit-text.ts';
import { encodedName, printedText } from '../../output/printable.ts';
import type { PerformOptions, RunReporter } from '../../perform/perform-options.ts';
import { performPlan } from '../../perform/perform-plan.ts';
import type { ProgressEvent } from '../../perform/progress-event.ts';
import type { RunSummary } from '../../perform/run-summary.ts';
import { progressJson, progressLines } from '../../questions/delete/progress/progress-lines.ts';
import type { DryRun } from '../flags/flag-kinds.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { canDraw, type Progress, redrawing, startDrawing } from '../terminal/progress.ts';
import {
  type ColourFlags,
  wantsAscii,
  wantsColour,
  warnOfGaps,
  widthOf,
  writeCommand,
  writeErr,
  writeOut,
  writeWhole,
} from '../terminal/streams.ts';
import type { Deletion } from './planning.ts';
import { showPreview, showTotal } from './print-plan.ts';
import { deletedLine, suffixes } from './run-lines.ts';

/**
 * Performs a plan for the person at the terminal, or for a script: its questions on the terminal, and where none is
 * asked the objects that are deleted; kubectl's lines or events on stdout; the tree of what remains on a terminal. Undefined: the answer was no.
 */
export async function performAndShow(
  planned: Planned,
  deletion: Deletion,
  performOptions: PerformOptions,
): Promise<RunSummary | undefined> {
  const { cluster, flags, signal } = deletion;
  const { reporter, hide } = shownReporter(deletion);
  if (flags.yes && !performOptions.rehearses) await showTotal(planned, flags);
  try {
    return await performPlan(planned, cluster, performOptions, reporter, signal);
  } finally {
    hide();
  }
}

/** What is asked, said and drawn; `hide` takes from the terminal what is drawn on it. */
function shownReporter({ cluster, flags, options, signal }: Deletion) {
  const { output } = flags;
  const { dryRun } = options;
  const printEvent = output === 'json' || output === 'yaml' ? eventPrinter(output) : undefined;
  let tree: Awaited<ReturnType<typeof liveTree>> | undefined;
  let step: Progress | undefined;
  const hide = () => {
    step?.stop();
    step = undefined;
    tree?.hide();
  };
  const show = async (event: ProgressEvent, summary: RunSummary) => {
    tree ??= await liveTree(summary, flags);
    if (event.type === 'retrying' || event.type === 'watch') {
      tree.hide();
      for (const line of progressLines(event)) writeErr(`Warning: ${line}`);
    }
    if (event.type === 'waiting') {
      tree.hide();
      for (const line of progressLines(event, cluster.place)) writeErr(line);
    }
    if (printEvent) await printEvent(event);
    else if (event.type === 'sent') {
      tree.hide();
      await writeOut(printedText(requestLine(event.request, cluster.types, { dryRun, output })));
    }
    tree.update();
  };
  const reporter: RunReporter = {
    ask: async (planned, asked, isAgain) => {
      if (!isAgain) await showPreview(planned, flags);
      if (asked) return confirm(asked.question, signal, asked.word);
      writeErr('All of this is being deleted already.');
      return true;
    },
    report: (said) => {
      if ('event' in said) return show(said.event, said.summary);
      if ('line' in said) (said.endsWithPath ? writeWhole : writeErr)(said.line);
      else if ('gaps' in said) warnOfGaps(said.gaps);
      else if ('command' in said) {
        writeCommand(`${said.what}: `, printedCommand(said.command, cluster.place));
      } else if (said.doing === undefined) hide();
      else if (step) step.update(said.doing);
      else step = startDrawing(said.doing);
    },
  };
  return { reporter, hide };
}

function eventPrinter(output: 'json' | 'yaml'): (event: ProgressEvent) => Promise<void> {
  if (output === 'json') {
    return async (event) => {
      await writeOut(printedText(`${progressJson(event)}\n`));
    };
  }
  return async (event) => {
    const { renderYaml } = await import('../../output/yaml.ts');
    await writeOut(printedText(`---\n${renderYaml(event)}`));
  };
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
    return deletedLine({ type, namespace, name }, { gracePeriodSeconds, dryRun }, output);
  }
  const printed = encodedName(`${printedKindOf(type)}/${name}`);
  return output === 'name' ? `${printed}\n` : `${printed} patched${suffixes[dryRun]}\n`;
}

/** At most this often, as thousands of objects may go within a second. */
const redrawMs = 100;

/** The tree of what is still there, on a terminal, until it is hidden; the next update draws it again. */
async function liveTree(summary: RunSummary, flags: ColourFlags) {
  const { stderr } = process;
  const drawing = canDraw()
    ? await import('../../questions/delete/progress/progress-tree.ts')
    : undefined;
  const colour = wantsColour(stderr, flags);
  let progress: ReturnType<typeof startDrawing> | undefined;
  const going = disappearingIn(summary.plan);
  const text = () => {
    if (!drawing) {
      const gone = going.filter(({ uid }) => summary.isGone(uid)).length;
      return `${gone} of ${going.length} objects deleted`;
    }
    const columns = widthOf(stderr);
    const width = columns === undefined ? undefined : columns - 4;
    const lines = Math.max(4, Math.min(20, (stderr.rows || 24) - 4));
    const drawn = drawing.shrinkingTree(summary.plan, summary.observations, {
      width,
      colour,
      lines,
    });
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
