import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError, usageError } from '../../errors.ts';
import { deletionsIn } from '../../history/deletions/deletions-in.ts';
import { withLog } from '../../history/deletions/implied-step.ts';
import type { RemovalLink } from '../../history/deletions/removal.ts';
import { removalOf } from '../../history/deletions/removal-chain.ts';
import { inWords, type ObjectLocation, type ObjectReference } from '../../kube/object-reference.ts';
import { piecesOf } from '../../output/document-parts.ts';
import { chainRemarks } from '../../questions/deleted/chain-text.ts';
import { deletionsSummary } from '../../questions/deleted/deletion-words.ts';
import type { DeletionChain, DeletionsReport } from '../../questions/deleted/document.ts';
import { isTable, pagedListFormats, type Report, timelineFormats } from '../../questions/render.ts';
import { booleanFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import {
  allNamespacesFlag,
  auditLogFlag,
  listingFlags,
  outputFlag,
} from '../../shell/flags/flags.ts';
import { inSteadyHeap } from '../../shell/input/in-small-heap.ts';
import { askedNamespace, currentContext, oneNamespaceInFiles } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { noted, targetLocation, targetsOf } from '../../shell/input/targets.ts';
import type { CommandAnswer } from '../../shell/oclif/answer.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { widthOf } from '../../shell/terminal/streams.ts';
import { documentHead } from '../../snapshot/snapshot.ts';
import { lastChange } from '../../why/ask/last-change.ts';
import { type HistoryFlags, type ReadHistory, readHistory } from './read-history.ts';

const recorded = '--audit-log examples/audit/shop.log.gz --before examples/clusters/shop.json.gz';

export default class Deleted extends GcCommand {
  static override summary = 'Explain what deleted an object, from audit logs';
  static override description = [
    'Follows the deletion link by link, up to the request that began it: after an owner, a namespace, a',
    'CustomResourceDefinition, or by the rule of a controller. A link is seen in an audit log or an',
    'Event, follows by a rule of Kubernetes, or might be. Without an object: all deletions of a time.',
  ].join(' ');
  static override usage = [
    '<%= command.id %> TYPE/NAME [-n NAMESPACE] [--audit-log FILE]... [--before SNAPSHOT]',
    '<%= command.id %> (-A | -n NAMESPACE) [--audit-log FILE]... [--since TIME] [--until TIME]',
  ];
  static override examples = [
    '<%= config.bin %> deleted configmap/web -n shop',
    `<%= config.bin %> deleted pod/web-86864d7b59-kbp9b -n shop ${recorded}`,
    `<%= config.bin %> deleted -n shop ${recorded}`,
    `<%= config.bin %> deleted -A ${recorded} -o markdown`,
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    'audit-log': auditLogFlag,
    before: textFlag('SNAPSHOT', 'snapshot from before the deletion'),
    after: textFlag('SNAPSHOT', 'snapshot from after the deletion'),
    since: textFlag('TIME', 'only deletions since then, as in 2h'),
    until: textFlag('TIME', 'only deletions until then'),
    redact: booleanFlag('replace all names by pseudonyms'),
    ...listingFlags,
    output: outputFlag(timelineFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Deleted);
    const args = argv as string[];
    const formats = args.length > 0 ? pagedListFormats : timelineFormats;
    const print = this.printer({ ...flags, filename: flags['audit-log'] ?? [] }, formats);
    const find =
      args.length > 0 ? await targetsOf(args, { namespace: flags.namespace }) : undefined;
    const ask = async (session: Session) => {
      const home = await oneNamespaceInFiles(flags);
      const namespace = find ? home : askedNamespace(flags);
      const name = args.at(-1)?.split('/').at(-1);
      const read = await readHistory(flags, session, { name, namespace });
      const { snapshots } = read;
      const taken = {
        observedAt: snapshots.at(-1)?.observedAt ?? new Date().toISOString(),
        records: snapshots.flatMap(({ records }) => records),
      };
      const isAlone = flags['audit-log'] !== undefined && !read.sources.after;
      const asking = isAlone && isTable(flags.output) ? await this.#clusterBeside(flags) : {};
      if (!find) return { taken, ...asking, ...this.#allDeletions(flags, read, namespace) };
      const [target, ...others] = noted(find(read.types));
      if (others.length > 0)
        throw usageError('deleted follows one object, and several are named', [
          'Ask once for each of them.',
        ]);
      const asked = target && targetLocation(target, home, 'Name one object: TYPE/NAME.');
      const report = await withLastChange(chainReport(read, asked), read);
      const remarks = isTable(flags.output) ? chainRemarks(report) : [];
      if (!isAlone || !isTable(flags.output) || isSeen(report)) return { report, taken, remarks };
      return { report, taken, remarks: [...remarks, ...existenceRemarks(report)], ...asking };
    };
    // V8 would let garbage grow to a multiple of what the log of a busy cluster takes.
    await inSteadyHeap(() => this.answer<CommandAnswer<Report>>({ flags, print }, ask));
  }

  /** The cluster of the kubeconfig may be another one than that of the log, so it is asked where a flag names it. */
  async #clusterBeside(flags: HistoryFlags): Promise<Pick<CommandAnswer<Report>, 'next'>> {
    // Pseudonyms are of no cluster, and the command has names.
    if (flags.redact || this.session(flags).place.connection.length > 0) return {};
    const context = (await currentContext(flags)) ?? 'CONTEXT';
    const command = this.again(flags, (line) => [...line, '--context', context]);
    return { next: ['If the log is of this cluster, to read its owners and Events, too', command] };
  }

  /** On a terminal the largest groups; everywhere else all. */
  #allDeletions(
    flags: HistoryFlags & { readonly output: string },
    read: ReadHistory,
    namespace: string | undefined,
  ): Omit<CommandAnswer<Report>, 'taken'> {
    const report = deletionsReport(read);
    if (report.items.length === 0) {
      const objects =
        (read.sources.log?.events ?? 0) +
        read.snapshots.reduce((sum, { records }) => sum + records.length, 0);
      const looked = { coverage: { ...report.coverage, objects }, namespace };
      const advice = read.sources.log ? [] : [withLog];
      return { report, remarks: [...this.nothing('deletions', looked), ...advice] };
    }
    const remarks = this.summary(flags, deletionsSummary(report));
    const isTerminal = flags.output === 'table' && widthOf(process.stdout) !== undefined;
    const more = report.items.length - mostGroupsOnTerminal;
    if (!isTerminal || more <= 0) return { report, remarks };
    const [items = []] = piecesOf(report.items, mostGroupsOnTerminal);
    return {
      report: { ...report, items, unlisted: more },
      remarks,
      next: ['To list all', this.again(flags, (line) => [...line, '-o', 'wide'])],
    };
  }
}

const mostGroupsOnTerminal = 100;

function deletionsReport({
  history,
  namespace,
  period,
  sources,
  problems,
}: ReadHistory): DeletionsReport {
  const groups = deletionsIn(history, { ...period, namespace });
  const { objects } = groups;
  const items = {
    length: groups.length,
    *[Symbol.iterator]() {
      for (const { objects: deleted, ...group } of groups) {
        const saved = deleted.map((one) => ({ ...one, ...backupOf(history, one.object) }));
        yield { ...group, objects: saved };
      }
    },
  };
  return { ...documentHead('Deletions', 0, objects, problems), sources, objects, items };
}

function chainReport(
  { history, sources, problems, placeOf: placeIn }: ReadHistory,
  place: ReturnType<typeof targetLocation> | undefined,
): DeletionChain {
  if (!place) throw new Error('no target');
  const removal = removalOf(history, placeIn(place));
  if (!removal) throw stillThere(place, history.after?.find(placeIn(place))?.creationTimestamp);
  return {
    ...documentHead('DeletionChain', 0, 1, problems),
    sources,
    removal,
    ...backupOf(history, removal.object),
  };
}

/** Nothing that was read shows that an object of its name was deleted before it was created. */
function stillThere(place: ObjectLocation, created: string | undefined): GcError {
  const since = created === undefined ? '' : `, and was created at ${created}`;
  return new GcError(`${inWords(place)} exists${since}`, {
    code: 'exists',
    suggestions: [
      suggested('To see who owns it', shellCommand`kubectl gc owners ${addressOf(place)}`),
      'If an earlier one of its name was deleted: an audit log (--audit-log) shows by what.',
    ],
  });
}

/** Was each link seen, and the object removed? An object without content that its DELETE leaves behind is removed by it. */
function isSeen(report: DeletionChain): boolean {
  const isSure = report.removal.links.every(({ certainty }) => certainty === 'seen');
  return isSure && existenceRemarks(report).length === 0;
}

function existenceRemarks({ removal: { links } }: DeletionChain): string[] {
  const [first] = links;
  const isOpen = first?.certainty !== 'seen' || hasContent(first);
  return isOpen ? ['The object may still exist.'] : [];
}

/** Is it of a kind that ends only after its content, and was its end not seen? */
function hasContent({ object: { kind }, ended }: RemovalLink): boolean {
  return ['Namespace', 'CustomResourceDefinition'].includes(kind) && ended?.certainty !== 'follows';
}

/** What the cluster still shows of the workload that the last link is about. */
async function withLastChange(
  report: DeletionChain,
  { cluster, history }: ReadHistory,
): Promise<DeletionChain> {
  if (!cluster) return report;
  const { removal } = report;
  const changes = await lastChange(cluster, history, removal.links.at(-1));
  return { ...report, removal: { ...removal, links: [...removal.links, ...changes] } };
}

function backupOf({ backups }: ReadHistory['history'], object: ObjectReference) {
  const saved = backups.of(object);
  if (!saved) return undefined;
  return {
    backup: saved.path,
    ...(saved.mightBeAnother && { backupCertainty: 'might be' as const }),
  };
}
