import { Command } from '@oclif/core/command';
import { type PrintedCommand, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { type ExitCode, exitCodes, isGcError, usageError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { joined, type PrintedText, printedText } from '../../output/printable.ts';
import type { LabelColumns, RenderOptions } from '../../output/style.ts';
import { type Counted, Tally } from '../../output/tally.ts';
import { templateOf } from '../../output/templates/template.ts';
import type { ClusterReport } from '../../questions/fleet.ts';
import {
  type Format,
  formatOf,
  isTable,
  type Report,
  renderParts,
  withWholeList,
} from '../../questions/render.ts';
import { type DryRun, dryRunOf } from '../flags/flag-kinds.ts';
import {
  type CommonFlags,
  commonFlags,
  type ListingFlags,
  type WatchFlag,
  withoutConnection,
} from '../flags/flags.ts';
import type { Fleet } from '../fleet.ts';
import { givenTime } from '../input/clock.ts';
import { isInNamespace, otherNamespaces } from '../input/scope.ts';
import { Session } from '../input/session.ts';
import { noTarget } from '../input/targets.ts';
import { reportAtIntervals } from '../terminal/progress.ts';
import {
  documentLook,
  quietBrokenPipes,
  readerHasLeft,
  warnOfGaps,
  writeCommand,
  writeErr,
  writeGapsTo,
  writeOut,
} from '../terminal/streams.ts';
import type { Ask } from '../watch/watch-answers.ts';
import type { CommandAnswer, Printer, Taken } from './answer.ts';

/** What all commands share: kubectl's flags, one session, one way to print, to remark and to end. */
export abstract class GcCommand extends Command {
  static override baseFlags = commonFlags;

  #session: Session | undefined;
  #endTelling: (() => void) | undefined;
  #readsFiles = false;

  override async init(): Promise<void> {
    // oclif's method only logs for DEBUG, and loads a library for that.
    // Again: oclif has added a listener while the command was loaded.
    quietBrokenPipes();
    this.#endTelling = reportAtIntervals();
  }

  runToEnd(): Promise<unknown> {
    return this._run();
  }

  /** The cluster that this call asks; closed when the command ends, whatever the end is. */
  protected session(flags: CommonFlags): Session {
    this.#session ??= new Session(flags);
    writeGapsTo({ command: this.id?.split(':'), wantsAll: Number.parseInt(flags.v ?? '', 10) > 0 });
    return this.#session;
  }

  protected override async catch(error: Error): Promise<void> {
    if (!isGcError(error) || error.code !== noTarget) return super.catch(error);
    const example = shellCommand`kubectl gc ${this.id ?? ''} deployment/web`;
    throw usageError(error.message, [suggested('For example', example)], noTarget);
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    this.endTelling();
    this.#session?.close();
    writeGapsTo({});
    await super.finally(error);
    if (error === undefined) this.#session?.refuseWarnings();
  }

  /** What `--dry-run` says; kubectl's own warnings about its value are remarks. */
  protected dryRun(flags: { readonly 'dry-run'?: string | undefined }): DryRun {
    const warnings: string[] = [];
    const dryRun = dryRunOf(flags['dry-run'], warnings);
    for (const warning of warnings) this.remark(warning);
    return dryRun;
  }

  /** For a command that runs until it is ended: no report of waiting between its steps. */
  protected endTelling(): void {
    this.#endTelling?.();
  }

  /** Ends with this exit code. The only other way to end with a code is to throw an error that has one. */
  protected endWith(code: ExitCode): void {
    if (code !== exitCodes.ok) this.exit(code);
  }

  /**
   * How this call prints: reports to stdout, their gaps to stderr. Wrong values of `-o` and `--now`, and
   * a stdin that is to be read twice, are refused here, before anything is read.
   */
  protected printer(
    flags: CommonFlags & InputFlags & ListingFlags & { readonly output: string },
    formats: readonly Format[],
  ): Printer {
    refuseStdinTwice(flags);
    this.#readsFiles = flags.from !== undefined;
    const template = templateOf(flags.output);
    const format = template ? 'json' : formatOf(flags.output, formats);
    const now = givenTime(flags)?.getTime();
    async function* parts(
      report: Report,
      taken: Taken,
      more: Partial<RenderOptions> = {},
    ): AsyncGenerator<PrintedText> {
      const options = {
        ...documentLook(format, flags),
        now: now ?? Date.parse(taken.observedAt),
        noHeaders: flags['no-headers'],
        labels: labelColumnsOf(flags, taken),
        records: taken.records,
        ...more,
      };
      const path = flags['sort-by'];
      if (path === undefined && !template) {
        yield* renderParts(report, format, options);
        return;
      }
      const { renderTemplate, sortedBy } = await import(
        '../../output/templates/render-template.ts'
      );
      const whole = withWholeList(report);
      const shown = path === undefined ? whole : sortedBy(whole, path);
      if (template) yield printedText(await renderTemplate(shown, template, options), options);
      else yield* renderParts(shown, format, options);
    }
    const textOf: Printer['textOf'] = async (...what) =>
      joined(await Array.fromAsync(parts(...what)));
    const print = async (report: Report, taken: Taken) => {
      let isFirst = true;
      for await (const text of parts(report, taken)) {
        if (isFirst) {
          warnOfGaps(report.coverage.problems);
          // From here on it waits for the reader.
          this.endTelling();
          isFirst = false;
        }
        await writeOut(text);
        if (readerHasLeft()) return;
      }
    };
    return Object.assign(print, { textOf, format: template ? undefined : format });
  }

  /**
   * Puts a question to the cluster of this call or, where there is a fleet, to each of its clusters; prints one
   * report, with what there is to say of it, and ends with its exit code. Answers what was asked of one cluster;
   * undefined where several were, or where it was asked again and again.
   */
  protected async answer<A extends CommandAnswer<Report>>(
    { flags, print, fleet }: AnswerOptions,
    ask: (session: Session) => Promise<A>,
  ): Promise<A | undefined> {
    if (flags.watch) {
      const { watchAnswers } = await import('../watch/watch-answers.ts');
      this.endTelling();
      this.endWith(await watchAnswers(print, fleet, this.session(flags), ask as unknown as Ask));
      return undefined;
    }
    const one = fleet ? undefined : await ask(this.session(flags));
    const { report, taken, remarks, next, exitCode } =
      one ?? (await answerOfAll(fleet as Fleet, flags, print, ask as unknown as AskOne));
    await print(report, taken);
    for (const line of remarks) this.remark(line);
    if (next && isTable(flags.output)) writeCommand(`${next[0]}: `, next[1]);
    this.endWith(exitCode ?? exitCodes.ok);
    return one;
  }

  protected remark(line: string): void {
    writeErr(line);
  }

  /** Says that nothing was found, and never more than was looked at. */
  protected nothing(what: string, looked: LookedAt): string[] {
    const { coverage, namespace, records } = looked;
    const tally = Tally.of(0, coverage);
    if (!tally.isOfSomething) return ['Unknown: nothing could be read.'];
    const isEmpty =
      namespace !== undefined && !records?.some((record) => isInNamespace(record, namespace));
    const found = `No ${isEmpty && records ? 'resources' : what} found`;
    const where = namespace === undefined ? '' : ` in ${namespace} namespace`;
    const line = tally.none ? `${found}${where}.` : `${found}${where} in what could be read.`;
    if (!this.#readsFiles) return [line];
    const elsewhere = otherNamespaces(records ?? [], namespace);
    return elsewhere === undefined ? [line] : [line, elsewhere];
  }

  /** Below a table: what it comes to. Documents have no place for it. */
  protected summary(flags: { readonly output: string }, text: string): string[] {
    return isTable(flags.output) ? [text] : [];
  }

  /** This call with other arguments, to be pasted into a shell. */
  protected again(
    flags: CommonFlags,
    change: (argv: readonly string[]) => string[],
  ): PrintedCommand {
    const argv = change(withoutConnection(this.argv));
    const name = (this.id ?? '').split(':');
    return this.session(flags).print(shellCommand`kubectl gc ${name} ${argv}`);
  }
}

/** What was looked at without finding anything. */
interface LookedAt {
  readonly coverage: Counted;
  readonly namespace?: string | undefined;
  /** All that was read: a namespace without any of it is said to be empty. */
  readonly records?: readonly ObjectRecord[] | undefined;
}

type AskOne = (session: Session) => Promise<CommandAnswer<ClusterReport>>;

async function answerOfAll(
  fleet: Fleet,
  flags: AnswerOptions['flags'],
  print: Printer,
  ask: AskOne,
) {
  const { fleetAnswer } = await import('../fleet.ts');
  return fleetAnswer(fleet, flags, print.format, ask);
}

interface AnswerOptions {
  readonly flags: CommonFlags & ListingFlags & WatchFlag & { readonly output: string };
  readonly print: Printer;
  readonly fleet?: Fleet | undefined;
}

function labelColumnsOf(flags: ListingFlags, { records = [] }: Taken): LabelColumns | undefined {
  const { 'label-columns': named = [] } = flags;
  const all = flags['show-labels'] ?? false;
  if (named.length === 0 && !all) return undefined;
  const labels = new Map(records.map((record) => [record.uid, record.labels]));
  return { named, all, of: (uid) => labels.get(uid) ?? {} };
}

interface InputFlags {
  readonly against?: readonly string[] | undefined;
  readonly filename?: readonly string[] | undefined;
  readonly scenario?: string | undefined;
  readonly settings?: string | undefined;
}

/** Refuses a command line that has stdin read twice, for the second would be empty. */
export function refuseStdinTwice(flags: CommonFlags & InputFlags): void {
  const { from, filename, against, scenario, settings } = flags;
  const inputs = [...(from ?? []), ...(filename ?? []), ...(against ?? []), scenario, settings];
  if (inputs.filter((input) => input === '-').length > 1) {
    throw usageError('standard input ("-") can be read only once', [
      'Name - once, and files for the rest.',
    ]);
  }
}
