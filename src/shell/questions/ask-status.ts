import type { ObjectLocation } from '../../kube/object-reference.ts';
import { hour } from '../../kube/time.ts';
import { forecastOf } from '../../questions/forecast/document.ts';
import { withHealth } from '../../questions/forecast/with-health.ts';
import {
  countedReferences,
  notInFiles,
  remainingObjects,
  type StatusReport,
  statusReport,
} from '../../questions/status/document.ts';
import { garbageCollectorHealthReport } from '../../questions/why/document.ts';
import { stuckDeletionsReport } from '../../questions/why/stuck-document.ts';
import { withControllers } from '../../settings/controller-settings.ts';
import { collectorOff } from '../../settings/enabled-controllers.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { isolated } from '../../snapshot/isolated.ts';
import { countingHead, type Snapshot } from '../../snapshot/snapshot.ts';
import { answerFromSnapshot, isWholeAnswer, savedQueries } from '../../why/answer-from-snapshot.ts';
import { diagnose } from '../../why/diagnose.ts';
import { garbageCollectorHealth } from '../../why/garbage-collector/health.ts';
import { type Answer, type Query, queryKey } from '../../why/inquiry.ts';
import { deletionsIn, investigate, leftOut, mostDeletions } from '../../why/investigate.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf } from '../input/clock.ts';
import { refuseMissingNamespace } from '../input/missing-namespace.ts';
import { readSource } from '../input/read-question.ts';
import { type AllNamespaces, askedNamespace, scopeOfFlags } from '../input/scope.ts';
import type { Session } from '../input/session.ts';
import { findControllerSettings } from '../settings/find-settings.ts';
import { computing } from '../terminal/interruption.ts';
import { withProgress } from '../terminal/progress.ts';
import { type OpenedInquiry, openInquiry } from './ask-why.ts';

const recently = '1h';

/** Reads once, and asks what `why -A`, `forecast`, `invalid-ownerrefs` and `why --gc` would answer. */
export async function askStatus(
  flags: CommonFlags & AllNamespaces,
  session: Session,
): Promise<{ readonly report: StatusReport; readonly snapshot: Snapshot }> {
  const namespace = askedNamespace(flags);
  const scope = scopeOfFlags(flags);
  const opened = await openInquiry({ ...flags, 'all-namespaces': true }, session);
  const asksCollector = opened.known.origin !== 'files' && namespace === undefined;
  const source = asksCollector ? withAnswers(opened, savedQueries) : opened;
  const [{ settings }, read] = await Promise.all([
    findControllerSettings(flags, session),
    // As far as a diagnosis looks, so that it need not ask for most of it again.
    readSource(source, { namespace, facts: 'all', owners: true, confirmOwnersOf: 'newer' }),
  ]);
  await refuseMissingNamespace({ flags, session, snapshot: read });
  const snapshot = withControllers(read, settings);
  const now = nowOf(flags, snapshot);
  const forecast = computing(() =>
    isolated(snapshot, (known) => forecastOf(known, { now, within: hour, settings, scope })),
  );
  const references = isolated(snapshot, (known) =>
    countedReferences(buildGraph(known), scope, { namespace }),
  );
  // What is in other namespaces was not listed: of the kinds nothing can be said.
  const narrow = namespace && 'not checked with -n';
  const unknownHealth = source.known.origin === 'files' ? notInFiles : narrow;
  const ending = deletionsIn(snapshot, namespace);
  const diagnosed = await withProgress('Following what is being deleted', () =>
    diagnosedIn(source, snapshot, ending, { now, asksCollector }),
  );
  const left = leftOut(ending.length);
  const { coverage } = countingHead('StuckDeletions', snapshot, { namespace }, left);
  const { place } = session;
  const deletions = stuckDeletionsReport(diagnosed.explained, coverage, forecast.at, place);
  const health = unknownHealth ?? garbageCollectorHealthReport(diagnosed.checks, undefined, place);
  const known = typeof health === 'string' ? undefined : health;
  const off = collectorOff(snapshot.controllers);
  const remaining = isolated(snapshot, (known) => remainingObjects(known, forecast, namespace));
  const answers = {
    deletions,
    forecast: withHealth(forecast, known, snapshot.types),
    references,
    remaining,
    health,
    off,
  };
  return { report: statusReport(answers, { within: recently, namespace, place }), snapshot };
}

/** The same, with the answers to what a diagnosis asks for in any case: they come while all else is read. */
function withAnswers(source: OpenedInquiry, queries: readonly Query[]): OpenedInquiry {
  const answers = new Map(queries.map((query) => [queryKey(query), source.answer(query)]));
  return { ...source, answer: (query) => answers.get(queryKey(query)) ?? source.answer(query) };
}

async function diagnosedIn(
  { known, answer }: OpenedInquiry,
  snapshot: Snapshot,
  ending: readonly ObjectLocation[],
  { now, asksCollector }: { readonly now: number; readonly asksCollector: boolean },
) {
  const { finding } = await investigate(
    { ...known, onlyReads: known.origin !== 'snapshot', now },
    (inquiry) => ({
      explained: ending
        .slice(0, mostDeletions)
        .map((record) => ({ chain: diagnose(inquiry, record) })),
      checks: asksCollector ? garbageCollectorHealth(inquiry) : [],
    }),
    // Files hold nothing besides what was listed.
    known.origin === 'cluster' ? besidesListed(snapshot, answer) : answer,
  );
  return finding;
}

/** What was listed is not asked for again. */
function besidesListed(snapshot: Snapshot, answer: OpenedInquiry['answer']) {
  const listed = answerFromSnapshot(snapshot);
  return async (query: Query): Promise<Answer> => {
    const isLater = 'isLater' in query && query.isLater;
    if (query.ask !== 'object' && !isLater) {
      const found = listed(query);
      return isWholeAnswer(found, query) ? found : answer(query);
    }
    // An object that is asked for by its name comes with who wrote its finalizers; who may list it may not
    // have the permission for that.
    const named = await answer(query);
    if ('value' in named || isLater) return named;
    const found = listed(query);
    return 'value' in found ? found : named;
  };
}
