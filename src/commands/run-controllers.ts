import { createInterface } from 'node:readline';
import { shellCommand, suggested } from '../command-line/shell-command.ts';
import { errorMessage, isGcError, usageError } from '../errors.ts';
import { printedText } from '../output/printable.ts';
import {
  chosenControllers,
  type RunningControllers,
  runControllers,
} from '../runner/run-controllers.ts';
import { booleanFlag, repeatedFlag } from '../shell/flags/flag-kinds.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { untilAborted, withInterruption } from '../shell/terminal/interruption.ts';
import { writeOut } from '../shell/terminal/streams.ts';
import type { Step } from '../simulator/engine/timeline.ts';
import { jsonText } from '../syntax/json-text.ts';

export default class RunControllers extends GcCommand {
  static override summary = 'Run the garbage collector in envtest, which has none';
  static override description = [
    'Runs the garbage collector and the namespace controller against an API server without',
    'a controller manager, until stdin ends. A test writes settle to stdin and reads from',
    'stdout, one JSON document in each line, when everything that follows has been done.',
  ].join(' ');
  static override usage = '<%= command.id %> [--controllers NAMES] [--until-settled] [--writes]';
  static override examples = [
    '<%= config.bin %> run-controllers --until-settled --writes',
    '<%= config.bin %> run-controllers --controllers garbagecollector',
    'echo settle | <%= config.bin %> run-controllers',
  ];
  static override flags = {
    controllers: repeatedFlag(
      'garbagecollector,namespace',
      'the controllers to run; default: all that can be run',
      { delimiter: ',' },
    ),
    'until-settled': booleanFlag('exit once the controllers have no more work; stdin is not read'),
    writes: booleanFlag('print an event for each write, with its reason'),
    'allow-remote-server': booleanFlag(
      'run against a server that is not on this machine: a test cluster elsewhere',
    ),
    'beside-controller-manager': booleanFlag(
      'run although a controller manager runs there, or has run',
    ),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(RunControllers);
    if (flags.from) {
      throw usageError(
        'controllers run against a cluster, not against files: they change objects',
        [
          suggested(
            'To see what they would do with the objects of files',
            shellCommand`kubectl gc simulate`,
          ),
        ],
      );
    }
    const { controllers } = flags;
    chosenControllers(controllers);
    const session = this.session(flags);
    session.expectWatches();
    await withInterruption(async (signal) => {
      const ended = Promise.withResolvers<never>();
      ended.promise.catch(() => undefined);
      try {
        const running = await runControllers(await session.client(), {
          controllers,
          remoteServer: flags['allow-remote-server'],
          controllerManager: flags['beside-controller-manager'],
          onError: ended.reject,
          ...(flags.writes && {
            onWrite: (step: Step) => void printEvent({ event: 'write', ...step }),
          }),
        });
        try {
          const { server } = running;
          await printEvent({ event: 'ready', server, controllers: running.controllers });
          const work = flags['until-settled'] ? answerSettle(running) : serve(running, signal);
          await Promise.race([work, ended.promise, untilAborted(signal)]);
        } finally {
          running.stop();
        }
      } catch (error) {
        const code = isGcError(error) ? error.code : 'bug';
        await printEvent({ event: 'error', code, message: errorMessage(error) });
        throw error;
      }
    });
  }
}

/** One request in each line of stdin. */
async function serve(running: RunningControllers, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, signal });
  for await (const line of lines) {
    const request = line.trim();
    if (request === 'stop') return;
    if (request === 'settle') await answerSettle(running);
    else if (request !== '') {
      const message = `"${request}" is no request; these are: settle, stop`;
      await printEvent({ event: 'error', code: 'unknown-request', message });
    }
  }
}

async function answerSettle(running: RunningControllers): Promise<void> {
  await printEvent({ event: 'settled', ...(await running.settled()) });
}

function printEvent(event: Readonly<Record<string, unknown>>): Promise<void> {
  return writeOut(printedText(`${jsonText(event)}\n`));
}
