import type {
  AskedObject,
  Coverage,
  CoverageProblem,
  ProblemReason,
  ReadKind,
} from './coverage.ts';
import { jsonOf, listOf, textOf } from './json-value.ts';

/** The `coverage` of a document; undefined when it is not one. */
export function decodeCoverage(value: unknown): Coverage | undefined {
  const json = jsonOf(value);
  const read = listOf(json?.read, readKindOf);
  const asked = listOf(json?.asked, askedObjectOf);
  const problems = decodeProblems(json?.problems);
  return read && asked && problems ? { read, asked, problems } : undefined;
}

/** The `problems` of a coverage, which every document of ours has. */
export function decodeProblems(value: unknown): CoverageProblem[] | undefined {
  return listOf(value, problemOf);
}

function readKindOf(value: unknown): ReadKind | undefined {
  const json = jsonOf(value);
  const resource = textOf(json?.resource);
  if (resource === undefined) return undefined;
  if (json?.namespaces === undefined) return { resource };
  const namespaces = listOf(json.namespaces, textOf);
  return namespaces && { resource, namespaces };
}

function askedObjectOf(value: unknown): AskedObject | undefined {
  const json = jsonOf(value);
  const resource = textOf(json?.resource);
  const namespace = textOf(json?.namespace);
  const name = textOf(json?.name);
  return resource === undefined || namespace === undefined || name === undefined
    ? undefined
    : { resource, namespace, name };
}

function problemOf(value: unknown): CoverageProblem | undefined {
  const json = jsonOf(value);
  const reason = textOf(json?.reason);
  const message = textOf(json?.message);
  if (!json || reason === undefined || message === undefined) return undefined;
  const { resource, apiVersion, namespace, path, line } = json;
  return {
    reason: reason as ProblemReason,
    message,
    ...(typeof resource === 'string' && { resource }),
    ...(typeof apiVersion === 'string' && { apiVersion }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof path === 'string' && { path }),
    ...(typeof line === 'number' && { line }),
  };
}
