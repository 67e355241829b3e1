import {
  count,
  fields,
  InvalidDocument,
  list,
  optional,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import type {
  AskedObject,
  Coverage,
  CoverageProblem,
  ProblemReason,
  ReadKind,
} from './coverage.ts';

const readKind: Schema<ReadKind> = fields({ resource: text, namespaces: optional(list(text)) });
const askedObject: Schema<AskedObject> = fields({ resource: text, namespace: text, name: text });

/** An entry of `problems`, which every document of ours has. */
export const coverageProblem: Schema<CoverageProblem> = fields({
  // Later versions may know more reasons.
  reason: text as Schema<ProblemReason>,
  message: text,
  resource: optional(text),
  apiVersion: optional(text),
  namespace: optional(text),
  name: optional(text),
  verb: optional(text as Schema<'get' | 'list'>),
  status: optional(count),
  path: optional(text),
  line: optional(count),
});

/** The `coverage` of a snapshot. */
export const coveragePart: Schema<Coverage> = fields({
  read: list(readKind),
  asked: list(askedObject),
  problems: list(coverageProblem),
});

/** The problems of a document that is read for its objects; none where its coverage is not one. */
export function problemsIn(coverage: unknown): readonly CoverageProblem[] {
  try {
    return fields({ problems: list(coverageProblem) })(coverage).problems;
  } catch (error) {
    if (error instanceof InvalidDocument) return [];
    throw error;
  }
}
