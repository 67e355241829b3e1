import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import type { Severity } from '../../src/audit/rule.ts';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
import { clusterRules } from '../../src/audit/rules/rules.ts';
import { runRules } from '../../src/audit/run-rules.ts';
import { nowhere } from '../../src/command-line/shell-command.ts';
import type { PlannedObject } from '../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { isBeingDeleted, type ObjectRecord } from '../../src/kube/object-record.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ForecastReport, forecastReport } from '../../src/questions/forecast/document.ts';
import {
  type InvalidReference,
  invalidReferencesReport,
} from '../../src/questions/invalid-ownerrefs/document.ts';
import { type OrphansReport, orphansReport } from '../../src/questions/orphans/document.ts';
import {
  type OwnersReport,
  ownersReport,
  type TreeReport,
  treeReport,
} from '../../src/questions/owners/document.ts';
import { type PodGcPreview, podGcPreview } from '../../src/questions/podgc-preview/document.ts';
import {
  playRequests,
  type SimulationReport,
  simulationReport,
} from '../../src/questions/simulate/document.ts';
import {
  notInFiles,
  remainingObjects,
  type StatusReport,
  statusReport,
} from '../../src/questions/status/document.ts';
import { type Diagnosed, diagnosedOf } from '../../src/questions/why/document.ts';
import {
  stuckDeletionsReport,
  type UnendedDeletion,
} from '../../src/questions/why/stuck-document.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import type { Cause, Link } from '../../src/why/chain.ts';
import { diagnose as explain } from '../../src/why/diagnose.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { servedRecords, snapshotOf } from './builders.ts';

/** What each command answers about one cluster: the documents that it prints, as far as they are compared. */
export interface Answers {
  readonly snapshot: Snapshot;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly orphans: OrphansReport['items'];
  readonly references: readonly Pick<InvalidReference, 'object' | 'class' | 'consequences'>[];
  readonly findings: readonly Reported[];
  readonly forecast: ForecastReport;
  /** What `why -A` lists. */
  readonly deletions: readonly Pick<UnendedDeletion, 'object' | 'state' | 'blockers'>[];
  readonly previews: readonly Preview[];
  /** What `tree` says of each object that it shows, and `owners`. */
  readonly nodes: TreeReport['nodes'];
  readonly owners: OwnersReport['nodes'];
  /** Of `simulate` without requests; undefined: it was not asked. */
  readonly simulated?: Pick<SimulationReport, 'objects' | 'undetermined' | 'unknown'>;
  /** What `podgc-preview` says that one pass deletes. */
  readonly deletedPods: PodGcPreview['items'];
  readonly status: Pick<StatusReport, 'deletions' | 'references' | 'due' | 'verdict'>;
  /** Undefined: it was not asked about this one. */
  readonly why: (record: ObjectRecord) => Diagnosed | undefined;
}

/** A finding of `audit`. */
interface Reported {
  readonly rule: string;
  readonly severity: Severity;
  readonly object: { readonly uid: string };
  readonly cause?: Cause | undefined;
}

export interface Preview {
  readonly target: ObjectRecord;
  readonly objects: readonly PlannedObject[];
}

/** The answers of the functions that the commands call, by the time at which the snapshot was read. */
export function answersFrom(snapshot: Snapshot, previews: number, isSimulated: boolean): Answers {
  const now = Date.parse(snapshot.observedAt);
  const graph = buildGraph(snapshot);
  const settings = settingsOf(snapshot);
  const diagnose = diagnosesIn(snapshot, now, explain);
  const chains = new Map<string, Link>();
  const chainOf = (record: ObjectRecord) => {
    const known = chains.get(record.uid) ?? diagnose(record);
    chains.set(record.uid, known);
    return known;
  };
  const { findings } = runRules([...referenceRules, ...clusterRules], {
    graph,
    now,
    settings: defaultControllerSettings,
    settingsFrom: 'default',
    scope: () => true,
  });
  const ending = plainIn(snapshot).filter(isBeingDeleted);
  const explained = ending.map((record) => ({ chain: chainOf(record) }));
  const coverage = { complete: true, kinds: 0, objects: 0, problems: [] };
  const deletions = stuckDeletionsReport(explained, coverage, snapshot.observedAt, nowhere);
  const references = invalidReferencesReport(graph, findInvalidReferences(graph));
  const forecast = forecastReport(snapshot, { now, within: 60_000, settings });
  const remaining = remainingObjects(snapshot, forecast, undefined);
  const context = { now, settings, cluster: { server: '', uid: '' } };
  return {
    snapshot,
    now,
    orphans: orphansReport(graph, { unmanaged: true }).items,
    references: references.items,
    findings,
    forecast,
    deletions: deletions.items,
    previews: previewedIn(plainIn(snapshot), previews).map((target) => {
      const policy = policyFor(target);
      return { target, ...planDeletion(snapshot, { targets: [target], policy }, context) };
    }),
    nodes: treeReport(graph, plainIn(snapshot)).nodes,
    owners: ownersReport(graph, plainIn(snapshot)).nodes,
    ...(isSimulated && {
      simulated: simulationReport(snapshot, playRequests(snapshot, [], settings, { now })),
    }),
    deletedPods: podGcPreview(snapshot, { now, settings, source: 'default' }).items,
    status: statusReport(
      { deletions, forecast, references, remaining, health: notInFiles },
      { within: '1m', namespace: undefined, place: nowhere },
    ),
    why: (record) => diagnosedOf(chainOf(record)),
  };
}

/** Every n-th object is deleted; what is being deleted already comes first. */
export function previewedIn(records: readonly ObjectRecord[], previews: number): ObjectRecord[] {
  const ordered = [
    ...records.filter(isBeingDeleted),
    ...records.filter((record) => !isBeingDeleted(record)),
  ];
  const each = Math.max(1, Math.ceil(ordered.length / previews));
  return ordered.filter((_, index) => index % each === 0);
}

export function policyFor({ uid }: ObjectRecord): 'Background' | 'Foreground' {
  return uid.length % 2 === 0 ? 'Background' : 'Foreground';
}

/**
 * What is left out, and why: two objects with one uid, or one name (which of them a command means is not decided: the
 * rule duplicate-uid reports it); objects without a uid, which no cluster has.
 */
export function plainIn({ records }: Snapshot): ObjectRecord[] {
  const count = (keys: readonly string[]) => Map.groupBy(keys, (key) => key);
  const place = ({ type, namespace, name }: ObjectRecord) =>
    `${type.group} ${type.resource} ${namespace} ${name}`;
  const uids = count(records.map(({ uid }) => uid));
  const places = count(records.map(place));
  return records.filter(
    (record) =>
      record.uid !== '' &&
      uids.get(record.uid)?.length === 1 &&
      places.get(place(record))?.length === 1,
  );
}

function settingsOf({ controllers = defaultControllerSettings.controllers }: Snapshot) {
  return { ...defaultControllerSettings, controllers };
}

/** Some generated objects have no uid until they are created. */
function withUid(object: KubeObject, index: number): KubeObject {
  const { metadata } = object;
  return metadata.uid ? object : { ...object, metadata: { ...metadata, uid: `created-${index}` } };
}

export function clusterOf(
  objects: readonly KubeObject[],
  observedAt = '2026-02-01T00:00:00Z',
): Snapshot {
  return snapshotOf(servedRecords(objects.map(withUid)), { observedAt });
}
