import { isDeepStrictEqual } from 'node:util';
import { pathWithin } from '../../cluster/api-path.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { askForAll } from '../../cluster/settings/ask-for.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import { ownLabels, updateOf } from '../../cluster/write/write-request.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { errorMessage, GcError, isGcError } from '../../errors.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { fieldsListOf, fieldsOf, textOrEmpty } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { printedText } from '../../output/printable.ts';
import { prometheusText } from '../../output/prometheus-text.ts';
import type { OpenedCluster, Session } from '../../shell/input/session.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import { type PolicyResult, policyReports, source } from './policy-reports.ts';
import { reportMetrics } from './report-metrics.ts';
import { type ClusterReport, type ReportApi, type ReportFlags, reportApis } from './take-look.ts';

/** Is there any place but stdout to publish to? */
export function hasSink(flags: ReportFlags): boolean {
  const named = [flags['metrics-file'], flags['policy-reports'], flags.serve];
  return named.some((one) => one !== undefined);
}

/** Publishes what one look found wherever it is asked for; one place that fails does not keep it from the others. */
export async function publish(
  flags: ReportFlags,
  look: ClusterReport,
  session: Session,
): Promise<void> {
  const text = prometheusText(reportMetrics(look));
  if (!hasSink(flags)) return writeOut(printedText(text));
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<void>) => work().catch((error) => void failures.push(error));
  const { 'metrics-file': file } = flags;
  if (file !== undefined) await attempt(() => writeWhole(file, text, { what: 'the metrics' }));
  for (const name of new Set(flags['policy-reports'] as (keyof typeof reportApis)[] | undefined)) {
    await attempt(async () => {
      const api = reportApis[name];
      const done = await publishPolicyReports(await session.cluster(), api, look);
      const { written, unchanged, removed } = done;
      writeErr(
        `${api.apiVersion}: ${written} written, ${unchanged} unchanged, ${removed} removed.`,
      );
    });
  }
  if (failures.length > 0) throw mergedError(failures);
}

function mergedError([first, ...more]: readonly unknown[]): unknown {
  if (more.length === 0) return first;
  const suggestions = more.flatMap((error) => [
    errorMessage(error),
    ...(isGcError(error) ? error.advice : []),
  ]);
  return new GcError(errorMessage(first), {
    code: isGcError(first) ? first.code : 'not-published',
    suggestions: [...(isGcError(first) ? first.suggestions : []), ...suggestions],
    cause: first,
  });
}

const managedByLabel = 'app.kubernetes.io/managed-by';
/** The first report of a place has the name alone, more of them have a number. */
const ours = /^kubectl-gc(-[1-9]\d*)?$/;
const writesAtOnce = 4;

/**
 * Makes the reports of one API say what the audit found: in each namespace, and for the whole cluster. Answers how many
 * were written, unchanged and removed.
 */
async function publishPolicyReports(
  { client, types }: OpenedCluster,
  api: ReportApi,
  look: ClusterReport,
) {
  const kinds = [api.kind, api.clusterKind].map((kind) => types.find(api.apiVersion, kind));
  const [namespaced, clusterWide] = kinds;
  if (!namespaced || !clusterWide) throw reportsNotServed(api);
  const listed = await Promise.all(
    [namespaced, clusterWide].map((type) => earlierOf(client, type)),
  );
  const earlier = new Map(listed.flat().map((one) => [reportPath(one), one]));
  const results = Map.groupBy(earlier.values(), ({ namespace }) => namespace);
  const wanted = policyReports(
    api,
    look,
    new Map([...results].map(([home, reports]) => [home, reports.flatMap(resultsIn)])),
  );
  const stale = new Map(earlier);
  const writes = wanted.flatMap(({ namespace, name, content }): Change[] => {
    const type = namespace === '' ? clusterWide : namespaced;
    const place = { type, namespace, name };
    const path = reportPath(place);
    const there = earlier.get(path)?.object;
    stale.delete(path);
    if (!there) {
      const metadata = { name, ...(namespace && { namespace }), labels: ownLabels };
      const body = { apiVersion: api.apiVersion, kind: type.kind, metadata, ...content };
      return [{ place, write: { verb: 'create', path: pathWithin(type, namespace), body } }];
    }
    const fields = Object.entries(content);
    if (fields.every(([field, value]) => isDeepStrictEqual(there[field], value))) return [];
    return [{ place, write: updateOf(path, there, { ...content }) }];
  });
  const removals = [...stale].map(([path, place]): Change => {
    return { place, write: { verb: 'delete', path, guards: guardsOf(place.object) } };
  });
  const uids = [...earlier.values()].map(({ object }) => guardsOf(object).uid);
  const clearance = Clearance.grant('report', { uids, agreed: 'flag' });
  await inParallel([...writes, ...removals], writesAtOnce, (one) =>
    sendChange(client, clearance, one),
  );
  const written = writes.length;
  return { written, unchanged: wanted.length - written, removed: removals.length };
}

interface Change {
  readonly place: ObjectLocation;
  readonly write: Parameters<Clearance<'report'>['covers']>[0];
}

async function sendChange(
  client: OpenedCluster['client'],
  clearance: Clearance<'report'>,
  { place, write }: Change,
): Promise<void> {
  const answer = await sendWrite(client, clearance.covers(write));
  if (answer.outcome === 'done' || (write.verb === 'delete' && answer.outcome === 'gone')) return;
  const { type, namespace, name } = place;
  const what = `${groupResourceOf(type)}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
  throw new GcError(`cannot ${write.verb} ${what}: ${answer.message}`, {
    code: 'report-refused',
    suggestions:
      answer.reason === 'AlreadyExists'
        ? [
            `Something else has a report of that name, which is left as it is: ${managedByLabel} is not ${source}.`,
          ]
        : [
            'The next run writes it again.',
            suggested('To see what it must be permitted', shellCommand`kubectl gc rbac report`),
          ],
  });
}

interface EarlierReport extends ObjectLocation {
  readonly object: KubeObject;
}

/** Reports with our label and name, all results of which are ours: the rest belongs to others. */
async function earlierOf(
  client: OpenedCluster['client'],
  type: ResourceType,
): Promise<EarlierReport[]> {
  const selector = encodeURIComponent(`${managedByLabel}=${source}`);
  const path = `${pathWithin(type)}?labelSelector=${selector}&limit=500`;
  const resource = groupResourceOf(type);
  const { items, problem } = await askForAll(client, path, `list ${resource}`, resource);
  if (problem)
    throw new GcError(problem.message, {
      code: 'reports-unread',
      suggestions: [suggested('To see which role it needs', shellCommand`kubectl gc rbac report`)],
    });
  return items.flatMap((object) => {
    const { name: told, namespace: where } = object.metadata;
    const [name, namespace] = [textOrEmpty(told), textOrEmpty(where)];
    const isOurs =
      ours.test(name) && fieldsListOf(object.results).every((one) => one.source === source);
    return isOurs ? [{ type, namespace, name, object }] : [];
  });
}

/** Results as they were written; what others have changed in them is overwritten. */
function resultsIn({ object }: EarlierReport): PolicyResult[] {
  return fieldsListOf(object.results).map(
    (one) => ({ ...one, properties: fieldsOf(one.properties) }) as unknown as PolicyResult,
  );
}

function reportPath({ type, namespace, name }: ObjectLocation): string {
  return pathWithin(type, namespace, name);
}

function guardsOf({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { uid: textOrEmpty(uid), resourceVersion: textOrEmpty(resourceVersion) };
}

function reportsNotServed({ apiVersion, kind, clusterKind }: ReportApi): GcError {
  return new GcError(
    `the cluster serves no ${kind} and ${clusterKind} of ${apiVersion}, so no report can be written`,
    {
      code: 'reports-not-served',
      suggestions: [
        'Install the CustomResourceDefinitions of that API; the engines that show such reports bring them.',
      ],
    },
  );
}
