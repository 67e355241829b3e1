import { decodeSettings, encodeSettings } from '../../../controllers/settings/saved-settings.ts';
import { type Json, jsonOf, textOf } from '../../../kube/json-value.ts';
import { byContent } from '../../../kube/object-record.ts';
import type { CoverageProblem } from '../../../snapshot/coverage.ts';
import type { Evidence } from '../../../snapshot/evidence.ts';
import {
  decodeRecord,
  decodeSnapshotHeader,
  savedHeaderOf,
  savedObjectOf,
} from '../../../snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../../snapshot/snapshot.ts';
import { keyOf } from '../../../why/inquiry.ts';
import { savedQueries } from '../../../why/saved-answers.ts';
import { Pseudonyms } from './pseudonyms.ts';

/** Where in the file a string, or the names of fields, must be read as they are: they name nothing of the cluster. */
const readAsTheyAre: ReadonlySet<string> = new Set([
  // Of a bootstrap token: the reader takes a time, and nothing else.
  '/data/expiration',
  '/spec/schedule',
  '/spec/timeZone',
  '/evidence/answers/key',
  ...[
    'commandLine/flags/controllers',
    'commandLine/flags/feature-gates',
    'configuration/fields/featureGates',
  ].map((names) => `/evidence/settings/programs/${names}`),
]);

/**
 * The snapshot with pseudonyms for every name, of which rules find the same. What would be written to the file is
 * redacted as it stands there, and read again: a field that the reader does not know is left out, and in the
 * others no word stays that is not well known.
 */
export function redactSnapshot(snapshot: Snapshot, pseudonyms = new Pseudonyms()): Snapshot {
  const redact = (saved: object) => redacted(saved, '', (text) => pseudonyms.text(text)) as Json;
  const { coverage, failedGroupVersions, evidence, ...others } = savedHeaderOf(snapshot);
  const header = decodeSnapshotHeader(
    redact({
      ...others,
      coverage: { ...coverage, problems: coverage.problems.map(withoutSentence) },
      failedGroupVersions: failedGroupVersions.map((failed) => {
        const { group, version } = failed;
        const what = version === undefined ? group : `${group}/${version}`;
        return { ...failed, message: `discovery of ${what} failed` };
      }),
      evidence: evidence && publicEvidence(evidence),
    }),
  );
  const records = snapshot.records.map((record) =>
    decodeRecord(redact(savedObjectOf(record, snapshot.types)), header.types),
  );
  return { ...header, records: records.sort(byContent) };
}

/** Each string is replaced, and each name of a field: those of Kubernetes and of the format are well known. */
function redacted(value: unknown, path: string, text: (text: string) => string): unknown {
  const stays = readAsTheyAre.has(path);
  if (typeof value === 'string') {
    const isNumber = path === '/metadata/resourceVersion' && /^\d+$/.test(value);
    return stays || isNumber ? value : text(value);
  }
  if (Array.isArray(value)) {
    const list = value.map((entry) => redacted(entry, path, text));
    // What is in the order of names gets the order of the new ones: the old order would tell of the old ones.
    return path === '/coverage/read/namespaces' ? list.sort() : list;
  }
  const json = jsonOf(value);
  if (!json) return value;
  const entries = Object.entries(json).map(
    ([name, entry]) =>
      [stays ? name : text(name), redacted(entry, `${path}/${name}`, text)] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Its sentence quotes a server or a file, which may say anything: another takes its place. */
function withoutSentence(problem: CoverageProblem): CoverageProblem {
  const { reason, resource, apiVersion, namespace, path } = problem;
  const what = resource ?? apiVersion ?? path ?? 'a part of the input';
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return { ...problem, message: `${what}${where} could not be read: ${reason}` };
}

const savedKeys: ReadonlySet<string> = new Set(savedQueries.map(keyOf));

/**
 * Settings are those that rules go by. Questions that every snapshot holds an answer to name nothing of the
 * cluster; others are left out. So is what kubelets said of images and containers: paths and digests in it cannot
 * be replaced so that they still lead to each other.
 */
function publicEvidence({ settings, nodes: _, answers, ...others }: Evidence): Evidence {
  return {
    ...others,
    ...(settings && { settings: encodeSettings(decodeSettings(settings)) }),
    ...(answers && { answers: answers.filter(({ key }) => savedKeys.has(textOf(key) ?? '')) }),
  };
}
