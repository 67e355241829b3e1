import { isDeepStrictEqual } from 'node:util';
import { inParallel } from '../../cluster/in-parallel.ts';
import { askForAll } from '../../cluster/settings/ask-for.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import { ownLabels, type WriteRequest } from '../../cluster/write/write-request.ts';
import { GcError } from '../../errors.ts';
import { fieldsListOf, fieldsOf, textOrEmpty } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf, pathWithin, type ResourceType } from '../../kube/resource-type.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import {
  type Earlier,
  type PolicyResult,
  policyResults,
  type ReportApi,
  reportsOf,
  source,
  withEarlier,
} from './policy-reports.ts';
import { problemsOf } from './report-metrics.ts';
import type { Look } from './take-look.ts';

/** What was done with reports. */
interface WrittenReports {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

const managedBy = 'app.kubernetes.io/managed-by';
/** The first report of a place has the name alone, more of them have a number. */
const ours = /^kubectl-gc(-[1-9]\d*)?$/;
const atOnce = 4;

/** Makes the reports of one API say what the audit found: in each namespace, and for the whole cluster. */
export async function publishPolicyReports(
  { client, types }: OpenedCluster,
  api: ReportApi,
  look: Look,
): Promise<WrittenReports> {
  const kinds = [api.kind, api.clusterKind].map((kind) => types.find(api.apiVersion, kind));
  const [namespaced, clusterWide] = kinds;
  if (!namespaced || !clusterWide) throw notServed(api);
  const listed = await Promise.all(
    [namespaced, clusterWide].map((type) => earlierOf(client, type)),
  );
  const earlier = listed.flat();
  const wanted = wantedReports(api, look, earlier);
  const before = new Map(earlier.map((report) => [report.key, report]));
  const changes: { readonly what: string; readonly write: WriteRequest }[] = [];
  for (const [key, { namespace, name, content }] of wanted) {
    const type = namespace === '' ? clusterWide : namespaced;
    const there = before.get(key);
    if (there && isSame(there.object, content)) continue;
    const what = `${groupResourceOf(type)}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
    changes.push({ what, write: writeOf(api, type, { namespace, name, content }, there?.object) });
  }
  const stale = earlier.filter(({ key }) => !wanted.has(key));
  for (const { type, namespace, name, object } of stale) {
    const what = `${groupResourceOf(type)}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
    const path = pathWithin(type, namespace, name);
    changes.push({ what, write: { verb: 'delete', path, guards: guardsOf(object) } });
  }
  await inParallel(changes, atOnce, async ({ what, write }) => {
    const answer = await sendWrite(client, write);
    if (answer.outcome === 'done' || (write.verb === 'delete' && answer.outcome === 'gone')) return;
    throw new GcError(`cannot ${write.verb} ${what}: ${answer.message}`, {
      code: 'report-refused',
      suggestions:
        answer.reason === 'AlreadyExists'
          ? [
              `Something else has a report of that name, which is left as it is: ${managedBy} is not ${source}.`,
            ]
          : [
              'The next run writes it again.',
              suggested('To see what it must be permitted', shellCommand`kubectl gc rbac report`),
            ],
    });
  });
  const removed = stale.length;
  const written = changes.length - removed;
  return { written, unchanged: wanted.size - written, removed };
}

interface EarlierReport {
  readonly key: string;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject;
}

/** Reports with our label and name, all results of which are ours: the rest belongs to others. */
async function earlierOf(
  client: OpenedCluster['client'],
  type: ResourceType,
): Promise<EarlierReport[]> {
  const selector = encodeURIComponent(`${managedBy}=${source}`);
  const path = `${pathWithin(type)}?labelSelector=${selector}&limit=500`;
  const resource = groupResourceOf(type);
  const { items, problem } = await askForAll(client, path, `list ${resource}`, resource);
  if (problem) throw new GcError(problem.message, { code: 'reports-unread' });
  return items.flatMap((object) => {
    const { name: told, namespace: where } = object.metadata;
    const [name, namespace] = [textOrEmpty(told), textOrEmpty(where)];
    const isOurs =
      ours.test(name) && fieldsListOf(object.results).every((one) => one.source === source);
    return isOurs ? [{ key: `${namespace}/${name}`, type, namespace, name, object }] : [];
  });
}

interface WantedReport {
  readonly namespace: string;
  readonly name: string;
  readonly content: ReturnType<typeof reportsOf>[number];
}

function wantedReports(
  api: ReportApi,
  look: Look,
  earlier: readonly EarlierReport[],
): Map<string, WantedReport> {
  const { audit, isOpen } = look;
  const found = new Set(audit.items.map(({ fingerprint }) => fingerprint));
  const results = policyResults(audit, problemsOf(look), isOpen);
  const before = Map.groupBy(earlier, ({ namespace }) => namespace);
  const wanted = new Map<string, WantedReport>();
  for (const namespace of new Set([...results.keys(), ...before.keys()])) {
    const there = (before.get(namespace) ?? []).flatMap(({ object }) =>
      fieldsListOf(object.results),
    );
    const known: Earlier = {
      results: there.map(asResult),
      isJudged: look.isJudged,
      found,
    };
    const all = withEarlier(results.get(namespace) ?? [], known);
    for (const [index, content] of reportsOf(api, all).entries()) {
      const name = index === 0 ? source : `${source}-${index + 1}`;
      wanted.set(`${namespace}/${name}`, { namespace, name, content });
    }
  }
  return wanted;
}

/** A result as it was written; what others have changed in it is overwritten. */
function asResult(result: ReturnType<typeof fieldsOf>): PolicyResult {
  return { ...result, properties: fieldsOf(result.properties) } as unknown as PolicyResult;
}

function isSame(object: KubeObject, content: WantedReport['content']): boolean {
  return Object.entries(content).every(([field, value]) => isDeepStrictEqual(object[field], value));
}

function writeOf(
  { apiVersion }: ReportApi,
  type: ResourceType,
  { namespace, name, content }: WantedReport,
  there: KubeObject | undefined,
): WriteRequest {
  if (there) {
    const path = pathWithin(type, namespace, name);
    return { verb: 'update', path, body: { ...there, ...content }, guards: guardsOf(there) };
  }
  const metadata = { name, ...(namespace && { namespace }), labels: ownLabels };
  const body = { apiVersion, kind: type.kind, metadata, ...content };
  return { verb: 'create', path: pathWithin(type, namespace), body };
}

function guardsOf({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { uid: textOrEmpty(uid), resourceVersion: textOrEmpty(resourceVersion) };
}

function notServed({ apiVersion, kind, clusterKind }: ReportApi): GcError {
  return new GcError(`the cluster serves no ${kind} and ${clusterKind} of ${apiVersion}`, {
    code: 'reports-not-served',
    suggestions: [
      'Install the CustomResourceDefinitions of that API; the engines that show such reports bring them.',
    ],
  });
}
