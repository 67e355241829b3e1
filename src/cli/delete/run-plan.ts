import type { Plan } from '../../plan/plan.ts';
import type { ProgressEvent } from '../../plan/progress-event.ts';
import { progressLine } from '../../reporters/progress-line.ts';
import type { OpenedCluster } from '../input.ts';
import { writeErr, writeOut } from '../streams.ts';
import { Account } from './account.ts';
import { awaitingTargets } from './awaiting-targets.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { Interruption } from './interruption.ts';
import { liveTree } from './live-tree.ts';
import { remadeObjects } from './remade-objects.ts';
import { requestLine } from './request-line.ts';

export interface Run {
  readonly options: DeleteOptions;
  readonly output: string | undefined;
  readonly noColour: boolean;
  /** Also bound to the resourceVersions of the plan. */
  readonly useResourceVersion: boolean;
  readonly interruption: Interruption;
  /**
   * As a collector works: several requests at a time, and what a finalizer holds is left to whoever
   * takes it off. With a dry run on the server nothing is stored or followed.
   */
  readonly asCollector?: boolean;
}

const collectorConcurrency = 8;

/** Performs a plan: kubectl's lines or events on stdout, the tree on a terminal; answers the account. */
export async function runPlan(
  plan: Plan,
  { client, types }: OpenedCluster,
  { options, output, noColour, useResourceVersion, interruption, asCollector }: Run,
): Promise<Account> {
  const { execute } = await import('../../executor/execute.ts');
  const printEvent = output === 'json' || output === 'yaml' ? eventPrinter(output) : undefined;
  const awaited = asCollector ? { plan, held: new Set<string>() } : awaitingTargets(plan);
  const remade = remadeObjects(plan);
  const account = new Account(plan);
  const tree = liveTree(account, noColour);
  try {
    const events = execute(awaited.plan, client, types, {
      wait: options.following,
      timeoutMs: options.timeout,
      signal: interruption.signal,
      useResourceVersion,
      now: () => Date.now(),
      continueOnError: true,
      ...(asCollector && {
        concurrency: collectorConcurrency,
        dryRun: options.dryRun === 'server',
      }),
    });
    let foretold = 0;
    for await (const given of events) {
      // That a finalizer holds it, or that another is made, is what the plan said.
      const isForetold =
        given.type === 'difference' &&
        (given.observed === 'recreated' ? remade : awaited.held).has(given.object.uid);
      if (isForetold) {
        foretold += 1;
        continue;
      }
      const event =
        given.type === 'done' ? { ...given, differences: given.differences - foretold } : given;
      account.note(event);
      if (event.type === 'retrying' || event.type === 'watch') {
        tree.hide();
        writeErr(`Warning: ${progressLine(event)}`);
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
      const { progressJson } = await import('../../reporters/progress-json.ts');
      await writeOut(`${progressJson(event)}\n`);
    };
  }
  return async (event) => {
    const { stringify } = await import('yaml');
    await writeOut(`---\n${stringify(event, { version: '1.1' })}`);
  };
}
