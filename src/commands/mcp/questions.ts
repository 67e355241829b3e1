import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { audit, forecast, owners, tree } from '../../library/questions.ts';
import { type Counted, noneFound, Tally } from '../../output/tally.ts';
import { isForecastComplete } from '../../questions/forecast/document.ts';
import { containedCount } from '../../questions/owners/contents.ts';
import type { GraphReport } from '../../questions/owners/document.ts';
import { type Diagnosed, diagnosisReport } from '../../questions/why/document.ts';
import { parseWithin } from '../../shell/flags/flag-kinds.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { nowOf } from '../../shell/input/clock.ts';
import { refuseMissingNamespace } from '../../shell/input/missing-namespace.ts';
import { openOwners, openTree } from '../../shell/input/open-objects.ts';
import { readBackups } from '../../shell/input/read-backups.ts';
import { type ReadRequest, readQuestion } from '../../shell/input/read-question.ts';
import type { Session } from '../../shell/input/session.ts';
import { askStatus } from '../../shell/questions/ask-status.ts';
import { askWhy } from '../../shell/questions/ask-why.ts';
import { findControllerSettings } from '../../shell/settings/find-settings.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';
import { mostDangerousFirst, namedObject, type ToolAnswer } from './answers.ts';

/** What a question is put with; the namespace is that of the flags where the tool was given none. */
export interface ToolQuestion {
  readonly flags: CommonFlags;
  readonly session: Session;
}

export async function statusAnswer({ flags, session }: ToolQuestion): Promise<ToolAnswer> {
  const asked = { ...flags, 'all-namespaces': flags.namespace === undefined };
  const { report } = await askStatus(asked, session);
  const { verdict, deletions, due, references, garbageCollector } = report;
  const { stuck, unknown, progressing } = deletions;
  const numberIn = ({ complete }: { readonly complete: boolean }, count: number) =>
    countInWords({ ...report.coverage, complete }, count);
  const unended =
    stuck + unknown + progressing === 0
      ? numberIn(deletions, 0)
      : `${stuck} stuck, ${unknown} unknown, ${progressing} under way`;
  return {
    summary: [
      `Verdict: ${verdict}.`,
      `Deletions that do not end: ${unended}.`,
      `Due within the next hour: ${numberIn(due, due.total)}; unknown: ${due.unknown}.`,
      `Wrong owner references: ${numberIn(references, references.total)}; unknown: ${references.unknown}.`,
      `Garbage collector: ${garbageCollector.health}.`,
      ...unreadInWords(report),
    ],
    told: { due: due.controllers, references: references.classes, garbageCollector },
    items: deletions.worst.map(({ object, state, since, blockers }) => ({
      ...namedObject(object),
      ...{ state, since, blockers: blockers.map(blockerOf) },
    })),
  };
}

export async function whyAnswer(
  object: string,
  { flags, session }: ToolQuestion,
): Promise<ToolAnswer> {
  const { explained, problems, unseen } = await askWhy([object], flags, session);
  const report = diagnosisReport(explained, problems, session.place);
  return {
    summary: [
      ...report.items.map(
        ({ state, blockers }) => `State: ${state}; blockers: ${blockers.length}.`,
      ),
      ...unreadInWords(report),
    ],
    told: {
      ...(unseen.length > 0 && { unseen }),
      objects: report.items.map((item) => namedObject(item.object)),
    },
    items: report.items.flatMap(({ blockers }) => blockers.map(blockerOf)),
  };
}

function blockerOf({ object, cause, because, next }: Diagnosed['blockers'][number]) {
  return { ...namedObject(object), cause, because, next };
}

export async function ownersAnswer(
  object: string,
  { flags, session }: ToolQuestion,
): Promise<ToolAnswer> {
  const { snapshot, roots } = await openOwners([object], flags, session);
  return graphAnswer(owners(snapshot, roots.map(referenceTo)), 'Owners above it');
}

export async function treeAnswer(
  object: string,
  { flags, session }: ToolQuestion,
): Promise<ToolAnswer> {
  const { graph, roots } = await openTree([object], flags, session);
  const report = tree(graph.snapshot, roots.map(referenceTo));
  const { summary, items = [] } = graphAnswer(report, 'Objects below it');
  const contained = roots.reduce((sum, root) => sum + containedCount(graph, root), 0);
  const rows = mostDangerousFirst(('contents' in report && report.contents) || []);
  const held = contained === 0 ? [] : [`Contained in it, which no reference says: ${contained}.`];
  return {
    summary: [...held, ...summary],
    items: [...items, ...rows.map(({ container, ...row }) => row)],
  };
}

function graphAnswer(report: GraphReport, what: string): ToolAnswer {
  const { roots, nodes, edges } = report;
  const names = new Map(nodes.map((node) => [node.id, namedObject(node)]));
  const number = (count: number) => countInWords(report.coverage, count);
  return {
    summary: [
      `${what}: ${number(nodes.length - roots.length)}. References that are not sound: ${number(edges.filter((edge) => edge.class !== 'solid').length)}.`,
      `Being deleted: ${number(nodes.filter((node) => node.deletionTimestamp).length)}. With finalizers: ${number(nodes.filter((node) => node.finalizers.length > 0).length)}.`,
      ...unreadInWords(report),
    ],
    items: mostDangerousFirst(nodes).map((node) => ({
      ...namedObject(node),
      ...(node.deletionTimestamp && { deletionTimestamp: node.deletionTimestamp }),
      ...(node.finalizers.length > 0 && { finalizers: node.finalizers }),
      ...(node.appliedBy && { appliedBy: node.appliedBy }),
      ...(node.relations && { relations: node.relations }),
      ...(node.gc && { garbageCollector: node.gc.action, because: node.gc.because }),
      owners: edges
        .filter(({ dependent }) => dependent === node.id)
        .map((edge) => ({ ...names.get(edge.owner), reference: edge.class })),
    })),
  };
}

export async function forecastAnswer(asked: ToolQuestion, given = '24h'): Promise<ToolAnswer> {
  const within = parseWithin(given, 'within');
  const { snapshot, options } = await readAllNamespaces(asked, { facts: true });
  const report = forecast(snapshot, { ...options, within });
  const items = inScope(report.items, asked);
  const count = (of: 'unknown' | 'undetermined' | 'leftovers') =>
    inScope<{ readonly object: ObjectReference }>(report[of], asked).length;
  return {
    summary: [
      `Deletions by controllers: ${countInWords({ ...report.coverage, complete: isForecastComplete(report) }, items.length)}.`,
      `Not known: ${count('unknown')}. Depending on an order that nothing fixes: ${count('undetermined')}. Never collected: ${count('leftovers')}.`,
      ...unreadInWords(report),
    ],
    values: { at: report.at, until: report.until },
    items: items.map(({ object, collector, action, notBefore, because }) => ({
      ...namedObject(object),
      ...{ controller: collector, action, at: notBefore, because },
    })),
  };
}

export async function auditAnswer(asked: ToolQuestion): Promise<ToolAnswer> {
  const { snapshot, options } = await readAllNamespaces(asked, { facts: 'all', owners: true });
  const report = audit(snapshot, options);
  const items = inScope(report.items, asked);
  const of = (severity: string) =>
    countInWords(report.coverage, items.filter((item) => item.severity === severity).length);
  return {
    summary: [
      `Errors: ${of('error')}. Warnings: ${of('warning')}. Remarks: ${of('info')}.`,
      `Rules that could not decide about some objects: ${report.notChecked.length}.`,
      ...unreadInWords(report),
    ],
    items: items.map(({ object, rule, severity, message, consequence }) => ({
      ...namedObject(object),
      ...{ rule, severity, message, consequence },
    })),
  };
}

/** Reads all namespaces, as a deletion in one can delete objects in others, and the settings of the controllers. */
async function readAllNamespaces({ flags, session }: ToolQuestion, question: ReadRequest) {
  const snapshot = await readQuestion(flags, session, question);
  await refuseMissingNamespace({ flags, session, snapshot });
  const { settings } = await findControllerSettings(flags, session);
  return { snapshot, options: { settings, now: new Date(nowOf(flags, snapshot)) } };
}

/** What is in the namespace that was asked about. */
function inScope<T extends { readonly object: Pick<ObjectReference, 'namespace'> }>(
  items: readonly T[],
  { flags: { namespace } }: ToolQuestion,
): T[] {
  return items.filter(({ object }) => namespace === undefined || object.namespace === namespace);
}

export async function restoreListAnswer(): Promise<ToolAnswer> {
  const { items } = await readBackups([]);
  const unreadable = items.filter(({ state }) => state === 'unreadable').length;
  return {
    summary: [
      `Backups, the newest first: ${items.length}. Unreadable: ${unreadable}.`,
      'A person brings one back, with the command restore.',
    ],
    items: items.map(({ path, state, createdAt, cluster, objects, kinds, first, encrypted }) => ({
      ...{ path, state, createdAt, cluster, objects, kinds, encrypted },
      ...(first && { first: namedObject(first) }),
    })),
  };
}

/** A zero counts where all was read. */
function countInWords(coverage: Counted, count: number): string {
  return count > 0 ? `${count}` : noneFound(Tally.of(count, coverage), '0');
}

/** A number is no upper bound where not all was read. */
export function unreadInWords({
  coverage: { problems },
}: Pick<DocumentHead<string>, 'coverage'>): string[] {
  if (problems.length === 0) return [];
  return [
    `Not everything could be read (${problems.length} gaps): there may be more than is counted here.`,
  ];
}
