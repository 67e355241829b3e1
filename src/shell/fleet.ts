import type { LoadedKubeconfig } from '../cluster/connection/kubeconfig.ts';
import { type CommandPlace, suggestionText } from '../command-line/shell-command.ts';
import { type ExitCode, exitCodes, GcError, isGcError, usageError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import { type ClusterReport, type FleetReport, fleetReport } from '../questions/fleet.ts';
import type { Format } from '../questions/render.ts';
import { ofCluster } from '../snapshot/coverage.ts';
import type { CommonFlags, ListingFlags } from './flags/flags.ts';
import { Session } from './input/session.ts';
import type { CommandAnswer } from './oclif/answer.ts';
import { writeErr } from './terminal/streams.ts';

/** The clusters that `--context a,b` or `--context all` names. */
export interface Fleet {
  readonly contexts: readonly string[];
  readonly kubeconfig: LoadedKubeconfig;
}

/** Flags that say how to reach, or how to log in to, one cluster: another must never get them. */
const ofOneCluster = [
  'server',
  'cluster',
  'tls-server-name',
  'token',
  'username',
  'password',
  'client-certificate',
  'client-key',
] as const;

/** The clusters to ask, where there may be several; undefined where the question is put to one, or to files. */
export async function fleetOf(flags: CommonFlags): Promise<Fleet | undefined> {
  const { context = '', from } = flags;
  // Nothing else can be a list, so the kubeconfig need not be read here.
  if (from || (context !== 'all' && !context.includes(','))) return undefined;
  const [{ loadKubeconfig }, { unknownEntry }, { processEnvironment }] = await Promise.all([
    import('../cluster/connection/kubeconfig.ts'),
    import('../cluster/connection/select-entries.ts'),
    import('../cluster/connection/client-environment.ts'),
  ]);
  const kubeconfig = await loadKubeconfig(flags.kubeconfig, processEnvironment());
  const known = kubeconfig.config.contexts;
  const contexts = listedContexts(context, known);
  if (contexts === undefined) return undefined;
  const unknown = contexts.find((name) => !known.has(name));
  if (contexts.length === 0 || unknown !== undefined) {
    throw unknownEntry('context', unknown ?? context, known);
  }
  const given = ofOneCluster.find((flag) => flags[flag] !== undefined);
  if (given !== undefined) {
    throw usageError(`--${given} is for one cluster, and --context "${context}" names several`, [
      'Leave it out: what the kubeconfig has for each context counts.',
    ]);
  }
  return { contexts, kubeconfig };
}

/**
 * The contexts that `--context` lists: `all`, or `a,b`; undefined where it names one. What is the name of a
 * context counts as that name.
 * @internal
 */
export function listedContexts(
  text: string,
  known: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  if (known.has(text)) return undefined;
  if (text === 'all') return [...known.keys()].sort(compareText);
  return text.includes(',') ? [...new Set(text.split(','))] : undefined;
}

const formats: readonly (Format | undefined)[] = ['table', 'wide', 'json', 'yaml'];

/** The same error with the commands that it suggests as they are for one of the clusters. */
function inPlace(error: GcError, place: CommandPlace): GcError {
  const { code, exitCode, cause, advice } = error;
  const suggestions = advice.map((one) => suggestionText(one, place));
  return new GcError(error.message, { code, exitCode, cause, suggestions });
}

/**
 * Asks one cluster after the other, each over its own session. A cluster that does not answer stops no other. If
 * all refuse the command line itself, that error is thrown: nothing was read.
 */
export async function fleetAnswer<R extends ClusterReport>(
  { contexts, kubeconfig }: Fleet,
  flags: CommonFlags & ListingFlags & { readonly output: string },
  format: Format | undefined,
  ask: (session: Session) => Promise<CommandAnswer<R>>,
): Promise<CommandAnswer<FleetReport>> {
  if (!formats.includes(format) || flags['sort-by'] !== undefined) {
    const what = flags['sort-by'] === undefined ? `-o ${flags.output}` : '--sort-by';
    throw usageError(`${what} is for one cluster, and --context names several`, [
      'Ask each with --context NAME, or print all with -o json.',
    ]);
  }
  const isLabelled = flags['label-columns'] !== undefined || flags['show-labels'];
  const asked: {
    readonly context: string;
    readonly answer?: CommandAnswer<R>;
    readonly failure?: GcError;
  }[] = [];
  for (const context of contexts) {
    const remark = (line: string) => writeErr(ofCluster(context, line));
    const session = new Session({ ...flags, context }, { remark }, kubeconfig);
    try {
      const answer = await ask(session);
      // Of the objects only the labels are shown, where they are asked for.
      const { observedAt, records } = answer.taken;
      const taken = isLabelled ? { observedAt, records: records ?? [] } : { observedAt };
      asked.push({ context, answer: { ...answer, taken } });
    } catch (error) {
      if (!isGcError(error) || error.exitCode === exitCodes.interrupted) throw error;
      asked.push({ context, failure: inPlace(error, session.place) });
    } finally {
      session.close();
    }
  }
  const failures = asked.flatMap(({ failure }) => failure ?? []);
  const answers = asked.flatMap(({ context, answer }) => (answer ? { ...answer, context } : []));
  const [first] = failures;
  const isUsage = failures.every(({ exitCode }) => exitCode === exitCodes.usage);
  if (first && answers.length === 0 && isUsage) throw first;
  const codes = answers.map(({ exitCode }) => exitCode ?? exitCodes.ok);
  return {
    report: fleetReport(
      asked.map(({ context, answer, failure }) => ({
        context,
        ...(failure && { failure: { code: failure.code, message: failure.message } }),
        ...(answer && { report: answer.report }),
      })),
    ),
    taken: {
      observedAt: answers[0]?.taken.observedAt ?? new Date().toISOString(),
      records: answers.flatMap(({ taken }) => taken.records ?? []),
    },
    exitCode: Math.max(first ? exitCodes.failed : exitCodes.ok, ...codes) as ExitCode,
    remarks: answers.flatMap(({ context, remarks }) =>
      remarks.map((line) => ofCluster(context, line)),
    ),
  };
}
